import { applicationOf } from '../../domain/application.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { NoVerdict, statusOf } from '../../domain/no-verdict.ts'
import { defined } from '../../lib/defined.ts'
import { oneLine } from '../../lib/one-line.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { SpanContent } from '../../ports/content-storage.ts'
import type { Judge } from '../../ports/judge.ts'
import type { PreparedMonitor } from '../scoring/prepared-monitors.ts'
import type { SpanUnit } from '../scoring/span-unit.ts'
import type { UnitEnding, UnitIds, UnitPart, WholeUnit } from './judging-message.ts'
import { type ReadUnit, readUnitSpans } from './whole-unit.ts'

/** Longest message of an evaluation. */
const MESSAGE_CHARS_MAX = 500

/** How a unit is evaluated. */
export interface UnitEvaluation {
  readonly monitor: PreparedMonitor<Judge>
  /** The judge that answers the evaluator's questions and keeps its notes. */
  readonly judge: Judge
  readonly startedMs: number
  /** The evaluator threw something that is neither about its input nor about its judge. */
  onBug(error: unknown): void
}

/** Evaluates one unit; whatever happens is an ending. */
export async function evaluateUnit(
  unit: Pick<SpanUnit, 'ids' | 'read' | 'outcome' | 'awaitsContent'>,
  { monitor, judge, startedMs, onBug }: UnitEvaluation,
): Promise<UnitEnding> {
  const ended = (
    result: Pick<UnitOutcome, 'status' | 'output' | 'errorMessage' | 'awaitsContent'>,
  ): UnitEnding => {
    const durationUs = Math.round((performance.now() - startedMs) * 1_000)
    return { outcome: unit.outcome({ ...result, durationUs }) }
  }
  const failed = (status: UnitOutcome['status'], message: string, more = {}) =>
    ended({ status, errorMessage: oneLine(message, MESSAGE_CHARS_MAX), ...more })
  try {
    if (monitor.fault !== undefined) return failed('error', monitor.fault)
    const answer = await monitor.evaluate(unit.read(), judge)
    if ('output' in answer) return ended({ status: 'scored', output: answer.output })
    const awaits = unit.awaitsContent ? { awaitsContent: true } : {}
    return failed('missing_input', `the span does not carry input ${answer.missing}`, awaits)
  } catch (error) {
    if (error instanceof NoVerdict) {
      const status = statusOf(error)
      if (status !== undefined) return failed(status, error.message)
      const { reason, message, retryAfterMs } = error
      const putOff = { reason, message, ...defined({ retryAfterMs }) }
      return { putOff, ids: unit.ids }
    }
    if (error instanceof PublicError) return failed('error', error.message)
    onBug(error)
    return failed('error', 'the evaluator failed on this span')
  }
}

/** Evaluates a trace or a session as a whole, if it can be read and is complete where it has to be. */
export async function evaluateWhole(
  { parts, contents, spanCount, ids, mustBeComplete }: Omit<WholeUnit, 'version' | 'evaluator'>,
  evaluation: UnitEvaluation,
): Promise<UnitEnding> {
  const read = tryRead(parts, contents)
  if (read === undefined || typeof read === 'string') return { lost: read ?? 'no span of it is kept' }
  if (mustBeComplete && read.gap !== undefined) return { notReady: read.gap }
  const { judge } = evaluation
  if (read.readCount < spanCount || read.isSampled)
    judge.note('sampled', { spans: spanCount, read: read.readCount })
  if (read.gap !== undefined) judge.note('incomplete', read.gap)
  const { span } = read.from
  const application = applicationOf(span.resource, (name) => span.attributes.get(name))
  const { application: _guessed, ...named } = ids
  const whole = { ...named, ordinal: read.ordinal, ...defined({ application }) }
  const unit = {
    ids: whole,
    read: () => read.from,
    // A trace has been waited for already, until no more of it came.
    awaitsContent: false,
    outcome: (result: Omit<UnitOutcome, keyof UnitIds | 'judgement'>): UnitOutcome => ({
      ...whole,
      ...result,
    }),
  }
  return evaluateUnit(unit, evaluation)
}

function tryRead(
  parts: readonly UnitPart[],
  contents: readonly SpanContent[],
): ReadUnit | string | undefined {
  try {
    return readUnitSpans(parts, contents)
  } catch (error) {
    return `its spans cannot be read: ${error instanceof Error ? error.message : String(error)}`
  }
}
