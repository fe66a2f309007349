import type { ModelUses } from './model-use.ts'
import type { UnitSet } from './unit-set.ts'

/** What the spans of one batch say about one trace. What is absent was said by none of them. */
export interface TraceDigest {
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** The spans of the batch that belong to it. */
  readonly units: UnitSet
  readonly spanCount: number
  readonly errorCount: number
  /** When the earliest of them began and the latest ended. */
  readonly firstMs: number
  readonly lastMs: number
  /** The name of the span without a parent. */
  readonly rootName?: string
  readonly service?: string
  /** Of the last call of a model. */
  readonly model?: string
  readonly sessionId?: string
  /** Calls of models, and their tokens where they say how many. */
  readonly modelCalls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** The same for each model. */
  readonly models: ModelUses
  /** A span said with `assay.trace.complete` that nothing more will come. */
  readonly isComplete: boolean
}

/** Calls of one model by one service that began in one minute. */
export interface UsageDigest {
  readonly minute: number
  /** Empty where it is not told. */
  readonly service: string
  readonly model: string
  readonly calls: number
  readonly errors: number
  /** Calls that told their tokens. */
  readonly countedCalls: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** How long each call took. */
  readonly durationsMs: readonly number[]
}

/** What one batch says about traces and about what models were used for. */
export interface BatchDigest {
  readonly batchId: number
  readonly traces: readonly TraceDigest[]
  readonly usage: readonly UsageDigest[]
}
