import type { components } from '../../api/schema.gen.ts'
import { Note } from '../../ui/feedback.tsx'
import { formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'

/** The outcome of asking a judge one question: that it answered and what that took, or the problem in words. */
export function JudgeTestResult({ test }: { test: components['schemas']['JudgeTest'] }) {
  const took = formatDuration(test.duration_ms)
  if (!test.answered) {
    return (
      <Note tone="bad">
        <span>{`No answer after ${took}: ${test.problem ?? 'unknown problem'}`}</span>
      </Note>
    )
  }
  const tokens = (test.prompt_tokens ?? 0) + (test.completion_tokens ?? 0)
  const cost = test.cost_usd === undefined ? '' : `, ${formatUsd(test.cost_usd)}`
  return (
    <Note tone="good">
      <span>{`It answered in ${took} (${formatNumber(tokens)} tokens${cost}).`}</span>
    </Note>
  )
}
