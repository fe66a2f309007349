import type { ReactNode } from 'react'
import type { components } from '../../api/schema.gen.ts'
import { formatCompact, formatCount, formatDuration, formatPercent, formatUsd } from '../../ui/format.ts'

/** The few numbers that say how everything is. */
export function Totals({ overview }: { overview: components['schemas']['Overview'] }) {
  const { totals, judge_spend: spend, monitors } = overview
  const active = monitors.filter(({ status }) => status === 'active').length
  const failedShare = totals.evaluations > 0 ? totals.failed / totals.evaluations : null
  return (
    <dl className="totals">
      <Total name="Evaluations" note={`by ${formatCount(active, 'active monitor')}`}>
        {formatCompact(totals.evaluations)}
      </Total>
      <Total name="Failed" note={formatCount(totals.failed, 'evaluation')} isBad={(failedShare ?? 0) > 0.05}>
        {failedShare === null ? '–' : formatPercent(failedShare)}
      </Total>
      <Total name="Waiting" note={waitNote(totals.lag_seconds, totals.lag_in_spans)}>
        {formatCompact(totals.lag_in_spans)}
      </Total>
      <Total
        name="Judges today"
        note={spendNote(spend)}
        isBad={isOver(spend.today_usd, spend.day_budget_usd)}
      >
        {formatUsd(spend.today_usd)}
        {spend.day_budget_usd === null ? null : (
          <span className="quiet total-of"> of {formatUsd(spend.day_budget_usd)}</span>
        )}
      </Total>
    </dl>
  )
}

function waitNote(seconds: number | null, spans: number): string {
  if (spans === 0) return 'nothing waits to be scored'
  return seconds === null ? 'spans to be scored' : `the oldest for ${formatDuration(seconds * 1_000)}`
}

function spendNote({
  month_usd: month,
  month_budget_usd: budget,
  unpriced_calls: unpriced,
}: components['schemas']['Overview']['judge_spend']): string {
  const limit = budget === null ? '' : ` of ${formatUsd(budget)}`
  const unknown = unpriced > 0 ? `; ${formatCount(unpriced, 'call')} of unknown price` : ''
  return `${formatUsd(month)}${limit} this month${unknown}`
}

const isOver = (spent: number, budget: number | null) => budget !== null && spent >= 0.9 * budget

function Total(props: { name: string; note: string; isBad?: boolean; children: ReactNode }) {
  return (
    <div className={`card total ${props.isBad ? 'total-bad' : ''}`}>
      <dt className="quiet">{props.name}</dt>
      <dd>
        <span className="total-value number">{props.children}</span>
        <span className="quiet small">{props.note}</span>
      </dd>
    </div>
  )
}
