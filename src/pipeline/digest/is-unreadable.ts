import { isOutOfMemory } from '../../domain/errors.ts'
import { PublicError } from '../../lib/public-error.ts'

/**
 * Whether the bytes of a batch are at fault: the thread has read them and says so. A thread that has ended, was too slow or ran
 * out of memory says nothing of the kind.
 */
export function isUnreadable(error: unknown): boolean {
  if (error instanceof PublicError) return error.kind === 'invalid_input'
  return !isOutOfMemory(error)
}
