import { useInfiniteQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { formatDuration, formatNumber } from '../../ui/format.ts'
import { Card, Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { AddScore } from './add-score.tsx'
import { DeleteSession } from './delete-data.tsx'
import { useNamedInPath } from './named-in-path.ts'
import { isNotFound, NotHere } from './not-here.tsx'
import { Results } from './results.tsx'
import './session-page.css'
import { SessionTurn } from './session-turn.tsx'
import { costText, errorsText, Fact, tokensText } from './trace-head.tsx'
import './trace-page.css'
import type { SessionDetail } from './trace-types.ts'
import { useFromTop } from './use-from-top.ts'

/** Each of them is read for what was said in it. */
const TURNS_AT_ONCE = 20

function useSession(sessionId: string) {
  return useInfiniteQuery({
    queryKey: ['session', sessionId],
    queryFn: ({ pageParam }) => {
      const query = { limit: TURNS_AT_ONCE, ...(pageParam === '' ? {} : { cursor: pageParam }) }
      return ok(api.GET('/v2/sessions/{session_id}', { params: { path: { session_id: sessionId }, query } }))
    },
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: 30_000,
  })
}

/** One conversation: its turns across traces, what it took, and what was found about it. */
export default function SessionPage() {
  const sessionId = useNamedInPath()
  useFromTop(sessionId)
  const pages = useSession(sessionId)
  const [first] = pages.data?.pages ?? []
  const traces = pages.data?.pages.flatMap((page) => page.traces) ?? []
  return (
    <Page
      title={`Session ${sessionId}`}
      lead="The turns of one conversation, in the order in which their traces began."
      actions={
        first ? (
          <>
            <AddScore about={{ session_id: sessionId }} title="Score this session" />
            <DeleteSession sessionId={sessionId} />
          </>
        ) : null
      }
    >
      {isNotFound(pages.error) ? (
        <NotHere what="session" back="/traces?view=sessions" />
      ) : (
        <Loaded
          query={{ data: first, error: pages.error, isPending: pages.isPending, refetch: pages.refetch }}
          lines={6}
        >
          {(session) => (
            <>
              <SessionHead session={session} />
              {session.evaluations.length + session.scores.length > 0 ? (
                <Card title="About the session as a whole">
                  <Results evaluations={session.evaluations} scores={session.scores} />
                </Card>
              ) : null}
              <Card title="Conversation">
                <ol className="session-turns">
                  {traces.map((trace, at) => (
                    <li key={trace.trace_id}>
                      <SessionTurn trace={trace} number={at + 1} />
                    </li>
                  ))}
                </ol>
                {pages.hasNextPage ? (
                  <p className="row trace-more">
                    <span className="quiet">{`${formatNumber(traces.length)} of ${formatNumber(session.trace_count)} traces are shown.`}</span>
                    <Button onClick={() => void pages.fetchNextPage()} isBusy={pages.isFetchingNextPage}>
                      Show later ones
                    </Button>
                  </p>
                ) : null}
              </Card>
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function SessionHead({ session }: { session: SessionDetail }) {
  return (
    <Card>
      <dl className="trace-facts">
        <Fact name="Status">
          {session.error_count > 0 ? (
            <Badge tone="bad">{errorsText(session.error_count)}</Badge>
          ) : (
            <Badge tone="good">No errors</Badge>
          )}
        </Fact>
        <Fact name="Began">
          <Time at={session.started_at} />
        </Fact>
        <Fact name="Last span">
          <Time at={session.ended_at} as="ago" />
        </Fact>
        <Fact name="Lasted">
          {formatDuration(Date.parse(session.ended_at) - Date.parse(session.started_at))}
        </Fact>
        <Fact name="Traces">{formatNumber(session.trace_count)}</Fact>
        <Fact name="Spans">{formatNumber(session.span_count)}</Fact>
        <Fact name="Tokens">{tokensText(session)}</Fact>
        <Fact name="Cost">{costText(session)}</Fact>
      </dl>
    </Card>
  )
}
