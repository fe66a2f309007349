import type { CustomEvaluator } from '../../../domain/custom-evaluator.ts'
import { summarizeTrial, type TrialSummary, type TriedRow } from '../../../domain/trial.ts'
import { defined } from '../../../lib/defined.ts'
import type { TrialResult } from '../../../pipeline/execute/run-trial.ts'
import { toUsd } from '../../wire/usd.ts'
import type { TrialLabels } from './trial-labels.ts'
import { toWireTried } from './tried-wire.ts'

/** The facts about a trial that its lines need. */
export interface TrialContext {
  readonly candidates: readonly CustomEvaluator[]
  readonly labels: TrialLabels
  readonly rows: number
}

/** The results of a trial as lines of JSON, and at last a line that sums them up. */
export async function* trialLines(
  results: AsyncIterable<TrialResult>,
  context: TrialContext,
): AsyncGenerator<string> {
  const { candidates, labels, rows } = context
  const tried: TriedRow[][] = candidates.map(() => [])
  const verdicts = new Map<number, (string | undefined)[]>()
  for await (const result of results) {
    const { row, candidate } = result
    const label = labels[row]?.[candidate]
    const { outcome } = result
    const verdict = 'problem' in outcome ? undefined : outcome.verdict
    const costMicros = 'problem' in outcome ? undefined : outcome.judgement?.costMicros
    tried[candidate]?.push(defined({ verdict, label, costMicros }))
    const ofRow = verdicts.get(row) ?? []
    ofRow[candidate] = verdict ?? 'none'
    verdicts.set(row, ofRow)
    yield `${JSON.stringify({ result: toWireResult(result, context) })}\n`
  }
  const summary = {
    rows,
    candidates: tried.map((each) => toWireSummary(summarizeTrial(each))),
    ...(candidates.length === 2 ? { differences: countDifferences(verdicts.values()) } : {}),
  }
  yield `${JSON.stringify({ summary })}\n`
}

function toWireResult({ row, candidate, durationMs, outcome }: TrialResult, context: TrialContext) {
  const rule = context.candidates[candidate]?.verdict
  const label = context.labels[row]?.[candidate]
  if ('problem' in outcome || !rule)
    return { row, candidate, ...defined({ label }), ...outcome, duration_ms: Math.round(durationMs) }
  return { row, candidate, ...defined({ label }), ...toWireTried(outcome, rule, durationMs) }
}

function toWireSummary({ costMicros, unpriced, labelled, equal, agreement, ...counts }: TrialSummary) {
  return {
    ...counts,
    cost_usd: toUsd(costMicros),
    unpriced,
    labelled,
    equal,
    ...defined({ accuracy: agreement?.share, kappa: agreement?.kappa }),
  }
}

/** Rows on which both candidates came to an end, and not to the same one. */
function countDifferences(verdicts: Iterable<readonly (string | undefined)[]>): number {
  let count = 0
  for (const [first, second] of verdicts)
    if (first !== undefined && second !== undefined && first !== second) count++
  return count
}
