import { deriveVerdicts as derive } from '../shared/verdict-operations.ts'
import { writeRollups } from './record-operations.ts'
import type { SqliteSql } from './sqlite-sql.ts'

export function deriveVerdicts(tx: SqliteSql, limit: number): Promise<boolean> {
  return derive(tx, limit, async ({ database }, changes) => writeRollups(database, changes))
}
