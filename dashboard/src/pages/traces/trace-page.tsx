import { useState } from 'react'
import { useParams } from 'wouter'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/code.tsx'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Card, Page } from '../../ui/page.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { AddScore } from './add-score.tsx'
import { DeleteTrace } from './delete-data.tsx'
import { isNotFound, NotHere } from './not-here.tsx'
import { Results } from './results.tsx'
import { SpanDetails } from './span-details.tsx'
import { kindOf } from './span-kind.ts'
import { treeOf } from './span-tree.ts'
import { TraceHead } from './trace-head.tsx'
import './trace-page.css'
import type { TraceDetail, TraceSpan } from './trace-types.ts'
import { useFromTop } from './use-from-top.ts'
import { isSettled, type ReadTrace, SPANS_STEP, useTrace } from './use-trace.ts'
import { Waterfall } from './waterfall.tsx'

/** One trace: what it took, its spans in time, what was found about each, and why. */
export default function TracePage() {
  const { traceId = '' } = useParams<{ traceId: string }>()
  useFromTop(traceId)
  const [spansMax, setSpansMax] = useState(SPANS_STEP)
  const read = useTrace(traceId, spansMax)
  const trace = read.data?.trace
  return (
    <Page
      title={trace?.name ?? 'Trace'}
      lead={
        <span className="row">
          <span className="mono">{traceId}</span>
          <CopyButton text={traceId} label="Copy id" />
        </span>
      }
      actions={
        trace ? (
          <>
            <AddScore about={{ trace_id: traceId }} title="Score this trace" />
            <DeleteTrace traceId={traceId} />
          </>
        ) : null
      }
    >
      {isNotFound(read.error) ? (
        <NotHere what="trace" back="/traces" />
      ) : (
        <Loaded query={read} lines={8}>
          {(data) => (
            <TraceView
              {...data}
              onMore={() => setSpansMax(spansMax + SPANS_STEP)}
              isReading={read.isFetching}
            />
          )}
        </Loaded>
      )}
    </Page>
  )
}

function TraceView({
  trace,
  spans,
  hasMore,
  onMore,
  isReading,
}: ReadTrace & { onMore: () => void; isReading: boolean }) {
  const [address, change] = useQueryState()
  const named = address.get('span')
  const selected = spans.find(({ span_id: id }) => id === named) ?? (named ? undefined : firstShown(spans))
  const select = (span: string) => {
    change({ span })
    // Where details stand below the spans, they are brought into sight.
    if (matchMedia('(max-width: 1179px)').matches)
      document.getElementById('span-details')?.scrollIntoView({ behavior: 'smooth' })
  }
  return (
    <>
      <TraceHead trace={trace} spans={spans} />
      <div className="trace-columns">
        <div className="trace-left">
          <Card title={`Spans (${formatNumber(trace.span_count)})`} className="trace-spans">
            <Notes trace={trace} spans={spans} hasMore={hasMore} />
            <Waterfall spans={spans} selected={selected?.span_id} onSelect={select} />
            {hasMore ? (
              <p className="row trace-more">
                <span className="quiet">{`${formatNumber(spans.length)} of ${formatNumber(trace.span_count)} are shown.`}</span>
                <Button onClick={onMore} isBusy={isReading}>
                  Show more
                </Button>
              </p>
            ) : null}
          </Card>
          {trace.evaluations.length + trace.scores.length > 0 ? (
            <Card title="About the trace as a whole" className="trace-whole">
              <Results evaluations={trace.evaluations} scores={trace.scores} />
            </Card>
          ) : null}
        </div>
        <div id="span-details" className="trace-details-place">
          <Card className="trace-details">
            {selected ? (
              <SpanDetails key={selected.span_id} span={selected} />
            ) : (
              <EmptyState title="This span is not among those that are shown.">
                {hasMore
                  ? 'Show more spans, or choose another one.'
                  : 'It has not arrived, or it is no longer kept. Choose another one.'}
              </EmptyState>
            )}
          </Card>
        </div>
      </div>
    </>
  )
}

/**
 * The span shown before the user chooses one: the root if it has content, else the first call of a model, else the
 * root.
 */
function firstShown(spans: readonly TraceSpan[]): TraceSpan | undefined {
  const root = rootOf(spans)
  const isSilent = root?.input === undefined && Object.keys(root?.prompts ?? {}).length === 0
  return (isSilent ? spans.find((span) => kindOf(span) === 'chat') : undefined) ?? root
}

function rootOf(spans: readonly TraceSpan[]): TraceSpan | undefined {
  return spans.find(({ parent_span_id: parent }) => parent === undefined) ?? treeOf(spans)[0]?.span
}

/** Notes on a trace that is cut, still growing or has spans without their parent. */
function Notes({
  trace,
  spans,
  hasMore,
}: {
  trace: TraceDetail
  spans: readonly TraceSpan[]
  hasMore: boolean
}) {
  const ids = new Set(spans.map(({ span_id: id }) => id))
  const orphans = spans.filter(
    ({ parent_span_id: parent }) => parent !== undefined && !ids.has(parent),
  ).length
  const isMoving = !isSettled(trace)
  const notes = [
    ...(trace.spans_cut
      ? ['This trace came in very many requests; only the spans of the first ones are shown.']
      : []),
    ...(orphans > 0 && !hasMore
      ? [
          `${orphans === 1 ? 'One span names a parent that is' : `${formatNumber(orphans)} spans name parents that are`} not here: not sent, sampled away by the sender, or ${isMoving ? 'still under way' : 'lost'}. Such spans stand at the top level, marked “no parent”.`,
        ]
      : []),
    ...(isMoving
      ? ['The newest span ended a moment ago. More may come; this page looks every few seconds.']
      : []),
  ]
  if (notes.length === 0) return null
  return (
    <div className="trace-notes small" role="status">
      {notes.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </div>
  )
}
