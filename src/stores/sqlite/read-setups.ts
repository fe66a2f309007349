import type { Setup } from '../../domain/setup.ts'
import {
  ENTRY_COLUMNS,
  type EntryRow,
  SETUP_COLUMNS,
  type SetupRow,
  toEntries,
  toSetup,
} from '../shared/setup-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** For the processing of setups, which serves all tenants. */
export function readSetupById(db: SqliteDatabase, id: string): Setup {
  const row = db.get<SetupRow>(`${SETUP_COLUMNS} WHERE s.id = ?`, id)
  if (!row) throw new Error(`setup ${id} does not exist`)
  const entries = db.all<EntryRow>(`${ENTRY_COLUMNS} WHERE setup_id = ? ORDER BY position`, id)
  return toSetup(row, toEntries([id], entries).get(id) ?? [])
}
