import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-paths.ts'
import { type Standing, summarise, valueWords } from './score-words.ts'
import './score-dots.css'
import type { Score, ShortEvaluation } from './trace-types.ts'

interface ScoreDotsProps {
  readonly evaluations: readonly ShortEvaluation[]
  readonly scores: readonly Score[]
}

/** Dots that a row has room for; the rest is a number. */
const DOTS_MAX = 6

const SIGNS: Readonly<Record<Standing, IconName>> = {
  fail: 'fail',
  error: 'warning',
  pass: 'pass',
  neutral: 'neutral',
  unscored: 'unscored',
}

/** Scores of a row as coloured dots with a sign in each, the worst first. The name and the words are in the title. */
export function ScoreDots({ evaluations, scores }: ScoreDotsProps) {
  const dots = [
    ...summarise(evaluations).map(({ evaluator, standing, words, value }) => ({
      key: evaluator,
      look: `score-${standing}`,
      sign: SIGNS[standing],
      title: `${evaluator}: ${words}${value === undefined ? '' : ` (${value})`}`,
    })),
    ...scores.map(({ id, name, value, source }) => ({
      key: id,
      look: 'score-said',
      sign: 'docs' as const,
      title: `${source === 'human' ? 'Person' : 'Program'}, ${name}: ${valueWords(value)}`,
    })),
  ]
  if (dots.length === 0) return <span className="quiet">–</span>
  const left = dots.slice(DOTS_MAX)
  return (
    <ul className="score-dots" aria-label="Scores">
      {dots.slice(0, DOTS_MAX).map(({ key, look, sign, title }) => (
        <li key={key} className={`score-dot ${look}`} title={title}>
          <Icon name={sign} />
          <span className="visually-hidden">{title}</span>
        </li>
      ))}
      {left.length > 0 ? (
        <li className="quiet small" title={left.map(({ title }) => title).join('\n')}>
          {`+${left.length}`}
        </li>
      ) : null}
    </ul>
  )
}
