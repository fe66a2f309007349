import type { AnswerOf, ObjectShape } from '../../domain/answer-shape.ts'
import type { ModelUsage } from '../../domain/judgement.ts'
import { type Judgement, type ModelRef, modelName } from '../../domain/judgement.ts'
import { COMPLETION_TOKENS_EXPECTED, estimateTokens, type ModelPrices } from '../../domain/model-prices.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import { oneLine } from '../../lib/one-line.ts'
import type {
  Consultation,
  GeneratedText,
  JudgePayer,
  JudgeQuestion,
  PromptMessage,
  Replaced,
  Sampling,
} from '../../ports/judge.ts'
import type { CachedAnswer } from '../../ports/judge-storage.ts'
import type { ModelMessage, ModelReply, ModelRequest } from '../../ports/model-client.ts'
import { type AnswerCache, cacheKey } from './answer-cache.ts'
import type { BudgetGuard } from './budget-guard.ts'
import type { CallLedger } from './call-ledger.ts'
import type { RenderPrompt } from './fence.ts'
import type { JudgeCounters } from './judge-counters.ts'
import { waitWithin } from './judge-time.ts'
import type { ModelCaller } from './model-caller.ts'
import type { PaidAccess, ProviderAccess } from './provider-access.ts'
import { readVerdict } from './read-verdict.ts'

/** Tokens that an answer gets when it was cut off and the question had named no number. */
const EXTENDED_TOKENS = 8_192
/** Characters of a malformed answer that are shown to the model when it is asked again. */
const SHOWN_CHARS_MAX = 20_000
/** Characters of a refusal that are shown to people. */
const REFUSAL_CHARS_MAX = 200

/** The parts that all consultations share. */
export interface ConsultationDeps {
  readonly access: ProviderAccess
  readonly caller: ModelCaller
  readonly cache: AnswerCache
  readonly budgets: BudgetGuard
  readonly prices: ModelPrices
  readonly ledger: CallLedger
  readonly counters: JudgeCounters
  readonly nowMs: () => number
  readonly render: RenderPrompt
}

/** A model, where it is called and whether the evaluator named it itself. */
interface Target {
  readonly model: ModelRef
  readonly access: PaidAccess
}

type AnsweredReply = Extract<ModelReply, { kind: 'answered' }>
type Asking = Pick<ModelRequest, 'answer' | 'wantsLogprobs'> & { readonly messages: readonly ModelMessage[] }

/** One evaluation's judge: asks what is not known yet, and keeps count of what that takes. */
export class AskingConsultation implements Consultation {
  readonly #deps: ConsultationDeps
  readonly #payer: JudgePayer
  readonly #model: ModelRef
  readonly #signal: AbortSignal
  readonly #evidence: Record<string, unknown> = {}
  readonly #replaced: Record<string, number> = {}
  #asked: ModelRef | undefined
  #calls = 0
  #cachedCalls = 0
  #promptTokens = 0
  #completionTokens = 0
  /** Undefined once a call of unknown cost was made. */
  #costMicros: number | undefined = 0

  constructor(deps: ConsultationDeps, payer: JudgePayer, model: ModelRef, signal: AbortSignal) {
    this.#deps = deps
    this.#payer = payer
    this.#model = model
    this.#signal = signal
  }

  get judgement(): Judgement {
    const isEmpty = (record: object) => Object.keys(record).length === 0
    return {
      ...(this.#asked && { judge: modelName(this.#asked) }),
      calls: this.#calls,
      cachedCalls: this.#cachedCalls,
      promptTokens: this.#promptTokens,
      completionTokens: this.#completionTokens,
      ...(this.#costMicros === undefined ? {} : { costMicros: this.#costMicros }),
      ...(isEmpty(this.#evidence) ? {} : { evidence: { ...this.#evidence } }),
      ...(isEmpty(this.#replaced) ? {} : { replaced: { ...this.#replaced } }),
    }
  }

  note(name: string, evidence: unknown): void {
    this.#evidence[name] = evidence
  }

  async ask<const Shape extends ObjectShape>(question: JudgeQuestion<Shape>): Promise<AnswerOf<Shape>> {
    this.#addReplaced(question.replaced)
    const target = await this.#target(question.model)
    const sampling: Sampling = { temperature: 0, ...question.sampling }
    const { prompt, messages, answer } = question
    const key = this.#key(target, ['ask', prompt, answer, sampling, messages])
    const text = await this.#find(target, key, () => this.#verdict(target, question, sampling))
    return JSON.parse(text) as AnswerOf<Shape>
  }

  async generate(prompt: string, replaced?: Replaced): Promise<GeneratedText> {
    this.#addReplaced(replaced)
    const target = await this.#target(undefined)
    const key = this.#key(target, ['generate', prompt])
    return JSON.parse(await this.#find(target, key, () => this.#generated(target, prompt)))
  }

  async #target(named: ModelRef | undefined): Promise<Target> {
    const model = named ?? this.#model
    this.#asked = model
    const finding = this.#deps.access.find(this.#payer, model, named !== undefined)
    return { model, access: await waitWithin(finding, this.#signal) }
  }

  // The address belongs to the key: the same name may be another model at another server.
  #key({ model, access }: Target, content: readonly unknown[]): string {
    return cacheKey([modelName(model), access.baseUrl ?? '', ...content])
  }

  async #find({ model }: Target, key: string, ask: () => Promise<CachedAnswer>): Promise<string> {
    const found = await this.#deps.cache.find(this.#payer, key, this.#signal, ask)
    if (found.isCached) {
      this.#cachedCalls++
      this.#deps.counters.countCacheHit(modelName(model))
    }
    return found.answer
  }

  /** Asks once, and once more when the answer is malformed: the answer goes back as data, because it may quote the judged text. */
  async #verdict(target: Target, question: JudgeQuestion, sampling: Sampling): Promise<CachedAnswer> {
    const { render } = this.#deps
    const name = modelName(target.model)
    const asking = (messages: readonly PromptMessage[]) => ({
      messages: render(messages),
      answer: question.answer,
    })
    const first = await this.#reply(target, asking(question.messages), sampling)
    const read = readVerdict(question.answer, first.text)
    if ('answer' in read) return cachedAnswer(read.answer, [first.usage])
    this.#deps.counters.countRepair(name)
    const repair = [...question.messages, repairTurn(first.text, read.fault)]
    const second = await this.#reply(target, asking(repair), sampling)
    const again = readVerdict(question.answer, second.text)
    if ('answer' in again) return cachedAnswer(again.answer, [first.usage, second.usage])
    throw new NoVerdict('unparseable', `the judge ${name} gave no readable verdict, also when asked again`)
  }

  async #generated(target: Target, prompt: string): Promise<CachedAnswer> {
    const asking: Asking = { messages: [{ role: 'user', content: prompt }], wantsLogprobs: true }
    const { text, logprobs, usage } = await this.#reply(target, asking, { temperature: 0 })
    if (!logprobs || logprobs.length === 0)
      throw new NoVerdict(
        'abstained',
        `the judge ${modelName(target.model)} tells no log-probabilities, which this evaluator needs`,
      )
    return cachedAnswer({ text, logprobs } satisfies GeneratedText, [usage])
  }

  /** A complete reply. A reply that is cut off gets one more try with room for more. */
  async #reply(target: Target, asking: Asking, sampling: Sampling): Promise<AnsweredReply> {
    const name = modelName(target.model)
    let reply = await this.#pay(target, asking, sampling)
    if (reply.kind === 'truncated') {
      this.#deps.counters.countRepair(name)
      const maxTokens = Math.max(EXTENDED_TOKENS, 2 * (sampling.maxTokens ?? 0))
      reply = await this.#pay(target, asking, { ...sampling, maxTokens })
    }
    if (reply.kind === 'refused') throw refused(name, reply.why)
    if (reply.kind === 'answered') return reply
    throw new NoVerdict('unparseable', `the answer of the judge ${name} was cut off, also with room for more`)
  }

  /** One call with its money: set aside before, settled and written down after. */
  async #pay(target: Target, asking: Asking, sampling: Sampling): Promise<ModelReply> {
    const { prices, budgets, caller } = this.#deps
    const { model, access } = target
    const estimate: Required<ModelUsage> = {
      promptTokens: estimateTokens(asking.messages.map(({ content }) => content)),
      completionTokens: sampling.maxTokens ?? COMPLETION_TOKENS_EXPECTED,
    }
    const estimateMicros = prices.costOf(model, estimate)
    const money = await budgets.reserve(this.#payer, estimateMicros, modelName(model), this.#signal)
    try {
      const tokensEstimate = estimate.promptTokens + estimate.completionTokens
      const request = { ...asking, model, sampling }
      const { orgId } = this.#payer
      const reply = await caller.call({ request, access, orgId, tokensEstimate }, this.#signal)
      const costMicros = prices.costOf(model, reply.usage)
      money.settle(costMicros)
      this.#record(modelName(model), reply.usage, costMicros)
      return reply
    } finally {
      money.release()
    }
  }

  #record(model: string, usage: ModelUsage, costMicros: number | undefined): void {
    const { promptTokens = 0, completionTokens = 0 } = usage
    this.#calls++
    this.#promptTokens += promptTokens
    this.#completionTokens += completionTokens
    this.#costMicros =
      this.#costMicros === undefined || costMicros === undefined ? undefined : this.#costMicros + costMicros
    this.#deps.counters.countUsage(model, usage, costMicros)
    const { projectId, setup } = this.#payer
    this.#deps.ledger.addSpend({
      projectId,
      ...(setup && { setupId: setup.id }),
      atMs: this.#deps.nowMs(),
      model,
      calls: 1,
      promptTokens,
      completionTokens,
      costMicros: costMicros ?? 0,
      unpricedCalls: costMicros === undefined ? 1 : 0,
    })
  }

  #addReplaced(replaced: Replaced = {}): void {
    for (const [kind, count] of Object.entries(replaced))
      this.#replaced[kind] = (this.#replaced[kind] ?? 0) + count
  }
}

function repairTurn(answer: string, fault: string): PromptMessage {
  return {
    role: 'user',
    parts: [
      'Your answer could not be read. This is the answer:\n',
      { label: 'previous answer', data: answer.slice(0, SHOWN_CHARS_MAX) },
      '\nThis is what is wrong with it:\n',
      // It may name a field that the model made up, so it is no instruction either.
      { label: 'fault', data: fault },
      '\nAnswer the question again, with nothing but one JSON object in the form that was asked for.',
    ],
  }
}

function refused(name: string, why: string): NoVerdict {
  const said = why === '' ? '' : `: ${oneLine(why, REFUSAL_CHARS_MAX)}`
  return new NoVerdict('refused', `the judge ${name} declined to answer${said}`)
}

function cachedAnswer(answer: unknown, usages: readonly ModelUsage[]): CachedAnswer {
  const sum = (field: keyof ModelUsage) => usages.reduce((total, usage) => total + (usage[field] ?? 0), 0)
  return {
    answer: JSON.stringify(answer),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
  }
}
