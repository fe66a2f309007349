import { NoVerdict } from '../../domain/no-verdict.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { CarriedError } from './judging-message.ts'

/** Makes an error ready for the way to another thread. */
export function carryError(error: unknown): CarriedError {
  if (error instanceof NoVerdict) {
    return { reason: error.reason, message: error.message, ...retryOf(error) }
  }
  if (error instanceof PublicError) return { kind: error.kind, message: error.message, ...retryOf(error) }
  return { bug: error instanceof Error ? error : new Error(String(error)) }
}

/** The error that was carried. */
export function uncarryError(carried: CarriedError): Error {
  if ('bug' in carried) return carried.bug
  const { message, retryAfterMs } = carried
  return 'reason' in carried
    ? new NoVerdict(carried.reason, message, retryAfterMs)
    : new PublicError(carried.kind, message, retryAfterMs)
}

function retryOf({ retryAfterMs }: PublicError) {
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}
