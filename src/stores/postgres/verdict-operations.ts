import type { Sql } from '../shared/sql.ts'
import { deriveVerdicts as derive } from '../shared/verdict-operations.ts'
import { writeRollups } from './write-rollups.ts'

export function deriveVerdicts(tx: Sql, limit: number): Promise<boolean> {
  return derive(tx, limit, writeRollups)
}
