import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { ResultBadge } from '../../ui/badge.tsx'
import { formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import type { EvaluationDetail } from './monitor-queries.ts'
import { valueWords } from './words.ts'

/** The judge of an evaluation, its tokens and time, and the version that scored. */
export function EvaluationFacts({ evaluation }: { evaluation: EvaluationDetail }) {
  const { judge, judgement, timings } = evaluation
  return (
    <section className="stack">
      <h2>Details</h2>
      <dl className="monitor-facts">
        <Fact name="Judge">{judge ?? 'Not needed'}</Fact>
        {judgement ? (
          <>
            <Fact name="Questions">{callWords(judgement)}</Fact>
            <Fact name="Judge tokens">
              {`${formatNumber(judgement.prompt_tokens)} in, ${formatNumber(judgement.completion_tokens)} out`}
            </Fact>
            <Fact name="Judge cost">{formatUsd(judgement.cost_usd)}</Fact>
          </>
        ) : null}
        <Fact name="Duration">{formatDuration(timings.duration_ms)}</Fact>
        {timings.queued_ms === undefined ? null : (
          <Fact name="From arrival to result">{formatDuration(timings.queued_ms)}</Fact>
        )}
        <Fact name="Unit started">
          <Time at={timings.unit_started_at} />
        </Fact>
        <Fact name="Version">{`Monitor ${evaluation.monitor_version}, evaluator ${evaluation.evaluator_version}`}</Fact>
      </dl>
      {judgement?.replaced && Object.keys(judgement.replaced).length > 0 ? (
        <p className="quiet small">{`Replaced before anything was sent to the judge: ${replacedWords(judgement.replaced)}.`}</p>
      ) : null}
    </section>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function callWords({ calls, cached_calls: cached }: { calls: number; cached_calls: number }): string {
  if (calls === 0 && cached === 0) return 'None'
  return cached === 0
    ? `${formatNumber(calls)} asked`
    : `${formatNumber(calls)} asked, ${formatNumber(cached)} answered from the cache`
}

function replacedWords(replaced: Readonly<Record<string, number>>): string {
  return Object.entries(replaced)
    .map(([kind, count]) => `${formatNumber(count)} × ${kind.replaceAll('_', ' ')}`)
    .join(', ')
}

/** Earlier and later evaluations of the same unit by the same monitor. */
export function EvaluationHistory({ evaluation }: { evaluation: EvaluationDetail }) {
  const { id, monitor_id, trace_id, span_id, session_id, scope } = evaluation
  const history = useQuery({
    queryKey: ['evaluation-history', id],
    queryFn: () =>
      ok(
        api.GET('/v2/evaluations', {
          params: {
            query: {
              monitor_id,
              trace_id,
              history: 'true',
              limit: 100,
              ...(span_id === undefined ? {} : { span_id }),
            },
          },
        }),
      ),
  })
  const same = (history.data?.evaluations ?? []).filter(
    (other) => scope !== 'session' || other.session_id === session_id,
  )
  if (same.length < 2) return null
  return (
    <section className="stack">
      <h2>History</h2>
      <Table
        label="Evaluations of the same unit"
        rows={same}
        keyOf={(other) => other.id}
        columns={[
          {
            title: 'Recorded',
            cell: (other) =>
              other.id === id ? (
                <span>
                  <Time at={other.created_at} /> (this one)
                </span>
              ) : (
                <Link href={`/evaluations/${other.id}`}>
                  <Time at={other.created_at} />
                </Link>
              ),
          },
          { title: 'Verdict', cell: (other) => <ResultBadge result={other} /> },
          {
            title: 'Answer',
            cell: ({ output }) => (
              <span className="evaluations-value quiet">
                {Object.values(output ?? {})
                  .map(valueWords)
                  .join(', ') || '–'}
              </span>
            ),
          },
        ]}
      />
    </section>
  )
}
