import { setupChanges } from '../shared/setup-operations.ts'
import { stopMonitorsOf } from './monitor-operations.ts'

/** The changes of setups in this store. Monitors are stopped for all of them at once, with locks on their work. */
export const { updateSetup, upsertSetups, deleteSetup } = setupChanges(stopMonitorsOf)
