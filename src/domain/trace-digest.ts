import type { ModelUses } from './model-use.ts'
import type { UnitSet } from './unit-set.ts'

/** A summary of one batch's spans of one trace. An absent field was in none of them. */
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

/** A version of an application that spans came from. */
export interface DeploymentDigest {
  readonly application: string
  readonly version: string
  /** When the earliest and the latest of these spans began; 0 where none of them tells. */
  readonly firstMs: number
  readonly lastMs: number
}

/** A summary of one batch: its traces, its use of models and the versions that it came from. */
export interface BatchDigest {
  readonly batchId: number
  readonly traces: readonly TraceDigest[]
  readonly usage: readonly UsageDigest[]
  /** Absent where no resource names a version. */
  readonly deployments?: readonly DeploymentDigest[]
}
