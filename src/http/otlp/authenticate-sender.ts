import type { Principal } from '../../domain/tenant.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Logger } from '../../ports/logger.ts'
import { authenticate, type PrincipalSource } from '../auth.ts'

/**
 * The sender of telemetry. A store that does not answer is told as unavailable: senders throw away what any other fault
 * meets.
 */
export async function authenticateSender(
  storage: PrincipalSource,
  authorization: string | undefined,
  logger: Logger,
): Promise<Principal> {
  try {
    return await authenticate(storage, authorization)
  } catch (error) {
    if (error instanceof PublicError) throw error
    logger.error({ err: error }, 'a sender could not be authenticated')
    throw new PublicError('unavailable', 'the store does not answer; try again')
  }
}
