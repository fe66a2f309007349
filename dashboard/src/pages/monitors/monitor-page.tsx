import type { QueryClient } from '@tanstack/react-query'
import { Link, useParams } from 'wouter'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { RangePicker } from '../../ui/range-picker.tsx'
import { useQueryState, useTimeRange } from '../../ui/time-range.ts'
import { AgreementCard } from './agreement-card.tsx'
import { BreakdownCard } from './breakdown-card.tsx'
import { ChartControls } from './chart-controls.tsx'
import { DistributionCard } from './distribution-card.tsx'
import { EvaluationDialog } from './evaluation-dialog.tsx'
import { EvaluationsCard } from './evaluations-card.tsx'
import { MonitorErrors, MonitorFacts } from './monitor-facts.tsx'
import { isMissing, type Monitor, monitorOf, seriesOf, useEvaluator, useMonitor } from './monitor-queries.ts'
import './monitors.css'
import { ScoreCard } from './score-card.tsx'
import { chartChoiceIn, useChartChoice } from './use-chart-choice.ts'

export function prepare(queries: QueryClient, { pathname, searchParams }: URL) {
  const id = decodeURIComponent(pathname.split('/').at(-1) ?? '')
  void queries.prefetchQuery(monitorOf(id))
  void queries.prefetchQuery(seriesOf(id, chartChoiceIn(searchParams, [])))
}

/** Everything about one monitor: how it scores, what it covers, and each of its results. */
export default function MonitorPage() {
  const { id = '' } = useParams<{ id: string }>()
  const monitor = useMonitor(id)
  const [range, setRange] = useTimeRange()
  const title = monitor.data?.evaluator_type ?? 'Monitor'
  return (
    <Page
      title={title}
      lead={monitor.data ? `Setup ${monitor.data.external_id}` : undefined}
      actions={<RangePicker value={range} onChange={setRange} />}
    >
      {isMissing(monitor.error) ? (
        <EmptyState title="Monitor not found" icon="monitors">
          It may belong to a project that your key has no access to.{' '}
          <Link href="/monitors">See all monitors</Link>
        </EmptyState>
      ) : (
        <Loaded query={monitor} lines={10}>
          {(found) => <MonitorContent monitor={found} />}
        </Loaded>
      )}
    </Page>
  )
}

function MonitorContent({ monitor }: { monitor: Monitor }) {
  const evaluator = useEvaluator(monitor.evaluator_type)
  const fields = evaluator.data?.output_schema ?? []
  const [choice, change] = useChartChoice(fields)
  const [query] = useQueryState()
  const isCompared = query.get('compare') === 'previous'
  const shared = { monitor, choice, fields }
  return (
    <>
      <Card>
        <MonitorFacts monitor={monitor} description={evaluator.data?.description} />
      </Card>
      <ChartControls {...shared} isCompared={isCompared} onChange={change} />
      <ScoreCard {...shared} isCompared={isCompared} />
      <MonitorErrors errors={monitor.errors} />
      <div className="monitor-pair">
        <DistributionCard {...shared} />
        <BreakdownCard {...shared} />
      </div>
      <AgreementCard monitorId={monitor.id} fields={fields} />
      <EvaluationsCard monitor={monitor} fields={fields} />
      <EvaluationDialog />
    </>
  )
}
