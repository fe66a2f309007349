import { timingSafeEqual } from 'node:crypto'
import { requireOperator } from '../control/administration.ts'
import { hashSecret } from '../control/api-keys.ts'
import { authenticate, bearerSecret, type PrincipalSource, requirePermission } from './auth.ts'

/** Access to metrics that are not public. */
export interface MetricsAccess {
  /** A secret that opens the metrics and nothing else, for a scraper. */
  readonly token?: string
}

/** Refuses callers that have neither the token nor an administrator's key of the operator: metrics are about all tenants. */
export async function requireMetricsKey(
  authorization: string | undefined,
  { token }: MetricsAccess,
  storage: PrincipalSource,
): Promise<void> {
  const secret = bearerSecret(authorization)
  if (token !== undefined && secret !== undefined && isSame(secret, token)) return
  const principal = await authenticate(storage, authorization)
  requirePermission(principal, ['admin'])
  requireOperator(principal, 'reads its metrics')
}

/** Compares hashes, so that neither content nor length shows in the time it takes. */
function isSame(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(hashSecret(given)), Buffer.from(hashSecret(expected)))
}
