import { formatNumber, formatPercent } from '../../ui/format.ts'
import './monitors.css'

/** Outcomes that mean the same to the reader of a chart. */
export const OUTCOME_GROUPS = [
  { name: 'scored', label: 'Scored', statuses: ['scored'] },
  { name: 'none', label: 'No score', statuses: ['abstained', 'missing_input'] },
  { name: 'failed', label: 'Failed', statuses: ['error', 'unparseable', 'refused', 'over_budget'] },
  { name: 'skipped', label: 'Left out', statuses: ['sampled_out', 'skipped', 'cancelled'] },
] as const

const STATUS_NAMES: Readonly<Record<string, string>> = {
  abstained: 'abstained',
  missing_input: 'missing an input',
  error: 'error',
  unparseable: 'answer of the judge not readable',
  refused: 'judge refused',
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
  /** By status, where the group has more than one. */
  readonly detail: string
}

/** Counts by group; groups without any are left out. */
export function groupOutcomes(counts: StatusCounts): OutcomeCount[] {
  return OUTCOME_GROUPS.flatMap(({ name, label, statuses }) => {
    const found = statuses.filter((status) => (counts[status] ?? 0) > 0)
    const count = found.reduce((sum, status) => sum + (counts[status] ?? 0), 0)
    const detail =
      name === 'scored'
        ? ''
        : found.map((status) => `${formatNumber(counts[status] ?? 0)} ${STATUS_NAMES[status]}`).join(', ')
    return count === 0 ? [] : [{ name, label, count, detail }]
  })
}

/** Which colour is which outcome, with counts and shares. */
export function OutcomeLegend({ outcomes }: { outcomes: readonly OutcomeCount[] }) {
  const total = outcomes.reduce((sum, { count }) => sum + count, 0)
  return (
    <ul className="monitor-legend small">
      {outcomes.map(({ name, label, count, detail }) => (
        <li key={name}>
          <span className={`monitor-swatch outcome-${name}`} />
          <span>
            {`${label} ${formatNumber(count)} (${formatPercent(count / total)})`}
            {detail ? <span className="quiet">{`: ${detail}`}</span> : null}
          </span>
        </li>
      ))}
    </ul>
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
