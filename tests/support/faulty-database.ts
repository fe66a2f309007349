import type { StatementSync } from 'node:sqlite'
import type { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'

/** The fate of a statement: it fails without effect, or fails after its effect. */
export interface StatementFault {
  readonly error: Error
  readonly when: 'before' | 'after'
  /** Whether SQLite gives up the whole transaction, as it does for some errors. */
  readonly endsTransaction?: boolean
}

/** Asked before every statement. */
export type DecideFault = (sql: string) => StatementFault | undefined

/** Result codes of SQLite, as far as disks, files and other processes cause them. */
export const SQLITE_FAULTS = {
  ENOSPC: { errcode: 13, message: 'database or disk is full' },
  EIO: { errcode: 778, message: 'disk I/O error' },
  BUSY: { errcode: 5, message: 'database is locked' },
} as const

/** An error as `node:sqlite` throws it. */
export function sqliteError(name: keyof typeof SQLITE_FAULTS): Error {
  const { errcode, message } = SQLITE_FAULTS[name]
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message })
}

const STATEMENTS = new Set(['exec', 'all', 'get', 'run'])

/**
 * The connection with faults in its statements. `rewrite` changes statements, to plant a bug. The connection is closed by
 * its opener, not through this.
 */
export function faultyDatabase(
  db: SqliteDatabase,
  decide: DecideFault,
  rewrite: (sql: string) => string = (sql) => sql,
): SqliteDatabase {
  const guard = <T>(sql: string, run: () => T): T => {
    // Undoing never fails: it needs no room and no lock.
    const fault = sql.startsWith('ROLLBACK') ? undefined : decide(sql)
    if (!fault) return run()
    if (fault.when === 'after') run()
    else if (fault.endsTransaction) rollBack(db)
    throw fault.error
  }
  return new Proxy(db, {
    get(target, name) {
      if (name === 'close') return () => {}
      if (name === 'statement')
        return (sql: string) => guardedStatement(target.statement(rewrite(sql)), (run) => guard(sql, run))
      const method = target[name as keyof SqliteDatabase] as (...args: unknown[]) => unknown
      if (!STATEMENTS.has(String(name))) return method.bind(target)
      return (sql: string, ...values: unknown[]) =>
        guard(sql, () => method.call(target, rewrite(sql), ...values))
    },
  })
}

function guardedStatement(statement: StatementSync, guard: <T>(run: () => T) => T): StatementSync {
  return new Proxy(statement, {
    get(target, name) {
      const method = target[name as keyof StatementSync] as (...args: unknown[]) => unknown
      return (...args: unknown[]) => guard(() => method.apply(target, args))
    },
  })
}

function rollBack(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // There was no transaction.
  }
}
