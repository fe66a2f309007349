import { formatNumber, formatPercent } from '../../ui/format.ts'
import './monitors.css'

/** Outcomes that mean the same to the reader of a chart. */
export const OUTCOME_GROUPS = [
  { name: 'scored', label: 'Scored', statuses: ['scored'] },
  { name: 'none', label: 'No score', statuses: ['abstained', 'missing_input'] },
  { name: 'failed', label: 'Failed', statuses: ['error', 'unparseable', 'refused', 'over_budget'] },
  { name: 'skipped', label: 'Not evaluated', statuses: ['sampled_out', 'skipped', 'cancelled'] },
] as const

const STATUS_NAMES: Readonly<Record<string, string>> = {
  abstained: 'abstained',
  missing_input: 'missing input',
  error: 'errors',
  unparseable: 'unreadable answer',
  refused: 'refused by the judge',
  over_budget: 'over budget',
  sampled_out: 'sampled out',
  skipped: 'skipped',
  cancelled: 'cancelled',
}

export type StatusCounts = Readonly<Partial<Record<string, number>>>

export interface OutcomeCount {
  readonly name: string
  readonly label: string
  readonly count: number
  /** Counts by status; of "scored" the group itself. */
  readonly statuses: readonly { readonly status: string; readonly count: number }[]
}

/** Counts by group; groups without any are left out. */
export function groupOutcomes(counts: StatusCounts): OutcomeCount[] {
  return OUTCOME_GROUPS.flatMap(({ name, label, statuses }) => {
    const found = statuses.flatMap((status) => {
      const count = counts[status] ?? 0
      return count > 0 ? [{ status, count }] : []
    })
    const count = found.reduce((sum, part) => sum + part.count, 0)
    return count === 0 ? [] : [{ name, label, count, statuses: found }]
  })
}

/** Units with these outcomes are only counted and cannot be listed. */
const UNLISTED = ['sampled_out', 'skipped', 'cancelled']

interface OutcomeLegendProps {
  readonly outcomes: readonly OutcomeCount[]
  /** Lists the results with a status. */
  readonly onOpen: (status: string) => void
}

/** Which colour is which outcome, with counts and shares. */
export function OutcomeLegend({ outcomes, onOpen }: OutcomeLegendProps) {
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  return (
    <ul className="monitor-legend small">
      {outcomes.map(({ name, label, count, statuses }) => (
        <li key={name}>
          <span className={`monitor-swatch outcome-${name}`} />
          <span>{`${label}: ${formatNumber(count)} (${formatPercent(count / total)})`}</span>
          {statuses.map(({ status, count: part }) => (
            <StatusCount key={status} status={status} count={part} onOpen={onOpen} />
          ))}
        </li>
      ))}
    </ul>
  )
}

interface StatusCountProps extends Pick<OutcomeLegendProps, 'onOpen'> {
  readonly status: string
  readonly count: number
}

function StatusCount({ status, count, onOpen }: StatusCountProps) {
  const words = status === 'scored' ? 'List' : `${formatNumber(count)} ${STATUS_NAMES[status] ?? status}`
  if (UNLISTED.includes(status)) return <span className="quiet">{words}</span>
  return (
    <button type="button" className="link-button" onClick={() => onOpen(status)}>
      {words}
      {status === 'scored' ? <span className="visually-hidden"> the scored evaluations</span> : null}
    </button>
  )
}

/** Outcomes as one small lying bar, with the words beside it. */
export function OutcomeBar({ outcomes }: { outcomes: readonly OutcomeCount[] }) {
  if (outcomes.length === 0) return <span className="quiet">–</span>
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  return (
    <div>
      <div className="outcome-bar" aria-hidden="true">
        {outcomes.map(({ name, count }) => (
          <span key={name} className={`outcome-${name}`} style={{ width: `${(100 * count) / total}%` }} />
        ))}
      </div>
      <span className="quiet small">
        {outcomes.map(({ label, count }) => `${formatNumber(count)} ${label.toLowerCase()}`).join(', ')}
      </span>
    </div>
  )
}
