import { type ModelRef, modelName } from '../../domain/judgement.ts'
import { ModelFailure } from '../../domain/model-failure.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { Logger } from '../../ports/logger.ts'
import type { ModelClient, ModelReply, ModelRequest } from '../../ports/model-client.ts'
import type { CallOutcome, JudgeCounters } from './judge-counters.ts'
import { type JudgeTime, outOfTime } from './judge-time.ts'
import type { PaidAccess } from './provider-access.ts'
import { type LaneLimits, ProviderLane } from './provider-lane.ts'

/** Times that a call is made before the provider counts as not answering. */
const ATTEMPTS_MAX = 4
const RETRY_MS_MIN = 500
const RETRY_MS_MAX = 8_000
/** A provider that wants more patience than this is not waited for: the caller is told when to come again. */
const PATIENCE_MS_MAX = 10_000
/** The longest pause that a provider gets, however long a pause it asks for. */
const PAUSE_MS_MAX = 300_000
/** Lanes that are remembered; the least recently used are forgotten when they are idle. */
const LANES_MAX = 1_000

/** A request and for whom it is made. */
export interface PaidRequest {
  readonly request: Omit<ModelRequest, 'access'>
  readonly access: PaidAccess
  readonly orgId: string
  /** The most tokens that prompt and answer may have, for the rate limit. */
  readonly tokensEstimate: number
}

/** Where calls go and whose key they use; each has a lane of its own. */
export type LaneOwner = Pick<PaidAccess, 'baseUrl' | 'ownerOrgId'>

/** The dependencies of model calls. */
export interface ModelCallerDeps {
  readonly client: ModelClient
  readonly limits: LaneLimits
  readonly time: JudgeTime
  readonly counters: JudgeCounters
  readonly logger: Logger
  /** From 0 to 1; spreads retries. */
  readonly random: () => number
  readonly closing: AbortSignal
}

/** Calls models within the limits of their providers, and again when they are busy. An outage is never a verdict. */
export class ModelCaller {
  readonly #deps: ModelCallerDeps
  readonly #lanes = new Map<string, ProviderLane>()

  constructor(deps: ModelCallerDeps) {
    this.#deps = deps
  }

  /** A reply, or a `NoVerdict` that says why there is none: `unavailable` or `deadline`. */
  async call(paid: PaidRequest, signal: AbortSignal): Promise<ModelReply> {
    const { model } = paid.request
    const lane = this.#laneOf(model, paid.access)
    for (let attempt = 1; ; attempt++) {
      if (lane.pausedMs > PATIENCE_MS_MAX) throw busy(model, lane.pausedMs)
      // Before waiting in the lane: calls that hang may hold all of its places.
      if (lane.breaker.openMs > 0) throw busy(model, lane.breaker.openMs)
      const outcome = await this.#attempt(lane, paid, signal)
      if (!(outcome instanceof ModelFailure)) return outcome
      if (outcome.kind === 'deadline') throw outOfTime()
      if (outcome.kind === 'rejected') throw this.#rejected(paid, outcome)
      const { retryAfterMs = 0 } = outcome
      if (retryAfterMs > 0) lane.pause(Math.min(retryAfterMs, PAUSE_MS_MAX))
      const waitMs = retryAfterMs + this.#jitterMs(attempt)
      if (attempt === ATTEMPTS_MAX || retryAfterMs > PATIENCE_MS_MAX) throw busy(model, waitMs)
      // An evaluation whose time ends while the provider asks for a pause fails because of the provider, not because of
      // the time.
      await this.#deps.time.sleep(waitMs, signal).catch(() => {
        throw busy(model, waitMs)
      })
    }
  }

  /** The way to a provider, if it has been used lately. */
  knownLane(provider: string, access: LaneOwner): ProviderLane | undefined {
    return this.#lanes.get(laneKey(provider, access))
  }

  async #attempt(
    lane: ProviderLane,
    paid: PaidRequest,
    signal: AbortSignal,
  ): Promise<ModelReply | ModelFailure> {
    const { ownerOrgId: _, ...access } = paid.access
    const { model } = paid.request
    const slots = (change: { waiting?: number; used?: number }) =>
      this.#deps.counters.changeSlots(model.provider, change)
    slots({ waiting: 1 })
    const place = await lane
      .enter(paid.orgId, paid.tokensEstimate, signal)
      .finally(() => slots({ waiting: -1 }))
    slots({ used: 1 })
    let used: number | undefined
    try {
      const admission = lane.breaker.admit()
      if (!admission.isAdmitted) {
        used = 0
        throw busy(model, admission.retryAfterMs)
      }
      const startedAt = performance.now()
      const count = (outcome: CallOutcome) =>
        this.#deps.counters.countCall(modelName(model), outcome, (performance.now() - startedAt) / 1_000)
      try {
        const reply = await this.#deps.client.call({ ...paid.request, access }, signal)
        lane.breaker.succeeded()
        count(reply.kind)
        const { promptTokens, completionTokens } = reply.usage
        if (promptTokens !== undefined) used = promptTokens + (completionTokens ?? 0)
        return reply
      } catch (error) {
        // Anything else is a bug of ours, but the place in a breaker that is finding out has to be given back.
        if (!(error instanceof ModelFailure)) lane.breaker.abandoned()
        else {
          reportFailure(lane, error, signal)
          count(error.kind)
        }
        if (!(error instanceof ModelFailure)) throw error
        used = 0
        return error
      }
    } finally {
      place.leave(used)
      slots({ used: -1 })
    }
  }

  // The provider's message is only for the owner of the key: it may show parts of it, or of the operator's account.
  #rejected({ request: { model }, access }: PaidRequest, { message }: ModelFailure): NoVerdict {
    const name = modelName(model)
    this.#deps.logger.warn({ model: name, message }, 'a provider turned a call away')
    const said = access.ownerOrgId === undefined ? '' : ` (${message})`
    return new NoVerdict(
      'unavailable',
      `the provider ${model.provider} turned the call of ${name} away${said}: check its key, the name of the model and ` +
        'the base URL',
    )
  }

  /** Full jitter: anything up to a ceiling that doubles, so that those who failed together do not come back together. */
  #jitterMs(attempt: number): number {
    return this.#deps.random() * Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** attempt)
  }

  #laneOf({ provider }: ModelRef, access: PaidAccess): ProviderLane {
    const key = laneKey(provider, access)
    const { limits, time, closing, counters } = this.#deps
    const lane =
      this.#lanes.get(key) ??
      new ProviderLane(limits, time, closing, (state) => counters.setBreaker(provider, state))
    this.#lanes.delete(key)
    this.#lanes.set(key, lane)
    if (this.#lanes.size > LANES_MAX)
      for (const [oldest, { isIdle }] of this.#lanes) if (isIdle && oldest !== key) this.#lanes.delete(oldest)
    return lane
  }
}

function laneKey(provider: string, { baseUrl, ownerOrgId }: LaneOwner): string {
  return JSON.stringify([provider, baseUrl ?? '', ownerOrgId ?? ''])
}

/** A call that ran out of time speaks against the provider; one that its caller gave up does not. */
function reportFailure(
  { breaker }: ProviderLane,
  { kind, retryAfterMs }: ModelFailure,
  signal: AbortSignal,
): void {
  const isTimeout = signal.reason instanceof DOMException && signal.reason.name === 'TimeoutError'
  if (kind === 'rejected' || retryAfterMs !== undefined) breaker.succeeded()
  else if (kind === 'busy' || isTimeout) breaker.failed()
  else breaker.abandoned()
}

function busy(model: ModelRef, retryAfterMs: number): NoVerdict {
  return new NoVerdict(
    'unavailable',
    `the judge ${modelName(model)} does not answer at the moment`,
    Math.ceil(retryAfterMs),
  )
}
