import type { SqliteDatabase } from './sqlite-database.ts'

/** A number for a new lease, counted in the store, so that no two are alike whichever process takes them. */
export function nextLease(db: SqliteDatabase): number {
  return db.get<{ last: number }>('UPDATE leases SET last = last + 1 RETURNING last')?.last as number
}
