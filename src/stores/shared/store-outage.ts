import { PublicError } from '../../lib/public-error.ts'

/** After this time the same request may pass: an outage ends when an operator makes room or a server has restarted. */
const RETRY_AFTER_MS = 1_000

/** The reason when a store has no room to grow. */
export const DISK_FULL = 'its disk is full'
/** The reason when a store can be read and takes no writes. */
export const READ_ONLY = 'it is read-only'
const BROKEN = 'its disk fails'
const LOCKED = 'another process holds it'
const DAMAGED = 'its file is damaged'
const AWAY = 'it does not answer'
const SLOW = 'a statement took too long'
const OUT_OF_RESOURCES = 'it has run out of memory, connections or file descriptors'

/** Primary result codes of SQLite; an extended code carries its primary one in the lowest byte. */
const SQLITE_REASONS: Readonly<Record<number, string>> = {
  5: LOCKED,
  6: LOCKED,
  7: OUT_OF_RESOURCES,
  8: READ_ONLY,
  10: BROKEN,
  11: DAMAGED,
  13: DISK_FULL,
  14: BROKEN,
  15: LOCKED,
  22: BROKEN,
  26: DAMAGED,
}

/** SQLSTATE codes of PostgreSQL, codes of the file system and codes of the network. The first match counts. */
const CODE_REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(53100|ENOSPC|EDQUOT|EFBIG)$/, DISK_FULL],
  [/^(25006|EROFS)$/, READ_ONLY],
  [/^(58...|EIO)$/, BROKEN],
  [/^(53...|EMFILE|ENFILE|ENOMEM)$/, OUT_OF_RESOURCES],
  [/^57014$/, SLOW],
  [
    /^(08...|57P0[1235]|25P03|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/,
    AWAY,
  ],
]

/** The messages of the PostgreSQL driver that have no code: a connection ended while it was in use. */
const AWAY_MESSAGES =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/

/**
 * Says why a store could not do what it was asked, or undefined when the fault is not the store's but a bug or bad data.
 * This is the only place that tells the two apart, for both stores.
 */
export function outageReason(error: unknown): string | undefined {
  const { code, errcode, message } = Object(error) as { code?: unknown; errcode?: unknown; message?: unknown }
  if (typeof errcode === 'number') return SQLITE_REASONS[errcode & 0xff]
  if (typeof code === 'string') {
    const known = CODE_REASONS.find(([pattern]) => pattern.test(code))
    if (known) return known[1]
  }
  return typeof message === 'string' && AWAY_MESSAGES.test(message) ? AWAY : undefined
}

/** The error that callers of a store get during an outage; a client may read it and try again. */
export function storeUnavailable(reason: string, cause: unknown): PublicError {
  const error = new PublicError('unavailable', `the store is not available: ${reason}`, RETRY_AFTER_MS)
  error.cause = cause
  return error
}

/** Whether something failed because of an outage of the store: what was under way may have been stored or not. */
export function isUnavailable(error: unknown): error is PublicError {
  return error instanceof PublicError && error.kind === 'unavailable'
}
