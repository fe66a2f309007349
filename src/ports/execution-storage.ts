import type { ProjectTenant } from '../domain/tenant.ts'

/** A call of an evaluator that was accepted and whose answer is fetched later. */
export interface NewExecution {
  readonly id: string
  readonly evaluatorId: string
  /** JSON text of the call: input, config, version. */
  readonly call: string
  readonly atMs: number
}

/** The stored state of an execution. */
export interface StoredExecution {
  readonly evaluatorId: string
  /** Empty once there is an outcome. */
  readonly call: string
  /** JSON text of what came of it; absent as long as there is nothing that stays. */
  readonly outcome?: string
}

/** How much may wait for an outcome in one project at the same time. */
export interface ExecutionLimits {
  readonly openMax: number
  readonly openCharsMax: number
}

/** Executions of a project. An accepted one survives a restart and is kept for `EXECUTION_MS_MAX`. */
export interface ExecutionStorage {
  createExecution(
    tenant: ProjectTenant,
    execution: NewExecution,
    limits: ExecutionLimits,
  ): Promise<'created' | 'full'>
  /** Undefined when the project has none of that id that is still kept at that time. */
  getExecution(tenant: ProjectTenant, id: string, atMs: number): Promise<StoredExecution | undefined>
  /** The first outcome stays; the call is forgotten with it. */
  finishExecution(tenant: ProjectTenant, id: string, outcome: string): Promise<void>
}
