import { CopyButton, JsonView } from '../../ui/code.tsx'
import { Documents, SpanContent } from '../../ui/conversation.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import { formatCount, formatDuration, formatNumber } from '../../ui/format.ts'
import { documentsOf, modelUseOf } from '../../ui/span-content.ts'
import { Tabs } from '../../ui/tabs.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { AddScore } from './add-score.tsx'
import { AttributeTable } from './attribute-table.tsx'
import { Explanation } from './explanation.tsx'
import { Results } from './results.tsx'
import { SpanImages } from './span-images.tsx'
import type { TraceSpan } from './trace-types.ts'
import { isError, KindLetter } from './waterfall-row.tsx'

/** Everything about one span. */
export function SpanDetails({ span }: { span: TraceSpan }) {
  const [address, change] = useQueryState()
  const found = span.evaluations.length + span.scores.length
  const tabs = [
    { id: 'content', title: 'Content', content: <Content span={span} /> },
    {
      id: 'results',
      title: found > 0 ? `Results (${formatNumber(found)})` : 'Results',
      content: <SpanResults span={span} />,
    },
    {
      id: 'why',
      title: 'Why (not) scored',
      content: <Explanation traceId={span.trace_id} spanId={span.span_id} />,
    },
    {
      id: 'attributes',
      title: 'Attributes',
      content: <AttributeTable label="Attributes of the span" attributes={span.span_attributes} />,
    },
    {
      id: 'events',
      title: span.event_count > 0 ? `Events (${formatNumber(span.event_count)})` : 'Events',
      content: <Events span={span} />,
    },
    { id: 'resource', title: 'Resource', content: <Resource span={span} /> },
    { id: 'raw', title: 'JSON', content: <JsonView label="The span as the API gives it" value={span} /> },
  ]
  const tab = tabs.some(({ id }) => id === address.get('tab')) ? (address.get('tab') as string) : 'content'
  return (
    <>
      <SpanHead span={span} />
      <Tabs
        label="Details of the span"
        selected={tab}
        onSelect={(next) => change({ tab: next === 'content' ? undefined : next })}
        tabs={tabs}
      />
    </>
  )
}

function SpanHead({ span }: { span: TraceSpan }) {
  const { model, promptTokens, completionTokens } = modelUseOf(span)
  const facts = [
    formatDuration(span.duration),
    ...(model ? [model] : []),
    ...(promptTokens === undefined ? [] : [`${formatCount(promptTokens, 'token')} in`]),
    ...(completionTokens === undefined ? [] : [`${formatNumber(completionTokens)} out`]),
  ]
  return (
    <div className="span-head">
      <h2>
        <KindLetter span={span} />
        {span.span_name}
      </h2>
      <p className="row quiet">
        <span className="number">{facts.join(' · ')}</span>
        <CopyButton text={span.span_id} label="Copy id" />
      </p>
      {isError(span) ? (
        <div className="note note-bad">
          <FoldedText
            text={
              span.status_message
                ? `Error: ${span.status_message}`
                : 'Ended with an error and said no more about it.'
            }
            foldAt={400}
          />
        </div>
      ) : null}
    </div>
  )
}

function Content({ span }: { span: TraceSpan }) {
  // The service reads documents in every dialect, the page only in those that name titles and scores.
  const others = documentsOf(span).length === 0 ? span.documents : []
  return (
    <div className="stack">
      <SpanContent span={span} />
      <SpanImages images={span.images} />
      {others.length > 0 ? <Documents documents={others.map((text) => ({ text }))} /> : null}
    </div>
  )
}

function SpanResults({ span }: { span: TraceSpan }) {
  return (
    <div className="stack">
      <Results evaluations={span.evaluations} scores={span.scores} />
      <div className="row">
        <AddScore about={{ trace_id: span.trace_id, span_id: span.span_id }} title="Score this span" />
      </div>
    </div>
  )
}

function Events({ span }: { span: TraceSpan }) {
  if (span.event_count === 0) return <EmptyState title="Nothing was recorded during this span." />
  const left = span.event_count - span.events.length
  return (
    <ol className="stack">
      {span.events.map(({ name, at_ms: ms, attributes }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an event has no name but its place.
        <li key={at} className="stack">
          <h3 className="spread">
            <span>{name}</span>
            <span className="quiet small number">{`after ${formatDuration(Math.max(0, ms))}`}</span>
          </h3>
          {Object.keys(attributes).length > 0 ? (
            <AttributeTable label={`Attributes of ${name}`} attributes={attributes} />
          ) : null}
        </li>
      ))}
      {left > 0 ? <li className="quiet">{`${formatNumber(left)} more are not shown.`}</li> : null}
    </ol>
  )
}

function Resource({ span }: { span: TraceSpan }) {
  const scope = [span.scope_name, span.scope_version].filter(Boolean).join(' ')
  return (
    <div className="stack">
      <p className="quiet">{scope ? `Recorded by ${scope}.` : 'The instrumentation did not name itself.'}</p>
      <AttributeTable label="Attributes of the resource" attributes={span.resource_attributes} />
    </div>
  )
}
