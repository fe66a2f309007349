import { formatNumber, formatPercent, formatUsd } from '../../ui/format.ts'
import { bindingErrorWords } from './setup-status-words.ts'
import type { DryRun, Trial } from './use-dry-run.ts'

/** `Matches 132 of the last 1,000 spans.`, or of all spans of a time such as `Last 24 hours`. */
export function matchWords({ matched, looked }: DryRun, timeLabel: string): string {
  const spans = formatNumber(looked.spans)
  const among = looked.complete
    ? `the ${spans} spans of the ${timeLabel.toLowerCase()}`
    : `the last ${spans} spans`
  return `Matches ${formatNumber(matched)} of ${among}.`
}

/** The cost of the judges of all evaluators; undefined where none is asked. */
export function costWords(trials: readonly Trial[]): string | undefined {
  const judged = trials.filter(({ judge }) => judge !== undefined)
  if (judged.length === 0) return undefined
  const known = judged.flatMap(({ per_day }) => (per_day?.cost_usd === undefined ? [] : [per_day.cost_usd]))
  const sum = known.reduce((total, cost) => total + cost, 0)
  const unknown = judged.length - known.length
  if (known.length === 0) return 'The daily cost of the judges is not known.'
  const more =
    unknown > 0
      ? `, and ${unknown === 1 ? 'one more judge' : `${unknown} more judges`} whose cost is not known`
      : ''
  const isGuess = judged.some(({ per_day }) => per_day?.basis === 'input_lengths')
  return `About ${formatUsd(sum)} a day for judges${more}${isGuess ? ' (estimated from text lengths)' : ''}.`
}

/** How far the spans have what an evaluator needs. */
export interface TrialWords {
  readonly tone: 'good' | 'warn' | 'bad' | 'neutral'
  readonly label: string
  readonly lines: readonly string[]
}

export function trialWords(trial: Trial): TrialWords {
  const { error_message, checked = 0, missing_inputs = {}, input_error, scope } = trial
  const unit = scope === 'trace' ? 'traces' : scope === 'session' ? 'sessions' : 'spans'
  const missing = Object.entries(missing_inputs).filter(([, count]) => count > 0)
  const lines = [
    ...(error_message ? [bindingErrorWords(error_message)] : []),
    ...missing.map(
      ([input, count]) =>
        `${input} is missing in ${formatPercent(count / checked)} of ${formatNumber(checked)} ${unit}`,
    ),
    ...(input_error ? [input_error] : []),
  ]
  if (error_message) return { tone: 'bad', label: 'Cannot start', lines }
  if (checked === 0)
    return { tone: 'neutral', label: 'Not tried', lines: [...lines, 'No matching spans to look at.'] }
  if (lines.length > 0) return { tone: 'warn', label: 'Inputs missing', lines }
  return {
    tone: 'good',
    label: 'Ready',
    lines: [`All inputs are there in ${formatNumber(checked)} ${unit}.`],
  }
}

/** The difference from the stored setup of the same name. */
export function changeWords({ gained, lost }: DryRun): string | undefined {
  if (gained === undefined || lost === undefined) return undefined
  if (gained === 0 && lost === 0) return 'Matches the same spans as the saved setup.'
  const parts = [
    gained > 0 ? `${formatNumber(gained)} more` : '',
    lost > 0 ? `${formatNumber(lost)} fewer` : '',
  ]
  return `Compared with the saved setup: ${parts.filter(Boolean).join(' and ')}.`
}
