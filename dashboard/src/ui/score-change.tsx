import './score-change.css'
import { type Course, changeWords } from './score-change-words.ts'

/** The change of a mean against the previous period: green where it got better, red where it got worse. */
export function ScoreChange({ course }: { course: Course }) {
  const change = changeWords(course)
  if (!change) return null
  return (
    <span className={`score-change score-change-${change.tone} small`}>
      {change.sign ? <span aria-hidden="true">{`${change.sign} `}</span> : null}
      {change.words}
      {change.sign ? <span className="visually-hidden"> than in the previous period</span> : null}
    </span>
  )
}
