import { Link } from 'wouter'
import { Badge, VerdictBadge } from '../../ui/badge.tsx'
import { formatUsd } from '../../ui/format.ts'
import { Table } from '../../ui/table.tsx'
import { orderRows, reasonOf, type TriedRow } from './trial-order.ts'
import type { TrialResult, TrialRow } from './trial-types.ts'
import type { TrialState } from './use-trial.ts'

interface RowsProps {
  readonly rows: readonly TrialRow[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** The name of a row that stays the same when rows are read again. */
export const keyOfRow = ({ trace_id, span_id }: TrialRow) => `${trace_id} ${span_id ?? ''}`

/** Rows to choose from, with question and answer. */
export function TrialRows({ rows, chosen, onChange }: RowsProps) {
  const toggle = (row: TrialRow) => {
    const next = new Set(chosen)
    if (!next.delete(keyOfRow(row))) next.add(keyOfRow(row))
    onChange(next)
  }
  return (
    <Table
      label="Rows to try on"
      rows={rows}
      keyOf={keyOfRow}
      columns={[
        {
          title: <span className="visually-hidden">Chosen</span>,
          cell: (row) => (
            <input
              type="checkbox"
              aria-label={`Try on ${row.question ?? row.name}`}
              checked={chosen.has(keyOfRow(row))}
              onChange={() => toggle(row)}
            />
          ),
        },
        { title: 'Question and answer', cell: (row) => <RowText row={row} /> },
        {
          title: 'Labels',
          cell: (row) => row.labels.map(({ name, value }) => `${name}: ${String(value)}`).join(', ') || '–',
          isSecondary: true,
        },
      ]}
    />
  )
}

function RowText({ row }: { row: TrialRow }) {
  return (
    <div className="trial-text">
      <strong>{row.question ?? row.name}</strong>
      <span>{row.answer ?? <span className="quiet">No answer in this row.</span>}</span>
      <span className="quiet small">
        {`${row.service ?? 'Unknown application'}, ${row.span_id === undefined ? 'whole trace' : 'span'} `}
        <Link href={`/traces/${row.trace_id}`}>Open the trace</Link>
      </span>
    </div>
  )
}

/** The results of a trial by row; rows that deserve a look come first. */
export function TrialResults({ state }: { state: TrialState }) {
  const { rows, results, candidates } = state
  const ordered = orderRows(rows.length, results, candidates.length).filter(({ results: own }) =>
    own.some((result) => result !== undefined),
  )
  const hasLabels = results.some(({ label }) => label !== undefined)
  return (
    <Table
      label="Results of the trial"
      rows={ordered}
      keyOf={({ row }) => String(row)}
      columns={[
        {
          title: 'Question and answer',
          cell: (tried) => <TriedText tried={tried} row={rows[tried.row] as TrialRow} />,
        },
        ...candidates.map((name, at) => ({
          title: name,
          cell: (tried: TriedRow) => <Outcome result={tried.results[at]} />,
        })),
        ...(hasLabels
          ? [{ title: 'Person', cell: (tried: TriedRow) => <PersonVerdict results={tried.results} /> }]
          : []),
      ]}
    />
  )
}

function TriedText({ tried, row }: { tried: TriedRow; row: TrialRow }) {
  return (
    <div className="trial-text">
      <RowText row={row} />
      <span className="row">
        {tried.isDifferent ? <Badge tone="warn">Versions differ</Badge> : null}
        {tried.isDisputed ? <Badge tone="warn">Disagrees with a person</Badge> : null}
      </span>
    </div>
  )
}

function Outcome({ result }: { result: TrialResult | undefined }) {
  if (!result) return <span className="quiet">Waiting</span>
  if (result.problem !== undefined || result.verdict === undefined)
    return (
      <div className="trial-text">
        <Badge tone="unscored">No answer</Badge>
        <span className="small">{result.problem}</span>
      </div>
    )
  const cost = result.judgement?.cost_usd
  return (
    <div className="trial-text">
      <span>
        <VerdictBadge verdict={result.verdict} label={result.verdict_label} />
      </span>
      <span>{reasonOf(result)}</span>
      {cost === undefined ? null : <span className="quiet small">{formatUsd(cost)}</span>}
    </div>
  )
}

function PersonVerdict({ results }: { results: TriedRow['results'] }) {
  const label = results.find((result) => result?.label !== undefined)?.label
  return label === undefined ? <span className="quiet">–</span> : <VerdictBadge verdict={label} />
}
