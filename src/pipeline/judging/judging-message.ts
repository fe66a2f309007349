import type { CustomEvaluator } from '../../domain/custom-evaluator.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { MonitorVersion } from '../../domain/monitor.ts'
import type { NoVerdictReason } from '../../domain/no-verdict.ts'
import type { UnitSet } from '../../domain/unit-set.ts'
import type { EmbeddedUse } from '../../evaluators/embedded-judge.ts'
import type { PublicErrorKind } from '../../lib/public-error.ts'
import type { SpanContent } from '../../ports/content-storage.ts'
import type { JudgeQuestion, Replaced } from '../../ports/judge.ts'
import type { StoredBatch } from '../../ports/span-storage.ts'
import type { OwnModels } from '../../ports/text-classifier.ts'
import type { PrivacyMode } from './privacy-gate.ts'

/** Where the evaluator of a call is found: in the catalogue, or in the call itself. */
export type EvaluatorSource = { readonly slug: string } | { readonly custom: CustomEvaluator }

/** A call of an evaluator: the bytes of an execute request, or what is in them. */
export type EvaluatorCall = Uint8Array | { readonly input: unknown; readonly config?: unknown }

/** Spans of one batch that one monitor version has to evaluate with a judge. */
export interface JudgingWork {
  readonly version: MonitorVersion
  readonly evaluator: EvaluatorSource
  readonly units: UnitSet
}

/** Which evaluation is meant: the unit of one of the works of a call, or the only one that an execute call has. */
export interface EvaluationPlace {
  readonly call: number
  readonly work: number
  readonly ordinal: number
}

/** A message to the thread. `call` names a call until it ends; an answer goes to the question of that number. */
export type ToJudgingThread =
  | {
      readonly kind: 'execute'
      readonly call: number
      readonly evaluator: EvaluatorSource
      readonly body: EvaluatorCall
    }
  | {
      readonly kind: 'score'
      readonly call: number
      readonly batch: StoredBatch
      readonly works: readonly JudgingWork[]
      readonly unitsAtOnce: number
      /** Log events that belong to spans of the batch. */
      readonly contents: readonly SpanContent[]
    }
  | ({ readonly kind: 'score whole'; readonly call: number } & WholeUnit)
  | { readonly kind: 'answer'; readonly question: number; readonly answer: unknown }
  | { readonly kind: 'no answer'; readonly question: number; readonly error: CarriedError }
  /** No caller waits for the call any more: no further unit of it is begun. */
  | { readonly kind: 'abandon'; readonly call: number }
  | { readonly kind: 'ping' }

/** Spans of one batch that belong to a unit. */
export interface UnitPart {
  readonly batch: StoredBatch
  readonly ordinals: readonly number[]
}

/** A trace or a session that one monitor version has to evaluate as a whole. */
export interface WholeUnit {
  readonly version: MonitorVersion
  readonly evaluator: EvaluatorSource
  readonly parts: readonly UnitPart[]
  /** Log events that belong to its spans. */
  readonly contents: readonly SpanContent[]
  /** How many spans it has, also those that are not among the parts. */
  readonly spanCount: number
  readonly ids: Omit<UnitIds, 'ordinal'>
  /** Whether it has to wait for its root and for missing parents. */
  readonly mustBeComplete: boolean
}

/** A unit that has no outcome yet, because the judge could not be reached. */
export interface PutOff {
  readonly reason: NoVerdictReason
  readonly message: string
  readonly retryAfterMs?: number
}

/** Names a unit, for an outcome that its thread could not give any more. */
export type UnitIds = Pick<
  UnitOutcome,
  'ordinal' | 'traceId' | 'spanId' | 'unitAtMs' | 'sessionId' | 'application'
>

/** The end of one unit. `lost`: it has no span, because its batch cannot be read, or has fewer. */
export type UnitEnding =
  | { readonly outcome: UnitOutcome }
  | { readonly putOff: PutOff; readonly ids: UnitIds }
  | { readonly sampledOut: true }
  | { readonly lost: string }
  /** A trace that has to wait: why. */
  | { readonly notReady: string }

/** The evidence for a verdict, by name. */
export type Evidence = Readonly<Record<string, unknown>>

/** A message from the thread. */
export type FromJudgingThread =
  /** It has loaded, or answers a ping. */
  | { readonly kind: 'alive' }
  | {
      readonly kind: 'ask'
      readonly at: EvaluationPlace
      readonly question: number
      readonly asked: JudgeQuestion
    }
  | {
      readonly kind: 'generate'
      readonly at: EvaluationPlace
      readonly question: number
      readonly prompt: string
      readonly replaced?: Replaced
    }
  | { readonly kind: 'begun'; readonly at: EvaluationPlace; readonly ids: UnitIds }
  | {
      readonly kind: 'unit'
      readonly at: EvaluationPlace
      /** Only a single span is ever skipped. */
      readonly ending: UnitEnding | { readonly skipped: true }
      readonly evidence?: Evidence
    }
  | {
      readonly kind: 'output'
      readonly call: number
      readonly output: Record<string, unknown>
      readonly evidence?: Evidence
    }
  | { readonly kind: 'failed'; readonly call: number; readonly error: CarriedError }
  /** All units of a `score` call have ended. */
  | { readonly kind: 'done'; readonly call: number }
  | { readonly kind: 'bug'; readonly slug: string; readonly bug: string }

/** An error on its way between threads, where classes do not survive. */
export type CarriedError =
  | { readonly kind: PublicErrorKind; readonly message: string; readonly retryAfterMs?: number }
  | { readonly reason: NoVerdictReason; readonly message: string; readonly retryAfterMs?: number }
  | { readonly bug: Error }

/** The data that the thread is started with. */
export interface JudgingThreadData {
  readonly privacy: PrivacyMode
  readonly ownModels?: OwnModels
  /** The permitted use of the embedded judge in monitors; when absent, it scores where it is good. */
  readonly embeddedUse?: EmbeddedUse
}
