import { Link } from 'wouter'
import { Badge, ResultBadge } from '../../ui/badge.tsx'
import { FoldedText } from '../../ui/folded-text.tsx'
import { Time } from '../../ui/time.tsx'
import { valueWords } from './score-words.ts'
import type { Score, ShortEvaluation } from './trace-types.ts'

interface ResultsProps {
  readonly evaluations: readonly ShortEvaluation[]
  readonly scores: readonly Score[]
}

/** The scores of evaluators and the annotations of people and programs, one below the other. */
export function Results({ evaluations, scores }: ResultsProps) {
  if (evaluations.length + scores.length === 0) return <p className="quiet">Nothing yet.</p>
  return (
    <ul className="results">
      {evaluations.map((evaluation) => (
        <li key={evaluation.id} className="result">
          <Evaluation evaluation={evaluation} />
        </li>
      ))}
      {scores.map((score) => (
        <li key={score.id} className="result">
          <Said {...score} />
        </li>
      ))}
    </ul>
  )
}

function Evaluation({ evaluation }: { evaluation: ShortEvaluation }) {
  const { id, evaluator_type: slug, external_id: setup, output, error_message: message } = evaluation
  return (
    <>
      <div className="spread">
        <span className="row">
          <Link href={`/evaluations/${id}`}>{slug}</Link>
          <ResultBadge result={evaluation} />
        </span>
        <span className="quiet small">
          by <Link href={`/setups/${encodeURIComponent(setup)}`}>{setup}</Link>
        </span>
      </div>
      {output ? (
        <dl className="result-fields quiet">
          {Object.entries(output).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd className="number">
                {typeof value === 'string' ? <FoldedText text={value} foldAt={300} /> : valueWords(value)}
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
      {message ? <p className="quiet">{message}</p> : null}
    </>
  )
}

function Said({ name, value, comment, source, actor, evaluator, created_at: at }: Score) {
  const who = source === 'human' ? (actor ?? 'a person') : (actor ?? 'another program')
  return (
    <>
      <div className="spread">
        <span className="row">
          <strong>{name}</strong>
          <Badge tone="accent">{valueWords(value)}</Badge>
        </span>
        <span className="quiet small">
          {`said by ${who}, `}
          <Time at={at} as="ago" />
        </span>
      </div>
      {comment ? <FoldedText text={comment} foldAt={300} /> : null}
      {evaluator ? <p className="quiet small">{`Held against what ${evaluator} says.`}</p> : null}
    </>
  )
}
