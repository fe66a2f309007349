import type { Judgement } from './judgement.ts'

/** The results of evaluating one unit with one monitor. */

/**
 * | status        | meaning                                                                              |
 * |---------------|--------------------------------------------------------------------------------------|
 * | scored        | the evaluator answered; `output` holds its fields                                    |
 * | abstained     | the evaluator could answer but not honestly; no value                                |
 * | missing_input | the unit does not carry an input that the monitor's mapping asks for                 |
 * | unparseable   | a judge answered, but not with a verdict                                             |
 * | refused       | a judge declined to answer                                                           |
 * | over_budget   | the judge's budget was spent                                                         |
 * | sampled_out   | the sampling rate left the unit out; counted, no row of its own                      |
 * | skipped       | the span is no call of a model, a tool or an agent; counted, no row of its own       |
 * | cancelled     | the setup was changed or deleted before the unit's turn; counted, no row of its own  |
 * | superseded    | a newer generation took its place; kept as history                                   |
 * | error         | the evaluator refused the input or failed for good; `errorMessage` says why          |
 */
export const EVALUATION_STATUSES = [
  'scored',
  'abstained',
  'missing_input',
  'unparseable',
  'refused',
  'over_budget',
  'sampled_out',
  'skipped',
  'cancelled',
  'superseded',
  'error',
] as const
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number]

/** The statuses that an evaluation can have a row for when it is made. */
export type OutcomeStatus = Exclude<EvaluationStatus, 'sampled_out' | 'skipped' | 'cancelled' | 'superseded'>

/** The fields an evaluator answers with. */
export type EvaluationOutput = Readonly<Record<string, unknown>>

/** The result of evaluating one span; the unit is named by its place in the batch. */
export interface UnitOutcome {
  /** Place of the span among the accepted spans of its batch. */
  readonly ordinal: number
  /** 32 lower-case hex digits. */
  readonly traceId: string
  /** 16 lower-case hex digits. */
  readonly spanId: string
  readonly sessionId?: string
  /** The application that the unit belongs to; absent where nothing names one. */
  readonly application?: string
  /** When the unit began, for charts. */
  readonly unitAtMs: number
  readonly status: OutcomeStatus
  readonly output?: EvaluationOutput
  readonly errorMessage?: string
  readonly durationUs: number
  /** The span has no content of its own, which may still come as log events. Settled before the outcome is stored. */
  readonly awaitsContent?: true
  /** The judge and its use of tokens and time; absent where no judge was needed. */
  readonly judgement?: Judgement
}
