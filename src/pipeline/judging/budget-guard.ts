import { NoVerdict } from '../../domain/no-verdict.ts'
import type { JudgePayer } from '../../ports/judge.ts'
import type { Budget, JudgeStorage } from '../../ports/judge-storage.ts'
import { type JudgeTime, waitWithin } from './judge-time.ts'
import { KeptFor } from './kept-for.ts'
import { SpendAccount } from './spend-account.ts'

/** A changed budget takes effect after this time at the latest. */
const BUDGETS_KEPT_MS = 3_000
/** Projects whose budgets, and payers whose spend, are kept in memory. */
const PAYERS_KEPT_MAX = 10_000

/** Money that was set aside for one call. */
export interface Reservation {
  /** The real cost of the call; when it is undefined, the whole reservation counts as spent. */
  settle(costMicros: number | undefined): void
  /** The call was not made, or not answered. */
  release(): void
}

interface Limit {
  readonly account: SpendAccount
  readonly budget: Budget
}

/**
 * Keeps what judges cost within the budgets of projects and setups. Money is set aside before a call, at the most it may
 * cost, and settled after it. Spend is counted here on top of what is stored, which is looked at again all the time, because
 * other processes spend as well. The reservations of other processes are not seen: together they may exceed a budget by the
 * calls that the others have under way, and by the spend they have not written yet.
 */
export class BudgetGuard {
  readonly #storage: Pick<JudgeStorage, 'listBudgets' | 'readSpend'>
  readonly #time: JudgeTime
  /** Writes what was spent so far to the store before it is read from there; false when that did not work. */
  readonly #flush: () => Promise<boolean>
  readonly #budgets: KeptFor<Budget[]>
  readonly #accounts = new Map<string, SpendAccount>()

  constructor(
    storage: Pick<JudgeStorage, 'listBudgets' | 'readSpend'>,
    time: JudgeTime,
    flush: () => Promise<boolean>,
  ) {
    this.#storage = storage
    this.#time = time
    this.#flush = flush
    this.#budgets = new KeptFor(BUDGETS_KEPT_MS, PAYERS_KEPT_MAX, () => time.nowMs())
  }

  /**
   * Sets money aside. Throws `over_budget` when there is none left, and when the price of the model is unknown where a
   * budget has to be kept. While only the reservations of other calls are in the way, it waits for them to be settled.
   */
  async reserve(
    payer: JudgePayer,
    estimateMicros: number | undefined,
    model: string,
    signal: AbortSignal,
  ): Promise<Reservation> {
    for (;;) {
      const limits = await waitWithin(this.#limitsOf(payer), signal)
      if (limits.length === 0) return this.#reserveNothing(payer)
      if (estimateMicros === undefined) throw unknownPrice(model)
      const short: Limit[] = limits.filter(({ account, budget }) => !account.hasRoom(budget, estimateMicros))
      if (short.length === 0) return this.#reservation(payer, limits, estimateMicros)
      for (const { account, budget } of short) {
        const spent = account.exhausted(budget, estimateMicros)
        if (spent) throw overBudget(budget, spent, estimateMicros, this.#time.nowMs())
      }
      await waitWithin(Promise.race(short.map(({ account }) => account.nextSettling())), signal)
    }
  }

  #reservation(payer: JudgePayer, limits: readonly Limit[], reservedMicros: number): Reservation {
    for (const { account } of limits) account.reserve(reservedMicros)
    let isOpen = true
    const end = (costMicros: number | undefined) => {
      if (!isOpen) return
      isOpen = false
      for (const account of this.#accountsOf(payer)) {
        if (costMicros === undefined) account.assume(reservedMicros)
        else account.spend(costMicros)
      }
      for (const { account } of limits) account.unreserve(reservedMicros)
    }
    return { settle: end, release: () => end(0) }
  }

  // Counted all the same, because a budget may come into being while the call is under way.
  #reserveNothing(payer: JudgePayer): Reservation {
    const settle = (costMicros = 0) => {
      for (const account of this.#accountsOf(payer)) account.spend(costMicros)
    }
    return { settle, release() {} }
  }

  #accountsOf({ projectId, setup }: JudgePayer): SpendAccount[] {
    const ids = setup ? [projectId, setup.id] : [projectId]
    return ids.flatMap((id) => this.#accounts.get(id) ?? [])
  }

  async #limitsOf(payer: JudgePayer): Promise<Limit[]> {
    const budgets = await this.#budgets.get(payer.projectId, () => this.#storage.listBudgets(payer))
    const { setup } = payer
    const own = budgets.filter(
      ({ externalId, dayMicros, monthMicros }) =>
        (dayMicros !== undefined || monthMicros !== undefined) &&
        (externalId === undefined || externalId === setup?.externalId),
    )
    return Promise.all(
      own.map(async (budget) => {
        const id = budget.externalId === undefined ? payer.projectId : (setup?.id ?? '')
        return { budget, account: await this.#account(payer, id, budget.externalId) }
      }),
    )
  }

  async #account(payer: JudgePayer, id: string, externalId: string | undefined): Promise<SpendAccount> {
    const known = this.#accounts.get(id)
    if (known) {
      await known.upToDate()
      return known
    }
    if (this.#accounts.size >= PAYERS_KEPT_MAX) this.#forgetIdle()
    const account = new SpendAccount(
      () => this.#time.nowMs(),
      async () => {
        const isComplete = await this.#flush()
        return { totals: await this.#storage.readSpend(payer, externalId, this.#time.nowMs()), isComplete }
      },
    )
    this.#accounts.set(id, account)
    try {
      await account.upToDate()
    } catch (error) {
      this.#accounts.delete(id)
      throw error
    }
    return account
  }

  #forgetIdle(): void {
    for (const [id, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(id)
  }
}

function unknownPrice(model: string): NoVerdict {
  return new NoVerdict(
    'over_budget',
    `there is a budget, but the price of ${model} is not known: add it to the file of ASSAY_JUDGE_PRICES`,
  )
}

function overBudget(
  { externalId, dayMicros, monthMicros }: Budget,
  period: 'day' | 'month',
  estimateMicros: number,
  nowMs: number,
): NoVerdict {
  const whose = externalId === undefined ? 'the project' : `setup ${JSON.stringify(externalId)}`
  const limit = usd((period === 'day' ? dayMicros : monthMicros) ?? 0)
  const renewsAtMs = nextPeriod(period, nowMs)
  return new NoVerdict(
    'over_budget',
    `the budget of ${whose} for this ${period}, ${limit} USD, does not leave the ${usd(estimateMicros)} USD that this ` +
      `call may cost; it renews at ${new Date(renewsAtMs).toISOString()}`,
    renewsAtMs - nowMs,
  )
}

function nextPeriod(period: 'day' | 'month', nowMs: number): number {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  return period === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1, 1)
}

function usd(micros: number): string {
  return (micros / 1_000_000).toFixed(6).replace(/0{1,4}$/, '')
}
