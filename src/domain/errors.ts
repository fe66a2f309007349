import { PublicError } from '../lib/public-error.ts'

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

/** The request is good, but something else stands in its way by now. */
export function conflict(message: string): PublicError {
  return new PublicError('conflict', message)
}

/** A resource named in the path does not exist for this caller; neither do resources of other tenants. */
export function notFound(message: string): PublicError {
  return new PublicError('not_found', message)
}
