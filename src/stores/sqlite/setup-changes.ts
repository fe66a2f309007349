import { setupChanges } from '../shared/setup-operations.ts'
import { stopMonitors } from './monitor-operations.ts'
import type { SqliteSql } from './sqlite-sql.ts'

/** The changes of setups in this store. Monitors are stopped as its synchronous operations stop them. */
export const { updateSetup, upsertSetups, deleteSetup } = setupChanges(
  async ({ database }: SqliteSql, setupIds, options, atMs) => {
    for (const setupId of setupIds) stopMonitors(database, setupId, options, atMs)
  },
)
