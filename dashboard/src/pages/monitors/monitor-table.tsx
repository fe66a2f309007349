import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { components } from '../../api/schema.gen.ts'
import { Status } from '../../ui/badge.tsx'
import { formatScore } from '../../ui/format.ts'
import { ScoreChange } from '../../ui/score-change.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { rangeLabel, rangeText, type TimeRange } from '../../ui/time-range.ts'
import type { Monitor } from './monitor-queries.ts'
import { groupOutcomes, OutcomeBar } from './outcomes.tsx'

/** How a monitor fares, as the overview tells it. */
export type MonitorSummary = components['schemas']['OverviewMonitor']

interface MonitorTableProps {
  readonly monitors: readonly Monitor[]
  readonly summaries: ReadonlyMap<string, MonitorSummary> | undefined
  readonly range: TimeRange
  readonly empty: ReactNode
}

export function MonitorTable({ monitors, summaries, range, empty }: MonitorTableProps) {
  const columns: Column<Monitor>[] = [
    { title: 'Monitor', cell: (monitor) => <Name {...monitor} range={range} /> },
    { title: 'State', cell: ({ status }) => <Status of={status} />, isSecondary: true },
    { title: 'Mean', isNumber: true, cell: ({ id }) => <Mean summary={summaries?.get(id)} /> },
    {
      title: rangeLabel(range),
      isSecondary: true,
      cell: ({ id }) => <Course summary={summaries?.get(id)} />,
    },
    {
      title: 'Outcomes',
      isSecondary: true,
      cell: ({ counts }) => <OutcomeBar outcomes={groupOutcomes(counts)} />,
    },
    {
      title: 'Last result',
      cell: ({ last_run_at }) =>
        last_run_at ? <Time at={last_run_at} as="ago" /> : <span className="quiet">None yet</span>,
    },
  ]
  return <Table label="Monitors" columns={columns} rows={monitors} keyOf={({ id }) => id} empty={empty} />
}

function Name({ id, evaluator_type, external_id, range }: Monitor & { range: TimeRange }) {
  return (
    <span className="monitors-name">
      <Link href={`/monitors/${id}?${rangeText(range)}`}>{evaluator_type}</Link>
      <span className="quiet small">{external_id}</span>
    </span>
  )
}

function Mean({ summary }: { summary: MonitorSummary | undefined }) {
  if (!summary || summary.mean === null) return <span className="quiet">–</span>
  const { mean, previous_mean: before, is_share: isShare } = summary
  return (
    <span className="monitors-name" title={summary.property ?? undefined}>
      <strong>{formatScore(mean, isShare)}</strong>
      {before === null ? (
        <span className="quiet small">no earlier data</span>
      ) : (
        <ScoreChange course={summary} />
      )}
    </span>
  )
}

function Course({ summary }: { summary: MonitorSummary | undefined }) {
  if (!summary?.points.some(({ value }) => value !== null)) return <span className="quiet">–</span>
  return (
    <Sparkline
      label={`${summary.property ?? 'Score'} over time`}
      values={summary.points.map(({ value }) => value)}
    />
  )
}
