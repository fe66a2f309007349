import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { StoredVerdict } from './stored-verdict.ts'

/** An outcome, to whom it belongs and the batch in which its unit lies. */
export interface NewEvaluation {
  readonly projectNumber: number
  readonly monitorVersion: number
  readonly batchId: number
  readonly generation: number
  readonly outcome: UnitOutcome
  readonly verdict: StoredVerdict | null
  /** The number of its application. */
  readonly application: number
}

/** A column of `evaluations` and its value in a new row. */
export interface EvaluationColumn {
  readonly name: string
  /** An id is bytes, which the value has in hexadecimal. */
  readonly type: 'number' | 'fraction' | 'text' | 'id'
  readonly read: (evaluation: NewEvaluation) => string | number | null
}

/** All columns that are filled with what is known of an evaluation; its number and its time come from the store. */
export const EVALUATION_COLUMNS: readonly EvaluationColumn[] = [
  { name: 'project_number', type: 'number', read: ({ projectNumber }) => projectNumber },
  { name: 'monitor_version', type: 'number', read: ({ monitorVersion }) => monitorVersion },
  { name: 'batch_id', type: 'number', read: ({ batchId }) => batchId },
  { name: 'generation', type: 'number', read: ({ generation }) => generation },
  { name: 'trace_id', type: 'id', read: ({ outcome }) => outcome.traceId },
  { name: 'span_id', type: 'id', read: ({ outcome }) => outcome.spanId },
  { name: 'session_id', type: 'text', read: ({ outcome }) => outcome.sessionId ?? null },
  { name: 'ordinal', type: 'number', read: ({ outcome }) => outcome.ordinal },
  { name: 'unit_at_ms', type: 'number', read: ({ outcome }) => outcome.unitAtMs },
  { name: 'duration_us', type: 'number', read: ({ outcome }) => outcome.durationUs },
  { name: 'status', type: 'text', read: ({ outcome }) => outcome.status },
  { name: 'value', type: 'fraction', read: ({ outcome }) => firstValue(outcome) },
  { name: 'verdict', type: 'number', read: ({ verdict }) => verdict },
  { name: 'application', type: 'number', read: ({ application }) => application },
  { name: 'output', type: 'text', read: ({ outcome }) => jsonOf(outcome.output) },
  { name: 'error_message', type: 'text', read: ({ outcome }) => outcome.errorMessage ?? null },
  { name: 'judgement', type: 'text', read: ({ outcome }) => jsonOf(outcome.judgement) },
]

function jsonOf(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** The value that filters compare: the first number or boolean of the output, in the order of its schema. */
function firstValue({ output = {} }: UnitOutcome): number | null {
  const first = Object.values(output).find((value) => typeof value === 'number' || typeof value === 'boolean')
  return first === undefined ? null : Number(first)
}
