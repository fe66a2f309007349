import { Link } from 'wouter'
import type { components } from '../../api/schema.gen.ts'
import { Badge, Status } from '../../ui/badge.tsx'
import { formatCompact, formatScore } from '../../ui/format.ts'
import { ScoreChange } from '../../ui/score-change.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'

type Monitor = components['schemas']['OverviewMonitor']

/** One monitor at a glance: its score now, where it comes from, how much it has seen. */
export function MonitorCard({ monitor }: { monitor: Monitor }) {
  const {
    id,
    evaluator_type: evaluator,
    external_id: setup,
    mean,
    is_share: isShare,
    property,
    points,
  } = monitor
  return (
    <li className="card monitor-card">
      <div className="monitor-card-head">
        <h3>
          <Link href={`/monitors/${encodeURIComponent(id)}`}>{evaluator}</Link>
        </h3>
        {monitor.status === 'active' ? null : <Status of={monitor.status} />}
      </div>
      <p className="quiet small monitor-card-setup">{setup}</p>
      <div className="monitor-card-score">
        <div>
          <span className="total-value number">{formatScore(mean, isShare)}</span>{' '}
          <ScoreChange course={monitor} />
          <p className="quiet small">{property ? property.replaceAll('_', ' ') : 'no number to show'}</p>
        </div>
        <Sparkline
          label={`${property ?? evaluator} over time, now ${formatScore(mean, isShare)}`}
          values={points.map(({ value }) => value)}
          width={150}
          height={44}
        />
      </div>
      <Volume counts={monitor.counts} />
    </li>
  )
}

function Volume({ counts: { scored, failed, other } }: { counts: Monitor['counts'] }) {
  return (
    <p className="row small monitor-card-volume">
      <span className="quiet">{formatCompact(scored)} scored</span>
      {other > 0 ? <span className="quiet">{formatCompact(other)} without a score</span> : null}
      {failed > 0 ? <Badge tone="bad">{formatCompact(failed)} failed</Badge> : null}
    </p>
  )
}
