import { formatNumber } from './format.ts'

/** A mean now and in the previous period. */
export interface Course {
  readonly mean: number | null
  readonly previous_mean: number | null
  /** The mean is a share, and its change is told in points. */
  readonly is_share: boolean
  /** The direction in which it gets better, by the rule of the evaluator; null where neither is. */
  readonly better: 'higher' | 'lower' | null
}

export interface ScoreChange {
  /** For example "3 points worse". */
  readonly words: string
  readonly tone: 'good' | 'bad' | 'quiet'
  readonly sign: '▲' | '▼' | ''
}

const POINTS = 100
/** A smaller change of a share is not told: means of few results move by more. */
const POINT_DIGITS = 1

/** The change of a mean in words; undefined where there is nothing to compare with. */
export function changeWords({
  mean,
  previous_mean: before,
  is_share,
  better,
}: Course): ScoreChange | undefined {
  if (mean === null || before === null) return undefined
  const change = mean - before
  const size = Math.abs(change)
  const shown = formatNumber(is_share ? Number((size * POINTS).toFixed(POINT_DIGITS)) : size)
  if (shown === formatNumber(0)) return { words: 'unchanged', tone: 'quiet', sign: '' }
  const direction = change > 0 ? 'higher' : 'lower'
  const amount = is_share ? `${shown} ${shown === '1' ? 'point' : 'points'}` : shown
  const sign = change > 0 ? '▲' : '▼'
  if (better === null) return { words: `${amount} ${direction}`, tone: 'quiet', sign }
  return better === direction
    ? { words: `${amount} better`, tone: 'good', sign }
    : { words: `${amount} worse`, tone: 'bad', sign }
}
