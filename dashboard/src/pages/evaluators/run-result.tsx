import { Link } from 'wouter'
import { VerdictBadge } from '../../ui/badge.tsx'
import { JsonView } from '../../ui/code.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import { formatNumber } from '../../ui/format.ts'
import { placeOfFault, type Run } from './evaluator-call.ts'
import type { SchemaField } from './evaluator-types.ts'
import './run-result.css'
import { TriedEvidence, TriedFacts } from './tried-facts.tsx'

/** The outcome of a call: the answers large, with their meaning; everything else folded. */
export function RunResult({ run, fields }: { run: Run; fields: readonly SchemaField[] }) {
  const { output, error, tried } = run
  if (error) {
    return (
      <div className="stack">
        <ErrorNote error={placeOfFault(error.message)?.message ?? error} />
        <Advice status={error.status} />
      </div>
    )
  }
  return (
    <div className="stack">
      {tried?.verdict ? (
        <div className="tried-verdict">
          <VerdictBadge verdict={tried.verdict} label={tried.verdict_label} />
        </div>
      ) : null}
      <dl className="evaluator-answers">
        {fields.map((field) => (
          <Answer key={field.name} field={field} value={output?.[field.name]} />
        ))}
      </dl>
      <TriedEvidence run={run} />
      <TriedFacts run={run} />
      <details>
        <summary>Raw response</summary>
        <JsonView label="JSON" value={output} />
      </details>
    </div>
  )
}

function Answer({ field, value }: { field: SchemaField; value: unknown }) {
  return (
    <div className="evaluator-answer">
      <dt>{field.label}</dt>
      <dd>
        <Value value={value} isText={field.type === 'string'} />
        {field.description ? <span className="quiet small">{field.description}</span> : null}
      </dd>
    </div>
  )
}

function Value({ value, isText }: { value: unknown; isText: boolean }) {
  if (value === undefined || value === null) return <span className="evaluator-value">–</span>
  if (typeof value === 'boolean') return <span className="evaluator-value">{value ? 'Yes' : 'No'}</span>
  if (typeof value === 'number') return <span className="evaluator-value number">{formatNumber(value)}</span>
  if (typeof value !== 'string') return <FoldedText text={JSON.stringify(value, undefined, 2)} isCode />
  if (!isText || !/\s/.test(value)) return <span className="evaluator-value">{value}</span>
  return <FoldedText text={value} />
}

function Advice({ status }: { status: number }) {
  if (status === 503)
    return (
      <p className="quiet small">
        <Link href="/settings?tab=judges">Connect a judge</Link> if none is configured.
      </p>
    )
  const words =
    status === 429
      ? 'Budgets are under Settings.'
      : status === 502
        ? 'The judge gave no usable answer, so there is no score. A later run may succeed.'
        : ''
  return words === '' ? null : <p className="quiet small">{words}</p>
}
