import { summarise, valueWords } from './score-words.ts'
import './score-badges.css'
import type { Score, ShortEvaluation } from './trace-types.ts'

interface ScoreBadgesProps {
  readonly evaluations: readonly ShortEvaluation[]
  readonly scores: readonly Score[]
  /** How many are shown; the rest is a number. */
  readonly most?: number
}

/** Scores and annotations, each as a small badge. A long name is cut, its value never. */
export function ScoreBadges({ evaluations, scores, most = 3 }: ScoreBadgesProps) {
  const badges = [
    ...summarise(evaluations).map(({ evaluator, words, hasFailed, details }) => ({
      key: evaluator,
      look: hasFailed ? 'score-failed' : '',
      name: evaluator,
      words,
      title: details,
    })),
    ...scores.map(({ id, name, value, source, comment }) => ({
      key: id,
      look: 'score-said',
      name: `${source === 'human' ? 'person' : 'outside'}: ${name}`,
      words: valueWords(value),
      title: comment ?? `${name}: ${valueWords(value)}`,
    })),
  ]
  const left = badges.slice(most)
  return (
    <span className="score-badges">
      {badges.slice(0, most).map(({ key, look, name, words, title }) => (
        <span key={key} className={`score-badge ${look}`} title={title}>
          <span className="score-name">{name}</span>
          <strong>{words}</strong>
        </span>
      ))}
      {left.length > 0 ? (
        <span className="quiet small" title={left.map(({ name, words }) => `${name}: ${words}`).join('\n')}>
          {`+${left.length}`}
        </span>
      ) : null}
    </span>
  )
}
