import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { api, ok } from '../../api/client.ts'
import { useWhoami } from '../../shell/use-whoami.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState, ErrorNote, Loading, LoadingCards, Note } from '../../ui/feedback.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { RangeSelect } from '../../ui/range-select.tsx'
import { boundsOf, type RangeName, rangeIn, useRange } from '../../ui/time-range.ts'
import { type Application, ApplicationCard } from './application-card.tsx'
import { AttentionList } from './attention-list.tsx'
import { OpenIncidents } from './open-incidents.tsx'
import './home.css'
import './overview.css'

const APPLICATIONS = 50
const REFRESH_MS = 15_000
/** Few come here without any data; the others need not load what shows how to send some. */
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }))

export function prepare(queries: QueryClient, { searchParams }: URL) {
  void queries.prefetchQuery(applicationsOf(rangeIn(searchParams)))
  void queries.prefetchQuery(overviewOf(rangeIn(searchParams)))
  void queries.prefetchQuery(openIncidents)
}

export default function HomePage() {
  const [range, setRange] = useRange()
  const live = { refetchInterval: REFRESH_MS, placeholderData: keepPreviousData }
  const applications = useQuery({ ...applicationsOf(range), ...live })
  const overview = useQuery({ ...overviewOf(range), ...live })
  const incidents = useQuery({ ...openIncidents, refetchInterval: REFRESH_MS })
  const error = applications.error ?? overview.error ?? incidents.error
  const isLoaded = applications.data && overview.data && incidents.data
  const isEmpty =
    isLoaded &&
    applications.data.applications.length === 0 &&
    overview.data.monitors.length === 0 &&
    overview.data.attention.length === 0
  return (
    <Page
      title="Home"
      lead="The quality of your applications."
      actions={<RangeSelect value={range} onChange={setRange} />}
    >
      <EmbeddedJudgeNote />
      {error && !isLoaded ? <ErrorNote error={error} /> : null}
      {!isLoaded && !error ? <LoadingCards /> : null}
      {isEmpty ? (
        <Suspense fallback={<Loading lines={8} />}>
          <FirstSteps />
        </Suspense>
      ) : null}
      {isLoaded && !isEmpty ? (
        <>
          <OpenIncidents incidents={incidents.data.incidents} />
          <Applications applications={applications.data.applications} />
          <AttentionList items={overview.data.attention} />
        </>
      ) : null}
    </Page>
  )
}

function applicationsOf(range: RangeName) {
  return queryOptions({
    queryKey: ['applications', range],
    queryFn: () =>
      ok(
        api.GET('/v2/applications', {
          params: { query: { ...boundsOf(range), limit: APPLICATIONS } },
        }),
      ),
  })
}

/** One bucket: only the list of problems is shown. */
function overviewOf(range: RangeName) {
  return queryOptions({
    queryKey: ['overview', range],
    queryFn: () => ok(api.GET('/v2/overview', { params: { query: { ...boundsOf(range), buckets: 1 } } })),
  })
}

const openIncidents = queryOptions({
  queryKey: ['incidents', 'open'],
  queryFn: () => ok(api.GET('/v2/incidents', { params: { query: { state: 'open', limit: 20 } } })),
})

function Applications({ applications }: { applications: readonly Application[] }) {
  const sorted = applications.toSorted(
    (left, right) =>
      right.open_incidents - left.open_incidents ||
      right.judged.fail - left.judged.fail ||
      right.evaluations - left.evaluations,
  )
  return (
    <section className="stack" aria-label="Applications">
      <h2>Applications</h2>
      {sorted.length === 0 ? (
        <Card>
          <EmptyState title="No application has judged results in this time.">
            An application appears when a monitor has evaluated its spans. Choose a longer time above, or look
            at your setups.
          </EmptyState>
        </Card>
      ) : (
        <ul className="applications">
          {sorted.map((application) => (
            <ApplicationCard key={application.name ?? ''} application={application} />
          ))}
        </ul>
      )}
    </section>
  )
}

/** Judged evaluators can do more with a model; a user without one should know. */
function EmbeddedJudgeNote() {
  const whoami = useWhoami()
  if (!whoami.data || (whoami.data.judge !== 'embedded' && whoami.data.judge !== null)) return null
  return (
    <Note tone="warn">
      <span>
        {whoami.data.judge === 'embedded'
          ? 'Only the embedded judge is configured. Evaluators that need a language model score where it was measured to be good enough, and abstain elsewhere.'
          : 'No judge is configured. Evaluators that need a language model abstain.'}
      </span>
      <ButtonLink to="/settings?tab=judges">Configure a judge</ButtonLink>
    </Note>
  )
}
