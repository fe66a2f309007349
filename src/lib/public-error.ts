/**
 * The errors whose message is public. Anything else that is thrown is a bug or an outage: it is logged with its
 * cause and answered with a generic text (see http/error-response.ts).
 */
export type PublicErrorKind =
  | 'invalid_input'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'method_not_allowed'
  | 'too_large'
  | 'unsupported_media_type'
  /** More than can be taken at the moment; the same request may pass a little later. */
  | 'overloaded'
  /** One caller sends more than it may; `retryAfterMs` says when it may go on. */
  | 'rate_limited'
  /** The organization has as much as it may have; waiting does not help. */
  | 'limit_reached'
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

/** Bad input of a client; `detail` names the field, for example `external_id is required`. */
export function invalidInput(detail: string): PublicError {
  return new PublicError('invalid_input', `invalid input: ${detail}`)
}
