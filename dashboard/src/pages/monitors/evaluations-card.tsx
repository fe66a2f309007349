import { Link } from 'wouter'
import { ResultBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { rangeWords } from '../../ui/custom-range.ts'
import { EmptyState, Loaded, LoadingTable } from '../../ui/feedback.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/page.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { BackfillButton } from '../jobs/backfill-button.tsx'
import { EvaluationFilters } from './evaluation-filters.tsx'
import { EVALUATIONS_ID, useEvaluationsChoice } from './evaluations-choice.ts'
import { ExportButtons } from './export-buttons.tsx'
import {
  type Evaluation,
  type EvaluationsChoice,
  hasVerdicts,
  type Monitor,
  useEvaluations,
} from './monitor-queries.ts'
import { RerunButton } from './rerun-button.tsx'
import { type SchemaField, valueWords } from './words.ts'

/** More fields than these make a table that is too wide to read. */
const FIELDS_MAX = 3

/** The results of a monitor one by one. */
export function EvaluationsCard({ monitor, fields }: { monitor: Monitor; fields: readonly SchemaField[] }) {
  const [choice, change] = useEvaluationsChoice()
  const evaluations = useEvaluations(monitor.id, choice)
  const rows = evaluations.data?.pages.flatMap((page) => page.evaluations) ?? []
  const sampled = evaluations.data?.pages[0]?.evaluations_sampled
  return (
    <Card
      id={EVALUATIONS_ID}
      title="Evaluations"
      actions={
        <>
          {monitor.status === 'active' ? <BackfillButton externalId={monitor.external_id} /> : null}
          <RerunButton monitorId={monitor.id} range={choice.range} />
          <ExportButtons monitorId={monitor.id} choice={choice} />
        </>
      }
    >
      <EvaluationFilters choice={choice} onChange={change} isJudged={hasVerdicts(monitor)} />
      <UnitBounds choice={choice} onClear={() => change({ unit_from: undefined, unit_to: undefined })} />
      <Loaded
        query={evaluations}
        skeleton={<LoadingTable columns={3 + Math.min(fields.length, FIELDS_MAX)} />}
      >
        {() => (
          <div className="stack">
            {sampled === undefined ? null : (
              <p className="quiet small" role="status">
                {`The ${choice.order} ${formatNumber(rows.length)} of the newest ${formatNumber(sampled)} evaluations in this time.`}
              </p>
            )}
            <Table
              label="Evaluations"
              rows={rows}
              keyOf={({ id }) => id}
              columns={columnsOf(fields, rows, (id) => change({ evaluation: id }))}
              empty={
                evaluations.hasNextPage ? (
                  <p className="quiet">No matches among the evaluations searched so far.</p>
                ) : (
                  <Nothing />
                )
              }
            />
            {evaluations.hasNextPage ? (
              <p className="row">
                <Button
                  isBusy={evaluations.isFetchingNextPage}
                  onClick={() => void evaluations.fetchNextPage()}
                >
                  Show more
                </Button>
                <span className="quiet small">{`${formatNumber(rows.length)} shown`}</span>
              </p>
            ) : null}
          </div>
        )}
      </Loaded>
    </Card>
  )
}

/** The stretch of a chart whose units are listed, and a way back to all of them. */
function UnitBounds({ choice, onClear }: { choice: EvaluationsChoice; onClear: () => void }) {
  const { unit_from: from, unit_to: to } = choice
  if (from === undefined || to === undefined) return null
  return (
    <p className="row evaluations-bounds" role="status">
      {`Only units that began from ${rangeWords({ from, to })}.`}
      <Button variant="quiet" onClick={onClear}>
        <Icon name="close" />
        Show the whole range
      </Button>
    </p>
  )
}

function Nothing() {
  return (
    <EmptyState title="No evaluations in this time" icon="monitors">
      Each span that the setup matches is listed here with its verdict. Choose a longer time, clear the
      filters, or wait until matching spans arrive.
    </EmptyState>
  )
}

function columnsOf(
  fields: readonly SchemaField[],
  rows: readonly Evaluation[],
  onOpen: (id: string) => void,
): Column<Evaluation>[] {
  const message: Column<Evaluation> = {
    title: 'Message',
    isSecondary: true,
    cell: ({ error_message }) => <span className="evaluations-value quiet">{error_message ?? ''}</span>,
  }
  return [
    {
      title: 'Recorded',
      cell: ({ id, created_at }) => (
        <button type="button" className="link-button" onClick={() => onOpen(id)}>
          <Time at={created_at} />
        </button>
      ),
    },
    { title: 'Verdict', cell: (evaluation) => <ResultBadge result={evaluation} /> },
    ...fields.slice(0, FIELDS_MAX).map(
      (field): Column<Evaluation> => ({
        title: field.label,
        isNumber: field.type === 'int' || field.type === 'float',
        isSecondary: true,
        cell: ({ output }) => (
          <span className="evaluations-value quiet">{valueWords(output?.[field.name])}</span>
        ),
      }),
    ),
    { title: 'Unit', isSecondary: true, cell: (evaluation) => <UnitLink {...evaluation} /> },
    ...(rows.some(({ error_message }) => error_message !== undefined) ? [message] : []),
  ]
}

function UnitLink({ scope, trace_id, span_id, session_id }: Evaluation) {
  if (scope === 'session' && session_id !== undefined) {
    return <Link href={`/sessions/${encodeURIComponent(session_id)}`}>{`session ${session_id}`}</Link>
  }
  const place = span_id === undefined ? '' : `?span=${span_id}`
  return (
    <Link
      href={`/traces/${trace_id}${place}`}
    >{`${span_id === undefined ? 'trace' : 'span'} ${(span_id ?? trace_id).slice(0, 8)}`}</Link>
  )
}
