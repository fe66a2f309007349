import { formatNumber } from '../../ui/format.ts'
import { ScoreChange } from '../../ui/score-change.tsx'
import { type Comparison, comparePeriods } from './compare-periods.ts'
import type { Series } from './monitor-queries.ts'

const REASONS: Readonly<Record<Extract<Comparison, { reason: string }>['reason'], string>> = {
  'nothing before': 'Nothing was scored in the previous period, so there is nothing to compare with.',
  'nothing now': 'Nothing was scored in this period, so there is nothing to compare.',
  versions:
    'The periods have scores of different monitor versions, which are not compared. Choose one version.',
  aggregation: 'The chart shows both periods. Percentiles of a whole period are not compared.',
}

interface PeriodComparisonProps {
  readonly name: string
  readonly shown: Series
  readonly previous: Series
  readonly format: (value: number) => string
}

/** The difference between the period that is shown and the one before it, in words. */
export function PeriodComparison({ name, shown, previous, format }: PeriodComparisonProps) {
  const compared = comparePeriods(shown, previous)
  if ('reason' in compared) return <p className="quiet">{REASONS[compared.reason]}</p>
  const { now, before } = compared
  const isPassRate = shown.aggregation === 'pass_rate'
  return (
    <p>
      {`${name}: ${format(now.value)} (n = ${formatNumber(now.count)}), was ${format(before.value)} ` +
        `(n = ${formatNumber(before.count)}) in the previous period. `}
      <ScoreChange
        course={{
          mean: now.value,
          previous_mean: before.value,
          is_share: format(1) !== formatNumber(1),
          better: isPassRate ? 'higher' : null,
        }}
      />
    </p>
  )
}
