import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { useWhoami } from '../../shell/use-whoami.ts'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState, Loaded, Note } from '../../ui/feedback.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { RangeSelect } from '../../ui/range-select.tsx'
import { SendSpans } from '../../ui/send-spans.tsx'
import { boundsOf, type RangeName, useRange } from '../../ui/time-range.ts'
import { AttentionList } from './attention-list.tsx'
import { MonitorCard } from './monitor-card.tsx'
import './overview.css'
import { Totals } from './totals.tsx'

type Overview = components['schemas']['Overview']

const BUCKETS = 48

export default function OverviewPage() {
  const [range, setRange] = useRange('24h')
  const overview = useOverview(range)
  return (
    <Page
      title="Overview"
      lead="How your applications are doing, by everything that watches them."
      actions={<RangeSelect value={range} onChange={setRange} />}
    >
      <EmbeddedJudgeNote />
      <Loaded query={overview} lines={8}>
        {(shown) => <Content overview={shown} />}
      </Loaded>
    </Page>
  )
}

function useOverview(range: RangeName) {
  return useQuery({
    queryKey: ['overview', range],
    queryFn: () =>
      ok(api.GET('/v2/overview', { params: { query: { ...boundsOf(range), buckets: BUCKETS } } })),
    refetchInterval: 15_000,
    placeholderData: (previous) => previous,
  })
}

function Content({ overview }: { overview: Overview }) {
  if (overview.monitors.length === 0 && overview.attention.length === 0) return <FirstSteps />
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

function FirstSteps() {
  return (
    <>
      <Card title="1. Send spans">
        <SendSpans />
      </Card>
      <Card title="2. Say what to evaluate">
        <EmptyState title="A setup chooses spans and the evaluators that look at them.">
          <p>From then on every matching span is scored as it arrives, and the scores show here.</p>
          <p className="row overview-next">
            <ButtonLink to="/setups/new" variant="primary">
              Create a setup
            </ButtonLink>
            <ButtonLink to="/evaluators">Try an evaluator first</ButtonLink>
          </p>
        </EmptyState>
      </Card>
    </>
  )
}

/** Judged evaluators can do more with a model; whoever has none should know. */
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
