import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { ApiError, api, ok } from '../../api/client.ts'
import { Badge, ResultBadge, Status } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, ErrorNote, Loading, Note } from '../../ui/feedback.tsx'
import { formatNumber, formatPercent } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { type ScoredTrace, ScoreTraceButton } from '../jobs/score-trace-button.tsx'
import { ruleWords } from '../setups/rule-words.ts'
import './explanation.css'
import { TextWithTimes } from './text-with-times.tsx'
import type { EntryExplanation, RuleExplanation, SetupExplanation } from './trace-types.ts'

function useExplanation(traceId: string, spanId: string) {
  return useInfiniteQuery({
    queryKey: ['explain', traceId, spanId],
    queryFn: ({ pageParam }) => {
      const query = pageParam === '' ? {} : { cursor: pageParam }
      const path = { trace_id: traceId, span_id: spanId }
      return ok(api.GET('/v2/spans/{trace_id}/{span_id}/explain', { params: { path, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: 10_000,
  })
}

/** Why each setup did or did not have the span scored: what decided, rule by rule, and how far its evaluators are. */
export function Explanation({ traceId, spanId }: { traceId: string; spanId: string }) {
  const explanation = useExplanation(traceId, spanId)
  if (explanation.error && !explanation.data)
    return <Unexplained error={explanation.error} onRetry={() => void explanation.refetch()} />
  const [first] = explanation.data?.pages ?? []
  if (!first) return <Loading lines={5} />
  const setups = explanation.data?.pages.flatMap((page) => page.setups) ?? []
  return (
    <div className="stack">
      {first.is_judge_call ? (
        <Note>This span is a call of one of this service’s own judges. No setup matches those.</Note>
      ) : null}
      <p className="quiet">
        Received <Time at={first.received_at} /> in {first.environment}. The sampling number of its trace is{' '}
        {first.sampling_number.toFixed(4)}: an evaluator with a sampling rate above it looks at the span.
      </p>
      {setups.length === 0 ? (
        <EmptyState title="There is no setup in this environment.">
          Nothing is scored before a <Link href="/setups/new">setup</Link> says which spans and by which
          evaluators.
        </EmptyState>
      ) : (
        <ol className="explained-setups">
          {setups.map((setup) => (
            <li key={setup.id}>
              <Setup
                setup={setup}
                isScored={setup.evaluators.some(({ outcome }) => outcome === 'scored')}
                span={{ traceId, receivedAt: first.received_at }}
              />
            </li>
          ))}
        </ol>
      )}
      {explanation.hasNextPage ? (
        <Button onClick={() => void explanation.fetchNextPage()} isBusy={explanation.isFetchingNextPage}>
          More setups
        </Button>
      ) : null}
    </div>
  )
}

function Unexplained({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const isGone = error instanceof ApiError && error.status === 404
  return isGone ? (
    <EmptyState title="This span cannot be explained.">{error.message}</EmptyState>
  ) : (
    <ErrorNote error={error} onRetry={onRetry} />
  )
}

const STANDINGS: Readonly<Record<SetupExplanation['standing'], string | undefined>> = {
  decided: undefined,
  created_later:
    'It was created after the span arrived, so it decided nothing. A backfill can take older spans in.',
  deleted_before: 'It was deleted before the span arrived.',
  other_environment: 'It belongs to another environment.',
}

/** The trace of the explained span, and when the span arrived. */
type ExplainedSpan = Pick<ScoredTrace, 'traceId' | 'receivedAt'>

interface SetupProps {
  readonly setup: SetupExplanation
  readonly isScored: boolean
  readonly span: ExplainedSpan
}

function Setup({ setup, isScored, span }: SetupProps) {
  const {
    external_id: name,
    rules,
    evaluators,
    matched: isMatched,
    version,
    current_version: current,
  } = setup
  const badge = isMatched ? (isScored ? 'Scored' : 'Matched') : 'Not matched'
  return (
    <details className="explained-setup" open={isMatched}>
      <summary>
        <span className="row">
          <Badge tone={isMatched ? (isScored ? 'good' : 'accent') : 'neutral'}>{badge}</Badge>
          <strong>{name}</strong>
        </span>
        <span className="explained-sentence">
          <TextWithTimes text={sentence(setup.summary)} />
        </span>
      </summary>
      <div className="stack explained-body">
        {STANDINGS[setup.standing] ? <p className="quiet">{STANDINGS[setup.standing]}</p> : null}
        {setup.standing === 'created_later' && !isMatched && !setup.deleted_at ? (
          <ScoreTraceButton externalId={name} {...span} />
        ) : null}
        {setup.backfilled ? <p className="quiet">A backfill matched the span after it had arrived.</p> : null}
        {setup.deleted_at ? (
          <p className="quiet">
            The setup was deleted <Time at={setup.deleted_at} as="ago" />.
          </p>
        ) : (
          <p className="quiet small">
            {version === undefined || version === current
              ? `Version ${formatNumber(current)}. `
              : `Decided by version ${formatNumber(version)}; the setup is at version ${formatNumber(current)} now. `}
            <Link href={`/setups/${encodeURIComponent(name)}`}>Open the setup</Link>
          </p>
        )}
        {rules.length > 0 ? <Rules rules={rules} /> : null}
        {evaluators.length > 0 ? (
          <Entries entries={evaluators} trace={{ externalId: name, ...span }} />
        ) : null}
      </div>
    </details>
  )
}

/** As a sentence: the service says it for a line of a log. */
function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}${/[.!?]$/.test(summary) ? '' : '.'}`
}

function Rules({ rules }: { rules: readonly RuleExplanation[] }) {
  return (
    <section>
      <h3>{rules.length === 1 ? 'Its rule' : `Its ${rules.length} rules, all of which must hold`}</h3>
      <ol className="explained-rules">
        {rules.map(({ rule, found, holds }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no name but its place.
          <li key={at} className={holds ? 'rule-holds' : 'rule-fails'}>
            <span className="rule-verdict">{holds ? '✓ holds' : '✗ fails'}</span>
            <span>
              <span className="mono">{ruleWords(rule)}</span>
              {rule.source === 'resource_attributes' ? (
                <span className="quiet"> (on the resource)</span>
              ) : null}
              <Found found={found} ruleKey={rule.key} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

function Found({ found, ruleKey }: { found: RuleExplanation['found']; ruleKey: string }) {
  if (found.length === 0) return <span className="rule-found quiet">The span has no such attribute.</span>
  return found.map(({ key, type, value }) => (
    <span key={key} className="rule-found quiet">
      {key === ruleKey ? 'The span has ' : `The span has, as ${key}, `}
      <span className="mono">{type === 'string' ? `“${value}”` : value}</span>
      {type === 'string' ? null : ` (${type})`}
    </span>
  ))
}

function Entries({ entries, trace }: { entries: readonly EntryExplanation[]; trace: ScoredTrace }) {
  return (
    <section>
      <h3>Its evaluators</h3>
      <ul className="results">
        {entries.map((entry) => (
          <li key={entry.evaluator_type} className="result">
            <Entry entry={entry} trace={trace} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Outcomes without a score that another run may change. */
const FAILED: readonly EntryExplanation['outcome'][] = [
  'error',
  'unparseable',
  'refused',
  'over_budget',
  'abstained',
  'missing_input',
]

function Entry({ entry, trace }: { entry: EntryExplanation; trace: ScoredTrace }) {
  const { evaluator_type: slug, outcome, reason, evaluation, monitor_id: monitor, work, unit } = entry
  return (
    <>
      <span className="row">
        <strong>{slug}</strong>
        {evaluation ? <ResultBadge result={evaluation} /> : <Status of={outcome} />}
      </span>
      <span className="explained-sentence">
        <TextWithTimes text={sentence(reason)} />
      </span>
      {entry.entry_error_message ? <p>{entry.entry_error_message}</p> : null}
      {FAILED.includes(outcome) ? <ScoreTraceButton {...trace} failedEvaluator={slug} /> : null}
      <span className="row quiet small">
        {entry.sampling_rate < 1 ? (
          <span>{`looks at ${formatPercent(entry.sampling_rate)} of traces`}</span>
        ) : null}
        {work && work.attempts > 1 ? <span>{`${formatNumber(work.attempts)} attempts`}</span> : null}
        {work?.ready_at ? (
          <span>
            not before <Time at={work.ready_at} />
          </span>
        ) : null}
        {unit && unit.state === 'open' ? (
          <span>
            {`the ${unit.scope} is looked at `}
            <Time at={unit.look_at} as="ago" /> if nothing more arrives
          </span>
        ) : null}
        {entry.judge ? <span>{`judge: ${entry.judge}`}</span> : null}
        {evaluation ? <Link href={`/evaluations/${evaluation.id}`}>Open the result</Link> : null}
        {monitor ? <Link href={`/monitors/${monitor}`}>Open the monitor</Link> : null}
      </span>
    </>
  )
}
