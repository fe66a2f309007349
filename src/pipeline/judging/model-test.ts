import type { ObjectShape } from '../../domain/answer-shape.ts'
import { type ModelRef, type ModelUsage, modelName } from '../../domain/judgement.ts'
import { ModelFailure } from '../../domain/model-failure.ts'
import { estimateTokens } from '../../domain/model-prices.ts'
import { defined } from '../../lib/defined.ts'
import { FairRoom } from '../../lib/fair-room.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { JudgePayer, JudgeSettings, JudgeTest } from '../../ports/judge.ts'
import type { ModelAccess, ModelClient, ModelReply } from '../../ports/model-client.ts'
import type { ConsultationDeps } from './consultation.ts'
import { readVerdict } from './read-verdict.ts'

/** Longest time that a model may take for the question. */
const TEST_MS_MAX = 20_000
/** Tests under way at the same time. */
const TESTS_MAX = 16
/** Room for the few tokens of the answer, and for a model that thinks before it answers. */
const ANSWER_TOKENS_MAX = 1_024

const QUESTION = [
  { role: 'system', content: 'Answer with the JSON object you are asked for and nothing else.' },
  { role: 'user', content: 'Is 2 + 2 equal to 4?' },
] as const
const ANSWER = { kind: 'object', fields: { is_equal: { kind: 'boolean' } } } as const satisfies ObjectShape

type ModelTestDeps = Pick<
  ConsultationDeps,
  'access' | 'budgets' | 'prices' | 'ledger' | 'counters' | 'nowMs'
> & {
  readonly client: ModelClient
}

/**
 * Makes the test of a model: one call without a retry and past the cache, because a person waits and wants to know how it is now.
 * It takes no place in the lane of its provider and says nothing to the breaker: a mistyped key must not hold up monitors.
 */
export function createModelTest(deps: ModelTestDeps): JudgeSettings['testModel'] {
  const room = new FairRoom<string>(TESTS_MAX)
  return async (payer, model, given, signal) => {
    if (!room.has(payer.orgId, 1))
      throw new PublicError('overloaded', 'too many judges are being tested; try again in a moment')
    room.take(payer.orgId, 1)
    const startedAt = performance.now()
    const within = AbortSignal.any([signal, AbortSignal.timeout(TEST_MS_MAX)])
    try {
      const found = given ?? (await deps.access.find(payer, model, !(await isDefault(deps, payer, model))))
      const reply = await askOnce(deps, payer, model, found, within)
      return { durationMs: performance.now() - startedAt, ...reply }
    } catch (error) {
      const isOwn = given !== undefined || (await isOwnKey(deps, payer, model))
      return { durationMs: performance.now() - startedAt, problem: problemOf(error, model, isOwn) }
    } finally {
      room.leave(payer.orgId, 1)
    }
  }
}

async function askOnce(
  { client, budgets, prices, ledger, counters, nowMs }: ModelTestDeps,
  payer: JudgePayer,
  model: ModelRef,
  { apiKey, baseUrl }: ModelAccess,
  signal: AbortSignal,
): Promise<Omit<JudgeTest, 'durationMs'>> {
  const name = modelName(model)
  const estimate = {
    promptTokens: estimateTokens(QUESTION.map(({ content }) => content)),
    completionTokens: ANSWER_TOKENS_MAX,
  }
  const money = await budgets.reserve(payer, prices.costOf(model, estimate), name, signal)
  try {
    const access = defined({ apiKey, baseUrl })
    const sampling = { temperature: 0, maxTokens: ANSWER_TOKENS_MAX }
    const reply = await client.call({ model, access, messages: QUESTION, answer: ANSWER, sampling }, signal)
    const costMicros = prices.costOf(model, reply.usage)
    money.settle(costMicros)
    counters.countUsage(name, reply.usage, costMicros)
    ledger.addSpend({
      ...spendOf(reply.usage, costMicros),
      projectId: payer.projectId,
      atMs: nowMs(),
      model: name,
    })
    return { ...reply.usage, ...defined({ costMicros, problem: faultOf(reply, name) }) }
  } finally {
    money.release()
  }
}

function spendOf({ promptTokens = 0, completionTokens = 0 }: ModelUsage, costMicros: number | undefined) {
  const unpricedCalls = costMicros === undefined ? 1 : 0
  return { calls: 1, promptTokens, completionTokens, costMicros: costMicros ?? 0, unpricedCalls }
}

function faultOf(reply: ModelReply, name: string): string | undefined {
  if (reply.kind === 'refused') return `${name} was reached and declined to answer`
  if (reply.kind === 'truncated') return `${name} was reached, but its answer was cut off`
  const read = readVerdict(ANSWER, reply.text)
  if (!('answer' in read)) return `${name} was reached, but its answer was not the JSON it was asked for`
  return undefined
}

/** The default judge may have an address of its own among the settings. */
async function isDefault({ access }: ModelTestDeps, payer: JudgePayer, model: ModelRef): Promise<boolean> {
  const judge = await access.defaultJudge(payer)
  return judge !== undefined && modelName(judge.model) === modelName(model)
}

async function isOwnKey(
  { access }: ModelTestDeps,
  payer: JudgePayer,
  { provider }: ModelRef,
): Promise<boolean> {
  const usable = await access.listFor(payer)
  return usable.some((each) => each.provider === provider && each.configuredBy === 'organization')
}

/** The provider's own words are only for the owner of the key: they may show parts of it, or of the operator's account. */
function problemOf(error: unknown, model: ModelRef, isOwn: boolean): string {
  if (error instanceof PublicError) return error.message
  if (!(error instanceof ModelFailure)) throw error
  if (error.kind === 'deadline') return `${modelName(model)} gave no answer in ${TEST_MS_MAX / 1_000} seconds`
  if (isOwn) return error.message
  return error.kind === 'busy'
    ? `${model.provider} cannot be reached or is busy`
    : `${model.provider} turned the call of ${modelName(model)} away: check the key of the operator and the name of the model`
}
