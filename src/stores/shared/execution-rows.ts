import type { StoredExecution } from '../../ports/execution-storage.ts'

export interface ExecutionRow {
  readonly evaluator: string
  readonly call: string
  readonly outcome: string | null
}

export function toStoredExecution(row: ExecutionRow): StoredExecution {
  return {
    evaluatorId: row.evaluator,
    call: row.call,
    ...(row.outcome === null ? {} : { outcome: row.outcome }),
  }
}
