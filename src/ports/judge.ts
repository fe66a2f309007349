import type { AnswerOf, ObjectShape } from '../domain/answer-shape.ts'
import type { Judgement, ModelRef } from '../domain/judgement.ts'
import type { OrgTenant, ProjectTenant } from '../domain/tenant.ts'
import type { ModelAccess } from './model-client.ts'

/**
 * A piece of a prompt: a text of ours (or of the author of a custom evaluator), which is an instruction, or data that is
 * judged. Data is never an instruction: it reaches the model inside a fence that is random per call.
 */
export type PromptPart = string | { readonly label: string; readonly data: string }

/** One turn of a prompt. */
export interface PromptMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly PromptPart[]
}

/** How the model is to answer; everything absent is left to the provider, but for the temperature, which is 0. */
export interface Sampling {
  readonly temperature?: number
  readonly topP?: number
  readonly frequencyPenalty?: number
  readonly presencePenalty?: number
  readonly maxTokens?: number
  readonly stop?: readonly string[]
}

/** One question to a judge. */
export interface JudgeQuestion<Shape extends ObjectShape = ObjectShape> {
  /** Names the prompt and its version, `faithfulness/verify@1`; a changed text is a new version. */
  readonly prompt: string
  readonly messages: readonly PromptMessage[]
  readonly answer: Shape
  /** Instead of the judge that is configured. */
  readonly model?: ModelRef
  readonly sampling?: Sampling
  /**
   * The number of replacements that the privacy gate has made in it, by kind; the author of the question leaves it out.
   */
  readonly replaced?: Replaced
}

/** How many pieces of personal data and secrets were replaced, by kind. */
export type Replaced = Readonly<Record<string, number>>

/** A text that a model made and how sure it was of each token. */
export interface GeneratedText {
  readonly text: string
  /** Natural logarithms of the probabilities of the tokens, in order. */
  readonly logprobs: readonly number[]
}

/**
 * A judge that can be asked. Every failure to give a verdict is a `NoVerdict` that says why; anything else that is thrown
 * is a bug. Answers are complete and have the shape to the letter.
 */
export interface Judge {
  ask<const Shape extends ObjectShape>(question: JudgeQuestion<Shape>): Promise<AnswerOf<Shape>>
  /** Answers a prompt as an assistant would, unfenced: here the text is the task itself and nothing is judged. */
  generate(prompt: string, replaced?: Replaced): Promise<GeneratedText>
  /** Keeps what a verdict rests on; it is stored beside the score and shown to people. Later notes of a name win. */
  note(name: string, evidence: unknown): void
}

/** For whom a judge is asked: whose keys are used, whose budgets are charged, whose cache is read. */
export interface JudgePayer extends ProjectTenant {
  /** The setup that a monitor belongs to; absent for an execute call. */
  readonly setup?: { readonly id: string; readonly externalId: string }
}

/** A judge for one evaluation, and what asking it has taken so far. */
export interface Consultation extends Judge {
  readonly judgement: Judgement
}

/** `failing`: it is not called for a while. `resting`: it asked to be left alone, or one call is finding out how it is. */
export type ProviderCondition = 'ready' | 'failing' | 'resting'

/** A provider that an organization can use, as this process has found it. */
export interface KnownProvider {
  readonly provider: string
  readonly configuredBy: 'operator' | 'organization'
  readonly condition: ProviderCondition
  /** Calls of this organization that are under way. */
  readonly usedSlots: number
  /** Calls of this organization that wait for a place. */
  readonly waitingCalls: number
}

/** Tells how providers are. Nothing is asked of them for it. */
export interface ProviderOverview {
  /** In a fixed order; of a provider with a key of the organization's own only that one, because no other is used. */
  providersOf(tenant: OrgTenant): Promise<KnownProvider[]>
}

/**
 * Where the choice of a default judge comes from: a setting of the service, the organization, or the only key there is, whose
 * provider has a usual model.
 */
export type JudgeSource = 'environment' | 'organization' | 'provider_key'

/** The model that judges by default, and where that choice comes from. */
export interface DefaultJudge {
  readonly model: ModelRef
  readonly source: JudgeSource
}

/** The outcome of asking a model one short question. */
export interface JudgeTest {
  readonly durationMs: number
  readonly promptTokens?: number
  readonly completionTokens?: number
  /** In millionths of a US dollar; absent when the price is not known or nothing was answered. */
  readonly costMicros?: number
  /** Why there was no usable answer, in words; absent: it answered. */
  readonly problem?: string
}

/** The judge of an organization: which one it is, and whether it answers. */
export interface JudgeSettings {
  /** The model that judges by default; undefined: there is only the embedded judge. */
  defaultJudge(tenant: OrgTenant): Promise<DefaultJudge | undefined>
  /** Has the keys and the default judge of an organization read again, because they were changed. */
  forget(tenant: OrgTenant): void
  /** Asks once, with `access` or else with the key that the organization would use; paid and counted like a question. */
  testModel(
    payer: JudgePayer,
    model: ModelRef,
    access: ModelAccess | undefined,
    signal: AbortSignal,
  ): Promise<JudgeTest>
}

/** Where judges are found. It holds the limits, the cache and the budgets, and so there is one in a process. */
export interface JudgeDesk {
  /** The model that judges for an organization when nothing else is said; undefined: there is only the embedded judge. */
  defaultModel(tenant: OrgTenant): Promise<ModelRef | undefined>
  /**
   * Opens a consultation. Its questions go to `model`, where they do not name another. When the signal aborts, or the time is
   * over, what is being asked ends with `NoVerdict` of the reason `deadline`; with `unavailable` where the provider had
   * said that it is busy and was being waited for.
   */
  open(payer: JudgePayer, model: ModelRef, signal: AbortSignal): Consultation
  /** Writes what is still to be written. */
  close(): Promise<void>
}
