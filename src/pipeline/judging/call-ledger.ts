import type { JudgeLedger, JudgeSpend, NewCachedAnswer } from '../../ports/judge-storage.ts'
import type { Logger } from '../../ports/logger.ts'
import type { JudgeCounters } from './judge-counters.ts'

/** How long an answered call may wait to be written. */
const WRITE_MS = 1_000
/** Answers that wait to be written before the oldest are given up, so that an outage of the store fills no memory. */
const ANSWERS_WAITING_MAX = 10_000
const DAY_MS = 86_400_000

/** Writes answers and spend behind, in groups: no call waits for the disk, and after a crash a call may be paid once more. */
export class CallLedger {
  readonly #store: JudgeLedger
  readonly #logger: Logger
  readonly #counters: JudgeCounters
  #answers: NewCachedAnswer[] = []
  #spends = new Map<string, JudgeSpend>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<boolean> = Promise.resolve(true)

  constructor(store: JudgeLedger, logger: Logger, counters: JudgeCounters) {
    this.#store = store
    this.#logger = logger
    this.#counters = counters
  }

  addAnswer(answer: NewCachedAnswer): void {
    this.#answers.push(answer)
    this.#writeSoon()
  }

  /** Calls of the same day, payer and model become one row. */
  addSpend(spend: JudgeSpend): void {
    const day = Math.floor(spend.atMs / DAY_MS)
    const key = JSON.stringify([spend.projectId, spend.setupId ?? '', day, spend.model])
    const before = this.#spends.get(key)
    this.#spends.set(key, before ? sumOf(before, spend) : spend)
    this.#writeSoon()
  }

  /** Writes what is there. True when everything that was added before has been written; otherwise it waits for the next try. */
  flush(): Promise<boolean> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  #writeSoon(): void {
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_MS).unref()
  }

  async #write(): Promise<boolean> {
    const answers = this.#answers
    const spends = [...this.#spends.values()]
    if (answers.length === 0 && spends.length === 0) return true
    this.#answers = []
    this.#spends = new Map()
    try {
      await this.#store.recordCalls(answers, spends)
      return true
    } catch (error) {
      this.#logger.error({ err: error }, 'what judges answered and cost could not be written; tried again')
      this.#keep(answers, spends)
      return false
    }
  }

  #keep(answers: readonly NewCachedAnswer[], spends: readonly JudgeSpend[]): void {
    const all = [...answers, ...this.#answers]
    this.#answers = all.slice(-ANSWERS_WAITING_MAX)
    if (all.length > this.#answers.length) this.#counters.countUnwritten(all.length - this.#answers.length)
    for (const spend of spends) this.addSpend(spend)
    this.#writeSoon()
  }
}

function sumOf(a: JudgeSpend, b: JudgeSpend): JudgeSpend {
  return {
    ...a,
    calls: a.calls + b.calls,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    costMicros: a.costMicros + b.costMicros,
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
  }
}
