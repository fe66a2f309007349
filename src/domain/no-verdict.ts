import { PublicError, type PublicErrorKind } from '../lib/public-error.ts'
import type { OutcomeStatus } from './evaluation.ts'

/**
 * | reason         | what happened                                                        | in a monitor             |
 * |----------------|----------------------------------------------------------------------|--------------------------|
 * | unparseable    | the model answered, also when asked again, but not with a verdict    | status `unparseable`     |
 * | refused        | the model declined to judge                                          | status `refused`         |
 * | over_budget    | the budget of the project or setup is spent                          | status `over_budget`     |
 * | abstained      | the judge that there is cannot be trusted with this                  | status `abstained`       |
 * | unavailable    | the provider did not answer, or turned us away                       | tried again later        |
 * | not_configured | no provider is configured for the model                              | tried again later        |
 * | deadline       | the answer took too long                                             | tried again later        |
 */
export type NoVerdictReason =
  | 'unparseable'
  | 'refused'
  | 'over_budget'
  | 'abstained'
  | 'unavailable'
  | 'not_configured'
  | 'deadline'

const KIND_OF: Readonly<Record<NoVerdictReason, PublicErrorKind>> = {
  unparseable: 'no_verdict',
  refused: 'no_verdict',
  over_budget: 'over_budget',
  abstained: 'no_verdict',
  unavailable: 'unavailable',
  not_configured: 'unavailable',
  deadline: 'deadline',
}

const STATUS_OF: Readonly<Partial<Record<NoVerdictReason, OutcomeStatus>>> = {
  unparseable: 'unparseable',
  refused: 'refused',
  over_budget: 'over_budget',
  abstained: 'abstained',
}

/** There is no verdict, and that is an answer of its own: it is never turned into a low score. */
export class NoVerdict extends PublicError {
  readonly reason: NoVerdictReason

  constructor(reason: NoVerdictReason, message: string, retryAfterMs?: number) {
    super(KIND_OF[reason], message, retryAfterMs)
    this.name = 'NoVerdict'
    this.reason = reason
  }
}

/** The status that a monitor records instead of a score; undefined where it has to be tried again. */
export function statusOf({ reason }: NoVerdict): OutcomeStatus | undefined {
  return STATUS_OF[reason]
}
