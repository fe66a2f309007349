import type { UnitOutcome } from '../../domain/evaluation.ts'

/** An outcome that takes the place of an earlier one of the same unit. */
export interface NextGeneration {
  readonly projectNumber: number
  readonly monitorVersion: number
  /** Absent where the unit does not lie in one batch. */
  readonly batchId?: number
  readonly outcome: UnitOutcome
  readonly generation: number
  /** The number of the evaluation that becomes history; null where there is none. */
  readonly superseded: number | null
}

/** No batch has this id. */
export const NO_BATCH = 0
