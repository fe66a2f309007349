/**
 * The errors whose message is public. Anything else that is thrown is a bug or an outage: it is logged with its
 * cause and answered with a generic text (see http/error-response.ts).
 */
export type PublicErrorKind =
  | 'invalid_input'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_media_type'
  /** More than can be taken at the moment; the same request may pass a little later. */
  | 'overloaded'
  /** Something that is needed does not answer; the same request may pass a little later. */
  | 'unavailable'
  | 'deadline'
  /** A judge was asked and gave no verdict: it declined, or what it said could not be read as one. */
  | 'no_verdict'
  /** The budget for judges is spent; a later period has a new one. */
  | 'over_budget'

/** An error whose message a client may read as it is. */
export class PublicError extends Error {
  readonly kind: PublicErrorKind
  /** When the same request may pass, where that is known. */
  readonly retryAfterMs?: number

  constructor(kind: PublicErrorKind, message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'PublicError'
    this.kind = kind
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs
  }
}

/**
 * The store works and cannot hold these values: they break a constraint or a limit of it. Trying again is of no use, while any
 * other error of a store says nothing about the values.
 */
export class RefusedData extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause })
    this.name = 'RefusedData'
  }
}

const OUT_OF_MEMORY = /out of memory|allocation failed|OUT_OF_MEMORY|memory_allocation/i

/** Whether memory ran short, which depends on what else is under way and says nothing about what was read. */
export function isOutOfMemory(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown }
  return OUT_OF_MEMORY.test(`${String(code)} ${String(message)}`)
}

/** Bad input of a client; `detail` names the field, for example `external_id is required`. */
export function invalidInput(detail: string): PublicError {
  return new PublicError('invalid_input', `invalid input: ${detail}`)
}

/** Bad input in a bulk request, whose documented messages carry no `invalid input` prefix. */
export function invalidBulk(message: string): PublicError {
  return new PublicError('invalid_input', message)
}

/** Missing, malformed, unknown or revoked key: always the same text, so that it tells nothing about keys. */
export function unauthorized(): PublicError {
  return new PublicError('unauthorized', 'Unauthorized')
}

/** The key is good but may not do this. */
export function forbidden(message: string): PublicError {
  return new PublicError('forbidden', message)
}

/** Something named in the path does not exist for this caller; another tenant's things do not exist either. */
export function notFound(message: string): PublicError {
  return new PublicError('not_found', message)
}
