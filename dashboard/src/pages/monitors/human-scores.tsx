import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Loaded } from '../../ui/feedback.tsx'
import { Time } from '../../ui/time.tsx'
import { HumanScoreForm } from './human-score-form.tsx'
import { aboutOf, type EvaluationDetail } from './monitor-queries.ts'
import { type SchemaField, VERDICT_NAME, valueWords } from './words.ts'

/** A review says which verdict is right; other annotations say their name and value. */
function scoreWords({ name, value }: { name: string; value: unknown }): string {
  if (name === VERDICT_NAME) return value === true ? 'Verdict: pass' : 'Verdict: fail'
  return `${name}: ${Array.isArray(value) ? value.join(', ') : valueWords(value)}`
}

/** The annotations of the same unit, and a form to add one. */
export function HumanScores({
  evaluation,
  fields,
}: {
  evaluation: EvaluationDetail
  fields: readonly SchemaField[]
}) {
  const [isWriting, setWriting] = useState(false)
  const about = aboutOf(evaluation)
  const scores = useQuery({
    queryKey: ['scores', about],
    queryFn: () => ok(api.GET('/v2/scores', { params: { query: { ...about, limit: 50 } } })),
  })
  return (
    <section className="stack">
      <h2>Annotations</h2>
      <Loaded query={scores} lines={1}>
        {({ scores: found }) =>
          found.length === 0 ? (
            <p className="quiet">
              No annotations yet. Annotate some results to measure how far the evaluator can be trusted.
            </p>
          ) : (
            <ul className="human-scores">
              {found.map((score) => (
                <li key={score.id}>
                  <strong>{scoreWords(score)}</strong>
                  <span className="quiet small">
                    {` ${score.actor ?? (score.source === 'human' ? 'a person' : score.source)}, `}
                    <Time at={score.created_at} as="ago" />
                  </span>
                  {score.comment ? <p>{score.comment}</p> : null}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {isWriting ? (
        <HumanScoreForm evaluation={evaluation} fields={fields} onDone={() => setWriting(false)} />
      ) : (
        <p>
          <Button onClick={() => setWriting(true)}>Annotate</Button>
        </p>
      )}
    </section>
  )
}
