import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Conversation } from '../../ui/conversation.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatDuration, formatUsd } from '../../ui/format.ts'
import { Time } from '../../ui/time.tsx'
import { ScoreBadges } from './score-badges.tsx'
import { errorsText } from './trace-head.tsx'
import type { Trace } from './trace-types.ts'
import { turnOf } from './turn-of.ts'

/** Spans that are read to find what was said; most traces have far fewer. */
const SPANS_READ = 200

/** One trace of a conversation: what was asked and answered, and what was found about it. */
export function SessionTurn({ trace, number }: { trace: Trace; number: number }) {
  const id = trace.trace_id
  const read = useQuery({
    queryKey: ['trace', id, 'turn'],
    queryFn: () =>
      ok(
        api.GET('/v2/traces/{trace_id}', {
          params: { path: { trace_id: id }, query: { limit: SPANS_READ } },
        }),
      ),
    staleTime: 60_000,
  })
  return (
    <article className="session-turn" aria-label={`Turn ${number}`}>
      <header className="spread">
        <h3 className="row">
          <span className="quiet number">{number}</span>
          <Link href={`/traces/${id}`}>{trace.name ?? 'Trace without a root'}</Link>
          {trace.error_count > 0 ? <Badge tone="bad">{errorsText(trace.error_count)}</Badge> : null}
        </h3>
        <span className="quiet small number">
          <Time at={trace.started_at} />
          {` · ${formatDuration(trace.duration_ms)}${trace.model_calls > 0 ? ` · ${formatUsd(trace.cost_usd)}` : ''}`}
        </span>
      </header>
      <Loaded query={read} lines={2}>
        {({ spans, next_cursor: next }) => <Said {...turnOf(spans)} isPart={next !== undefined} />}
      </Loaded>
      {trace.evaluations.length + trace.scores.length > 0 ? (
        <ScoreBadges
          evaluations={trace.evaluations}
          scores={trace.scores.filter((score) => score.trace_id !== undefined)}
          most={6}
        />
      ) : null}
    </article>
  )
}

function Said({ question, answer, tools, isPart }: ReturnType<typeof turnOf> & { isPart: boolean }) {
  const messages = [question, answer].filter((message) => message !== undefined)
  return (
    <>
      {messages.length > 0 ? (
        <Conversation messages={messages} label="Conversation of this turn" />
      ) : (
        <p className="quiet">No texts of a conversation in this trace.</p>
      )}
      {tools.length > 0 ? (
        <p className="quiet small">{`Tools that were called: ${[...new Set(tools)].join(', ')}`}</p>
      ) : null}
      {isPart ? (
        <p className="quiet small">{`Read from its first ${SPANS_READ} spans; the trace has more.`}</p>
      ) : null}
    </>
  )
}
