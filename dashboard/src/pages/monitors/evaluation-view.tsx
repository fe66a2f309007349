import { useMemo } from 'react'
import { Link } from 'wouter'
import { ResultBadge } from '../../ui/badge.tsx'
import { EmptyState, Loaded, Note } from '../../ui/feedback.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import { QuotesProvider } from '../../ui/quotes.tsx'
import { Time } from '../../ui/time.tsx'
import './evaluation.css'
import { EvaluationFacts, EvaluationHistory } from './evaluation-facts.tsx'
import { EvaluationInputs } from './evaluation-inputs.tsx'
import { EvaluationSource, useSource } from './evaluation-source.tsx'
import { findQuotes, quotesIn } from './evidence.ts'
import { ExplainNote } from './explain-note.tsx'
import { HumanScores } from './human-scores.tsx'
import './monitors.css'
import { type EvaluationDetail, isMissing, useEvaluation, useEvaluator } from './monitor-queries.ts'
import { Verdicts } from './verdicts.tsx'
import { type SchemaField, STATUS_REASONS, valueWords } from './words.ts'

interface EvaluationViewProps {
  readonly id: string
  /** Annotations are not shown, so that they do not sway a reviewer. */
  readonly hidesScores?: boolean
}

/** One evaluation: what came of it, why, and the texts it is about. */
export function EvaluationView({ id, hidesScores = false }: EvaluationViewProps) {
  const evaluation = useEvaluation(id)
  if (isMissing(evaluation.error)) {
    return (
      <EmptyState title="Evaluation not found">
        It may have expired, or belong to a project that your key has no access to.{' '}
        <Link href="/monitors">See all monitors</Link>
      </EmptyState>
    )
  }
  return (
    <Loaded query={evaluation} lines={10}>
      {(found) => <Evaluated evaluation={found} hidesScores={hidesScores} />}
    </Loaded>
  )
}

function Evaluated({ evaluation, hidesScores }: { evaluation: EvaluationDetail; hidesScores: boolean }) {
  const evaluator = useEvaluator(evaluation.evaluator_type)
  const source = useSource(evaluation)
  const evidence = evaluation.judgement?.evidence
  const quotes = useMemo(() => quotesIn(evidence), [evidence])
  const texts = useMemo(
    () => [...Object.values(evaluation.input ?? {}), ...(source.data?.texts ?? [])],
    [evaluation.input, source.data],
  )
  const found = useMemo(() => findQuotes(texts, quotes), [texts, quotes])
  const marked = useMemo(() => [...found.values()], [found])
  const fields = evaluator.data?.output_schema ?? []
  return (
    <QuotesProvider value={marked}>
      <div className="evaluation-frame">
        <div className="evaluation">
          <div className="stack evaluation-why">
            <Outcome evaluation={evaluation} fields={fields} />
            {evidence ? <Verdicts evidence={evidence} found={found} isLooking={source.isPending} /> : null}
          </div>
          <div className="stack evaluation-what">
            <EvaluationSource evaluation={evaluation} source={source} />
            <EvaluationInputs evaluation={evaluation} />
          </div>
          <div className="stack evaluation-how">
            <EvaluationFacts evaluation={evaluation} />
            <EvaluationHistory evaluation={evaluation} />
            {hidesScores ? null : <HumanScores evaluation={evaluation} fields={fields} />}
            {evaluation.span_id === undefined ? null : <ExplainNote evaluation={evaluation} />}
          </div>
        </div>
      </div>
    </QuotesProvider>
  )
}

function Outcome({ evaluation, fields }: { evaluation: EvaluationDetail; fields: readonly SchemaField[] }) {
  const { status, output, error_message: message } = evaluation
  return (
    <section className="stack" aria-label="Outcome">
      <div className="row evaluation-verdict">
        <ResultBadge result={evaluation} />
        <span className="quiet">
          <Link href={`/monitors/${evaluation.monitor_id}`}>{evaluation.evaluator_type}</Link>
          {', '}
          <Time at={evaluation.created_at} />
        </span>
      </div>
      {status === 'scored' ? null : (
        <Note tone={status === 'superseded' ? 'accent' : 'warn'}>
          <span>{[STATUS_REASONS[status], message].filter(Boolean).join(' ')}</span>
        </Note>
      )}
      {output ? (
        <dl className="evaluation-outputs">
          {Object.entries(output).map(([name, value]) => (
            <Output
              key={name}
              name={name}
              value={value}
              field={fields.find((field) => field.name === name)}
            />
          ))}
        </dl>
      ) : null}
    </section>
  )
}

function Output({ name, value, field }: { name: string; value: unknown; field: SchemaField | undefined }) {
  const words = valueWords(value)
  const isLong = words.length > 24
  return (
    <div className={isLong ? 'evaluation-output evaluation-output-long' : 'evaluation-output'}>
      <dt>{field?.label ?? name}</dt>
      <dd>{isLong ? <FoldedText text={words} /> : words}</dd>
      {field?.description ? <dd className="quiet small">{field.description}</dd> : null}
    </div>
  )
}
