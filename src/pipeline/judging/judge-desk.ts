import { setTimeout as sleep } from 'node:timers/promises'
import { type ModelPrice, ModelPrices } from '../../domain/model-prices.ts'
import type { Clock } from '../../ports/clock.ts'
import type { JudgeDesk, JudgeSettings, ProviderOverview } from '../../ports/judge.ts'
import type { JudgeLedger, JudgeStorage } from '../../ports/judge-storage.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ModelClient } from '../../ports/model-client.ts'
import { AnswerCache } from './answer-cache.ts'
import { BudgetGuard } from './budget-guard.ts'
import { CallLedger } from './call-ledger.ts'
import { AskingConsultation, type ConsultationDeps } from './consultation.ts'
import { type RenderPrompt, renderFenced } from './fence.ts'
import type { JudgeCounters } from './judge-counters.ts'
import type { JudgeTime } from './judge-time.ts'
import { describeProvider } from './known-provider.ts'
import { ModelCaller } from './model-caller.ts'
import { createModelTest } from './model-test.ts'
import { ProviderAccess, type ProviderAccessDeps } from './provider-access.ts'
import type { LaneLimits } from './provider-lane.ts'

/** How often old answers are looked for. */
const UPKEEP_MS = 60_000

/** The dependencies of the desk. */
export interface JudgeDeskDeps extends Omit<ProviderAccessDeps, 'nowMs'> {
  readonly client: ModelClient
  readonly storage: JudgeStorage
  readonly ledger: JudgeLedger
  readonly clock: Clock
  readonly logger: Logger
  readonly counters: JudgeCounters
  /** Of each provider and key. */
  readonly limits: LaneLimits
  /** How many answers are kept, and for how long after their last use. */
  readonly cache: { readonly entriesMax: number; readonly ageMsMax: number }
  /** Prices that win over those that come with the service. */
  readonly prices?: Readonly<Record<string, ModelPrice>>
  /** Instead of real time, of chance and of the fence; for tests. */
  readonly sleep?: JudgeTime['sleep']
  readonly random?: () => number
  readonly render?: RenderPrompt
}

/**
 * Makes the one desk of a process. A question passes in this order: whose key, known answer, budget, place in the lane of
 * its provider, call, strict reading, at most one more try. Everything it knows of the outside is passed in.
 */
export function createJudgeDesk(deps: JudgeDeskDeps): JudgeDesk & ProviderOverview & JudgeSettings {
  const closing = new AbortController()
  const nowMs = () => deps.clock.nowMs()
  const time: JudgeTime = { nowMs, sleep: deps.sleep ?? ((ms, signal) => sleep(ms, undefined, { signal })) }
  const { counters, logger, storage } = deps
  const ledger = new CallLedger(deps.ledger, logger, counters)
  const access = new ProviderAccess({ ...deps, nowMs })
  const caller = new ModelCaller({
    client: deps.client,
    limits: deps.limits,
    time,
    counters,
    logger,
    random: deps.random ?? Math.random,
    closing: closing.signal,
  })
  const consultation: ConsultationDeps = {
    access,
    caller,
    cache: new AnswerCache(storage, (answer) => ledger.addAnswer(answer)),
    budgets: new BudgetGuard(storage, time, () => ledger.flush()),
    prices: new ModelPrices(deps.prices),
    ledger,
    counters,
    nowMs,
    render: deps.render ?? renderFenced,
  }
  let upkeep: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    upkeep = upkeep.then(() => dropOldAnswers(deps, closing.signal))
  }, UPKEEP_MS).unref()
  return {
    defaultModel: async (tenant) => (await access.defaultJudge(tenant))?.model,
    defaultJudge: (tenant) => access.defaultJudge(tenant),
    forget: (tenant) => access.forget(tenant),
    testModel: createModelTest({ client: deps.client, ...consultation }),
    async providersOf(tenant) {
      const usable = await access.listFor(tenant)
      return usable.map((each) => describeProvider(each, caller, tenant.orgId))
    },
    open: (payer, model, signal) => new AskingConsultation(consultation, payer, model, signal),
    async close() {
      clearInterval(timer)
      closing.abort()
      await upkeep
      await ledger.flush()
    },
  }
}

async function dropOldAnswers(
  { ledger, cache, clock, logger }: JudgeDeskDeps,
  closing: AbortSignal,
): Promise<void> {
  try {
    while (!closing.aborted)
      if (!(await ledger.dropCachedAnswers(clock.nowMs() - cache.ageMsMax, cache.entriesMax))) return
  } catch (error) {
    logger.error({ err: error }, 'old answers of judges could not be dropped; tried again')
  }
}
