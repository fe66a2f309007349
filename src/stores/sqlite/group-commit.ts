import { defined } from '../../lib/defined.ts'
import { outageReason } from '../shared/store-outage.ts'
import type { Call, FailedOutcome, OperationTable, Outcome } from './operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/**
 * Runs calls that arrived together in one transaction, so that they share one flush to disk. Each call has a savepoint
 * of its own: one that fails takes nothing of its neighbours with it. The outcomes are handed out only when the commit
 * has returned; if it fails, every call of the group has failed.
 */
export async function commitGroup(
  db: SqliteDatabase,
  operations: OperationTable,
  calls: readonly Call[],
): Promise<Outcome[]> {
  try {
    db.exec('BEGIN IMMEDIATE')
    const outcomes: Outcome[] = []
    for (const call of calls) outcomes.push(await runInSavepoint(db, operations, call))
    db.exec('COMMIT')
    return outcomes
  } catch (error) {
    rollBackQuietly(db)
    return calls.map(({ id }) => failure(id, error))
  }
}

/** Runs one call on one state of the store, however many statements it has; for readers. */
export async function readSnapshot(
  db: SqliteDatabase,
  operations: OperationTable,
  call: Call,
): Promise<Outcome> {
  try {
    db.exec('BEGIN')
    const outcome = await runCall(db, operations, call)
    db.exec('COMMIT')
    return outcome
  } catch (error) {
    rollBackQuietly(db)
    return failure(call.id, error)
  }
}

/** Runs one call as it is, in whatever transaction there is. */
export async function runCall(db: SqliteDatabase, operations: OperationTable, call: Call): Promise<Outcome> {
  try {
    const operation = operations[call.operation]
    if (!operation) throw new Error(`unknown storage operation ${call.operation}`)
    return { id: call.id, value: await operation(db, ...call.args) }
  } catch (error) {
    const failed = failure(call.id, error)
    return isRefusal(error) ? { ...failed, isRefused: true } : failed
  }
}

/** Primary result codes that are about the values: too big, against a constraint, of the wrong type, out of range. */
const REFUSALS: readonly number[] = [18, 19, 20, 25]

function isRefusal(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { errcode?: unknown }
  return typeof errcode === 'number' && REFUSALS.includes(errcode & 0xff)
}

async function runInSavepoint(db: SqliteDatabase, operations: OperationTable, call: Call): Promise<Outcome> {
  db.exec('SAVEPOINT call')
  const outcome = await runCall(db, operations, call)
  try {
    if ('error' in outcome) db.exec('ROLLBACK TO call')
    db.exec('RELEASE call')
  } catch (error) {
    // A full disk may have ended the whole transaction: then it is the cause, and not that there is no savepoint any more.
    throw 'error' in outcome ? outcome.error : error
  }
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

function failure(id: number, fault: unknown): FailedOutcome {
  const error = fault instanceof Error ? fault : new Error(String(fault))
  const outage = outageReason(error)
  return { id, error, ...defined({ outage }) }
}
