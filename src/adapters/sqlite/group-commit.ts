import type { Call, OperationTable, Outcome } from './operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/**
 * Runs calls that arrived together in one transaction, so that they share one flush to disk. Each call has a savepoint
 * of its own: one that fails takes nothing of its neighbours with it. The outcomes are handed out only when the commit
 * has returned; if it fails, every call of the group has failed.
 */
export function commitGroup(
  db: SqliteDatabase,
  operations: OperationTable,
  calls: readonly Call[],
): Outcome[] {
  try {
    db.exec('BEGIN IMMEDIATE')
    const outcomes = calls.map((call) => runInSavepoint(db, operations, call))
    db.exec('COMMIT')
    return outcomes
  } catch (error) {
    rollBackQuietly(db)
    return calls.map(({ id }) => ({ id, error: asError(error) }))
  }
}

/** Runs one call on one state of the store, however many statements it has; for readers. */
export function readSnapshot(db: SqliteDatabase, operations: OperationTable, call: Call): Outcome {
  try {
    db.exec('BEGIN')
    const outcome = runCall(db, operations, call)
    db.exec('COMMIT')
    return outcome
  } catch (error) {
    rollBackQuietly(db)
    return { id: call.id, error: asError(error) }
  }
}

/** Runs one call as it is, in whatever transaction there is. */
export function runCall(db: SqliteDatabase, operations: OperationTable, call: Call): Outcome {
  try {
    const operation = operations[call.operation]
    if (!operation) throw new Error(`unknown storage operation ${call.operation}`)
    return { id: call.id, value: operation(db, ...call.args) }
  } catch (error) {
    return { id: call.id, error: asError(error), ...(isRefusal(error) ? { isRefused: true } : {}) }
  }
}

/** Primary result codes that are about the values: too big, against a constraint, of the wrong type, out of range. */
const REFUSALS: readonly number[] = [18, 19, 20, 25]

function isRefusal(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: unknown }
  return typeof errcode === 'number' && REFUSALS.includes(errcode & 0xff)
}

function runInSavepoint(db: SqliteDatabase, operations: OperationTable, call: Call): Outcome {
  db.exec('SAVEPOINT call')
  const outcome = runCall(db, operations, call)
  if ('error' in outcome) db.exec('ROLLBACK TO call')
  db.exec('RELEASE call')
  return outcome
}

// A failed BEGIN leaves no transaction to roll back, and a full disk may have ended it already.
function rollBackQuietly(db: SqliteDatabase): void {
  try {
    db.exec('ROLLBACK')
  } catch {
    // Nothing to undo.
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
