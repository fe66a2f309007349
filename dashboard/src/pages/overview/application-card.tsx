import { Link } from 'wouter'
import type { components } from '../../api/schema.gen.ts'
import { Badge } from '../../ui/badge.tsx'
import { formatCompact, formatCount, formatPercent, formatUsd } from '../../ui/format.ts'
import { inboxAddress } from '../../ui/inbox-address.ts'
import { ScoreChange } from '../../ui/score-change.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'

export type Application = components['schemas']['Application']

/** Fewer judged units than this say little about a rate. */
const JUDGED_MIN = 30

/** One application at a glance: how good it is, what fails most and why, and what it costs. */
export function ApplicationCard({ application }: { application: Application }) {
  const { name, judged, previous } = application
  const title = name ?? 'No application'
  const inbox = inboxAddress({ application: name ?? undefined })
  return (
    <li className="card application">
      <div className="application-head">
        <h3>{name === null ? title : <Link href={inbox}>{title}</Link>}</h3>
        {application.open_incidents > 0 ? (
          <Badge tone="bad">{formatCount(application.open_incidents, 'open incident')}</Badge>
        ) : null}
      </div>
      <div className="application-rate">
        <div>
          <span className="application-figure number">
            {judged.pass_rate === null ? '–' : formatPercent(judged.pass_rate)}
          </span>{' '}
          <ScoreChange
            course={{
              mean: judged.pass_rate,
              previous_mean: previous.pass_rate,
              is_share: true,
              better: 'higher',
            }}
          />
          <p className="quiet small">{rateNote(application)}</p>
        </div>
        <Sparkline
          label={`Pass rate of ${title} over time`}
          values={application.points.map((point) => point.pass_rate)}
          width={150}
          height={44}
        />
      </div>
      <Reasons application={application} />
      <p className="quiet small">{volumeOf(application)}</p>
    </li>
  )
}

function rateNote({ judged, previous }: Application): string {
  const count = judged.pass + judged.fail
  if (count === 0) return 'nothing was judged in this time'
  const before = previous.pass + previous.fail
  const few = count < JUDGED_MIN || (before > 0 && before < JUDGED_MIN) ? '; few results say little' : ''
  const against = before > 0 ? `, ${formatCompact(before)} in the previous period` : ''
  return `pass rate of ${formatCount(count, 'result')}${against}${few}`
}

function Reasons({ application: { name, reasons, reasons_sampled: sampled } }: { application: Application }) {
  if (reasons.length === 0) return null
  return (
    <div className="application-reasons">
      <h4 className="quiet small">Failing most</h4>
      <ul>
        {reasons.map(({ evaluator_type: evaluator, verdict_label: label, reason, count, ...group }) => (
          <li key={group.newest_evaluation_id}>
            <span className="number application-count">{formatCompact(count)}</span>
            <Link href={inboxAddress({ application: name ?? undefined, evaluator })}>{label}</Link>
            <span className="quiet application-reason" title={reason}>
              {reason || evaluator}
            </span>
          </li>
        ))}
      </ul>
      <p className="quiet small">among the newest {formatCount(sampled, 'failure')}</p>
    </div>
  )
}

function volumeOf(application: Application): string {
  const parts = [formatCount(application.evaluations, 'evaluation')]
  if (application.not_scored > 0) parts.push(`${formatCompact(application.not_scored)} without a score`)
  if (application.model_calls > 0) parts.push(formatCount(application.model_calls, 'model call'))
  if (application.cost_usd !== null && application.model_calls > 0)
    parts.push(`${formatUsd(application.cost_usd)} for models`)
  return parts.join(' · ')
}
