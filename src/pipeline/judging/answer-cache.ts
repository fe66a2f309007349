import { createHash } from 'node:crypto'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { OrgTenant } from '../../domain/tenant.ts'
import type { CachedAnswer, JudgeStorage, NewCachedAnswer } from '../../ports/judge-storage.ts'
import { waitWithin } from './judge-time.ts'

/** Characters of answers that are kept in memory, in front of the store. */
const MEMORY_CHARS_MAX = 16_000_000
/** Characters that an entry takes besides its answer. */
const ENTRY_CHARS = 300

/** Makes one name of everything that decides an answer. */
export function cacheKey(content: unknown): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64url')
}

/** An answer, and whether another evaluation had paid for it. */
export interface FoundAnswer extends CachedAnswer {
  readonly isCached: boolean
}

/**
 * Never pays twice for the same question of an organization: answers are kept in memory and in the store, and a caller that asks
 * what is just being asked waits for that answer. Only valid answers get here.
 */
export class AnswerCache {
  readonly #storage: Pick<JudgeStorage, 'readCachedAnswer'>
  readonly #write: (answer: NewCachedAnswer) => void
  /** In order of use, the least recent first. */
  readonly #memory = new Map<string, CachedAnswer>()
  readonly #asking = new Map<string, Promise<CachedAnswer>>()
  #memoryChars = 0

  constructor(storage: Pick<JudgeStorage, 'readCachedAnswer'>, write: (answer: NewCachedAnswer) => void) {
    this.#storage = storage
    this.#write = write
  }

  /** The answer that is known, or the one that `ask` gives, which is kept. */
  async find(
    tenant: OrgTenant,
    key: string,
    signal: AbortSignal,
    ask: () => Promise<CachedAnswer>,
  ): Promise<FoundAnswer> {
    const place = `${tenant.orgId} ${key}`
    for (;;) {
      const known = this.#recall(place)
      if (known) return { ...known, isCached: true }
      const asking = this.#asking.get(place)
      if (!asking) break
      try {
        return { ...(await waitWithin(asking, signal)), isCached: true }
      } catch (error) {
        // The time or budget that ended the other evaluation need not end this one.
        if (!isOthersAffair(error) || signal.aborted) throw error
      }
    }
    let isCached = false
    const answering = (async () => {
      const stored = await waitWithin(this.#storage.readCachedAnswer(tenant, key), signal)
      isCached = stored !== undefined
      return stored ?? (await ask())
    })()
    this.#asking.set(place, answering)
    try {
      const answer = await answering
      this.#remember(place, answer)
      if (!isCached) this.#write({ ...answer, orgId: tenant.orgId, key })
      return { ...answer, isCached }
    } finally {
      this.#asking.delete(place)
    }
  }

  #recall(place: string): CachedAnswer | undefined {
    const known = this.#memory.get(place)
    if (!known) return undefined
    this.#memory.delete(place)
    this.#memory.set(place, known)
    return known
  }

  #remember(place: string, answer: CachedAnswer): void {
    this.#memory.set(place, answer)
    this.#memoryChars += answer.answer.length + ENTRY_CHARS
    for (const [oldest, { answer: text }] of this.#memory) {
      if (this.#memoryChars <= MEMORY_CHARS_MAX) return
      this.#memory.delete(oldest)
      this.#memoryChars -= text.length + ENTRY_CHARS
    }
  }
}

function isOthersAffair(error: unknown): boolean {
  return error instanceof NoVerdict && (error.reason === 'deadline' || error.reason === 'over_budget')
}
