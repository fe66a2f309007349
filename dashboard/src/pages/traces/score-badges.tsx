import { Badge } from '../../ui/badge.tsx'
import { summarise, valueWords } from './score-words.ts'
import './score-badges.css'
import type { Score, ShortEvaluation } from './trace-types.ts'

interface ScoreBadgesProps {
  readonly evaluations: readonly ShortEvaluation[]
  readonly scores: readonly Score[]
  /** How many are shown; the rest is a number. */
  readonly most?: number
}

/** What evaluators found and people said, each as a small badge. */
export function ScoreBadges({ evaluations, scores, most = 3 }: ScoreBadgesProps) {
  const badges = [
    ...summarise(evaluations).map(({ evaluator, words, hasFailed, details }) => ({
      key: evaluator,
      tone: hasFailed ? ('bad' as const) : ('neutral' as const),
      text: `${evaluator} ${words}`,
      title: details,
    })),
    ...scores.map(({ id, name, value, source, comment }) => ({
      key: id,
      tone: 'accent' as const,
      text: `${source === 'human' ? 'person' : 'outside'}: ${name} ${valueWords(value)}`,
      title: comment ?? '',
    })),
  ]
  if (badges.length === 0) return <span className="quiet">–</span>
  const left = badges.slice(most)
  return (
    <span className="score-badges">
      {badges.slice(0, most).map(({ key, tone, text, title }) => (
        <span key={key} title={title}>
          <Badge tone={tone}>{text}</Badge>
        </span>
      ))}
      {left.length > 0 ? (
        <span className="quiet small" title={left.map(({ text }) => text).join('\n')}>
          {`+${left.length} more`}
        </span>
      ) : null}
    </span>
  )
}
