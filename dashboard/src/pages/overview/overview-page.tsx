import { keepPreviousData, type QueryClient, queryOptions, useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useWhoami } from '../../shell/use-whoami.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState, Loaded, Loading, LoadingCards, Note } from '../../ui/feedback.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { RangeSelect } from '../../ui/range-select.tsx'
import { boundsOf, type RangeName, rangeIn, useRange } from '../../ui/time-range.ts'
import { AttentionList } from './attention-list.tsx'
import { MonitorCard } from './monitor-card.tsx'
import './overview.css'
import { Totals } from './totals.tsx'

type Overview = components['schemas']['Overview']

const BUCKETS = 48
/** Few come here without any data; the others need not load what shows how to send some. */
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }))

export function prepare(queries: QueryClient, { searchParams }: URL) {
  void queries.prefetchQuery(overviewOf(rangeIn(searchParams)))
}

export default function OverviewPage() {
  const [range, setRange] = useRange()
  const overview = useQuery({
    ...overviewOf(range),
    refetchInterval: 15_000,
    placeholderData: keepPreviousData,
  })
  return (
    <Page
      title="Overview"
      lead="Scores of your applications, monitor by monitor."
      actions={<RangeSelect value={range} onChange={setRange} />}
    >
      <EmbeddedJudgeNote />
      <Loaded query={overview} skeleton={<LoadingCards />}>
        {(shown) => <Content overview={shown} />}
      </Loaded>
    </Page>
  )
}

function overviewOf(range: RangeName) {
  return queryOptions({
    queryKey: ['overview', range],
    queryFn: () =>
      ok(api.GET('/v2/overview', { params: { query: { ...boundsOf(range), buckets: BUCKETS } } })),
  })
}

function Content({ overview }: { overview: Overview }) {
  if (overview.monitors.length === 0 && overview.attention.length === 0)
    return (
      <Suspense fallback={<Loading lines={8} />}>
        <FirstSteps />
      </Suspense>
    )
  return (
    <>
      <Totals overview={overview} />
      <AttentionList items={overview.attention} />
      <section className="stack" aria-label="Monitors">
        <div className="spread">
          <h2>Monitors</h2>
          <ButtonLink to="/monitors" variant="quiet">
            All monitors
          </ButtonLink>
        </div>
        {overview.monitors.length === 0 ? (
          <Card>
            <EmptyState title="No monitor has evaluated anything in this time.">
              Monitors appear when a setup has found matching spans. Choose a longer time above, or look at
              your setups.
            </EmptyState>
          </Card>
        ) : (
          <ul className="monitor-cards">
            {overview.monitors.map((monitor) => (
              <MonitorCard key={monitor.id} monitor={monitor} />
            ))}
          </ul>
        )}
      </section>
    </>
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
