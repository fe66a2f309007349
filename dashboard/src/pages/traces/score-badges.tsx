import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-paths.ts'
import { type Standing, summarise, valueWords } from './score-words.ts'
import './score-badges.css'
import type { Score, ShortEvaluation } from './trace-types.ts'

interface ScoreBadgesProps {
  readonly evaluations: readonly ShortEvaluation[]
  readonly scores: readonly Score[]
  /** How many are shown; the rest is a number. */
  readonly most?: number
}

const SIGNS: Readonly<Record<Standing, IconName>> = {
  fail: 'fail',
  error: 'warning',
  pass: 'pass',
  neutral: 'neutral',
  unscored: 'unscored',
}

/** Scores and annotations, each as a small badge. A long name is cut, its value never. */
export function ScoreBadges({ evaluations, scores, most = 3 }: ScoreBadgesProps) {
  const badges = [
    ...summarise(evaluations).map(({ evaluator, standing, words, value, details }) => ({
      key: evaluator,
      look: `score-${standing}`,
      sign: SIGNS[standing],
      name: evaluator,
      words,
      value,
      title: details,
    })),
    ...scores.map(({ id, name, value, source, comment }) => ({
      key: id,
      look: 'score-said',
      sign: undefined,
      name: `${source === 'human' ? 'person' : 'outside'}: ${name}`,
      words: valueWords(value),
      value: undefined,
      title: comment ?? `${name}: ${valueWords(value)}`,
    })),
  ]
  const left = badges.slice(most)
  return (
    <span className="score-badges">
      {badges.slice(0, most).map(({ key, look, sign, name, words, value, title }) => (
        <span key={key} className={`score-badge ${look}`} title={title}>
          {sign ? <Icon name={sign} /> : null}
          <span className="score-name">{name}</span>
          <strong>{words}</strong>
          {value === undefined ? null : <span className="score-value number">{value}</span>}
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
