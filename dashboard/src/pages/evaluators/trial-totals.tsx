import { Note } from '../../ui/feedback.tsx'
import { formatNumber, formatPercent, formatUsd } from '../../ui/format.ts'
import { Table } from '../../ui/table.tsx'
import type { CandidateSummary } from './trial-types.ts'
import type { TrialState } from './use-trial.ts'

/** Labelled rows below which accuracy and kappa are not told. */
const LABELLED_MIN = 10

/** The totals of a trial: verdicts, cost and agreement with people, by candidate. */
export function TrialTotals({ state: { summary, candidates } }: { state: TrialState }) {
  if (!summary) return null
  const rows = summary.candidates.map((each, at) => ({ ...each, name: candidates[at] ?? '' }))
  const isCut = rows.some((row) => row.rows < summary.rows)
  return (
    <div className="stack">
      {isCut ? <Note tone="warn">The trial ended early because the budget for judges is spent.</Note> : null}
      <Table
        label="Totals of the trial"
        rows={rows}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Version', cell: (row) => row.name },
          { title: 'Passed', cell: (row) => formatNumber(row.passed), isNumber: true },
          { title: 'Failed', cell: (row) => formatNumber(row.failed), isNumber: true },
          { title: 'No answer', cell: (row) => formatNumber(row.unanswered), isNumber: true },
          { title: 'Accuracy', cell: accuracyWords },
          { title: 'Kappa', cell: kappaWords },
          { title: 'Cost', cell: costWords, isNumber: true },
        ]}
      />
      {summary.differences === undefined ? null : (
        <p>{`The versions differ on ${formatNumber(summary.differences)} of ${formatNumber(summary.rows)} rows.`}</p>
      )}
    </div>
  )
}

function accuracyWords({ labelled, equal, accuracy }: CandidateSummary): string {
  if (labelled === 0) return 'No labels'
  const counts = `${formatNumber(equal)} of ${formatNumber(labelled)}`
  return accuracy === undefined ? counts : `${formatPercent(accuracy)} (${counts})`
}

function kappaWords({ labelled, kappa }: CandidateSummary): string {
  if (labelled === 0) return '–'
  if (labelled < LABELLED_MIN) return `Needs ${LABELLED_MIN} labels`
  return kappa === undefined ? 'Undefined' : `${kappa.toFixed(2)} (n = ${formatNumber(labelled)})`
}

function costWords({ cost_usd: cost, unpriced }: CandidateSummary): string {
  if (unpriced === 0) return formatUsd(cost)
  return cost === 0 ? 'Unknown price' : `≥ ${formatUsd(cost)}`
}
