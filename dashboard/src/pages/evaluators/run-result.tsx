import { JsonView } from '../../ui/code.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import { formatDuration, formatNumber } from '../../ui/format.ts'
import { placeOfFault, type Run } from './evaluator-call.ts'
import type { SchemaField } from './evaluator-types.ts'
import './run-result.css'

/** The outcome of a call: the answers large, with their meaning; everything else folded. */
export function RunResult({ run, fields }: { run: Run; fields: readonly SchemaField[] }) {
  const { output, error } = run
  if (error) {
    return (
      <div className="stack">
        <ErrorNote error={placeOfFault(error.message)?.message ?? error} />
        <p className="quiet small">{adviceFor(error.status)}</p>
      </div>
    )
  }
  return (
    <div className="stack">
      <dl className="evaluator-answers">
        {fields.map((field) => (
          <Answer key={field.name} field={field} value={output?.[field.name]} />
        ))}
      </dl>
      <p className="quiet small">{`${formatDuration(run.durationMs)} round trip. ${judgedBy(run)}`}</p>
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

function judgedBy({ judge, judgeQuality }: Run): string {
  if (judge === undefined) return ''
  if (judge === 'none') return 'Decided by code, without asking a judge.'
  if (judge === 'embedded') return `Judged by the embedded judge${judgeQuality ? ` (${judgeQuality})` : ''}.`
  return `Judged by ${judge}.`
}

function adviceFor(status: number): string {
  if (status === 429) return 'Budgets are under Settings.'
  if (status === 502) return 'The judge gave no usable answer, so there is no score. A later run may succeed.'
  if (status === 503) return 'Judges and their keys are configured under Settings.'
  return ''
}
