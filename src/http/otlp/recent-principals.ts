import type { SystemStorage } from '../../ports/storage.ts'
import type { PrincipalSource } from '../auth.ts'

type Found = NonNullable<Awaited<ReturnType<SystemStorage['findPrincipal']>>>

/** A key that was found this recently is not asked for again. */
const FRESH_MS = 2_000
/** A key that was found this recently is good while the store is away. */
const OUTAGE_MS = 600_000
/** How long a store may take to answer before a key that is known counts as good. */
const ANSWER_MS_MAX = 500
const KEYS_MAX = 10_000

/**
 * Keys of senders, where spans go into a stream: taking them in must not depend on the database. The price is that a revoked
 * key can send for two seconds more, and for ten minutes while the database is away. Nothing but sending spans uses this.
 */
export function recentPrincipals(
  storage: PrincipalSource,
  nowMs: () => number = () => performance.now(),
): PrincipalSource {
  // The one that was found longest ago first.
  const known = new Map<string, { readonly found: Found; readonly atMs: number }>()

  const ask = async (secretHash: string) => {
    const found = await storage.system.findPrincipal(secretHash)
    known.delete(secretHash)
    if (found) known.set(secretHash, { found, atMs: nowMs() })
    const [oldest] = known.keys()
    if (known.size > KEYS_MAX && oldest !== undefined) known.delete(oldest)
    return found
  }
  const findPrincipal: SystemStorage['findPrincipal'] = async (secretHash) => {
    const recent = known.get(secretHash)
    const ageMs = recent ? nowMs() - recent.atMs : Number.POSITIVE_INFINITY
    if (recent && ageMs < FRESH_MS) return recent.found
    if (!recent || ageMs >= OUTAGE_MS) return ask(secretHash)
    return orLate(
      ask(secretHash).catch(() => recent.found),
      recent.found,
    )
  }
  return { system: { findPrincipal } }
}

function orLate<Value>(answer: Promise<Value>, late: Value): Promise<Value> {
  const { promise, resolve } = Promise.withResolvers<Value>()
  const timer = setTimeout(() => resolve(late), ANSWER_MS_MAX)
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer))
}
