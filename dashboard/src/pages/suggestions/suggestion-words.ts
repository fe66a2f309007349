import { formatCompact, formatNumber, formatUsd } from '../../ui/format.ts'
import type { Application, Suggestion, Suggestions } from './use-suggestions.ts'

const UNITS = { span: 'call', trace: 'trace', session: 'session' } as const

/** How often an evaluator would run and its cost: "About 240 traces a day, $0.12 a day." */
export function volumeWords({ scope, state, evaluations_per_day, cost_per_day_usd }: Suggestion): string {
  const unit = `${UNITS[scope]}${evaluations_per_day === 1 ? '' : 's'}`
  const volume = `About ${formatCompact(evaluations_per_day)} ${unit} a day`
  if (state === 'free') return `${volume}, free`
  if (state === 'no_judge') return volume
  return `${volume}, ${cost_per_day_usd === undefined ? 'at a cost that is not known' : `about ${formatUsd(cost_per_day_usd)} a day`}`
}

/** The number of traces that a first backfill scores: the usual number, or all where there are fewer. */
export function backfillTraces(suggestions: Suggestions, { traces_sampled }: Application): number {
  const { backfill_traces: usual, sample_complete: isComplete } = suggestions
  return isComplete ? Math.min(usual, traces_sampled) : usual
}

/** The label of the button that accepts suggestions, with the cost of the first backfill. */
export function acceptWords(chosen: readonly Suggestion[], traces: number, usualTraces: number): string {
  const judged = chosen.filter(({ state }) => state === 'judged')
  const costs = judged.flatMap(({ backfill_cost_usd: cost }) => (cost === undefined ? [] : [cost]))
  const sum = (costs.reduce((total, cost) => total + cost, 0) * traces) / usualTraces
  const isKnown = costs.length === judged.length
  const cost = judged.length === 0 ? 'free' : isKnown ? `about ${formatUsd(sum)}` : 'cost not known'
  return `Create and score the last ${formatNumber(traces)} (${cost})`
}
