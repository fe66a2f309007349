import type { ReactNode } from 'react'
import './badge.css'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent' | 'unscored'

/** The sign of each tone, because a colour alone says nothing to one reader in twenty. */
const SIGNS: Readonly<Record<Tone, IconName>> = {
  neutral: 'neutral',
  good: 'pass',
  warn: 'warning',
  bad: 'fail',
  accent: 'working',
  unscored: 'unscored',
}

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span className={`badge badge-${tone}`}>
      <Icon name={SIGNS[tone]} />
      {children}
    </span>
  )
}

const VERDICTS = {
  pass: { tone: 'good', label: 'Pass' },
  fail: { tone: 'bad', label: 'Fail' },
  neutral: { tone: 'neutral', label: 'Neutral' },
  not_scored: { tone: 'unscored', label: 'Not scored' },
} as const satisfies Readonly<Record<string, { tone: Tone; label: string }>>

/** The words that the service has for a verdict; `not_scored` is ours for a result that has none. */
export type Verdict = keyof typeof VERDICTS

/** The verdict on a score, always with its sign and word. A result without a verdict is not scored. */
export function VerdictBadge({ verdict }: { verdict: string | null | undefined }) {
  const { tone, label } = VERDICTS[verdict as Verdict] ?? VERDICTS.not_scored
  return <Badge tone={tone}>{label}</Badge>
}

const STATUSES: Readonly<Record<string, { tone: Tone; label: string }>> = {
  pending: { tone: 'unscored', label: 'Pending' },
  in_progress: { tone: 'accent', label: 'In progress' },
  waiting_for_spans: { tone: 'warn', label: 'Waiting for spans' },
  completed: { tone: 'good', label: 'Completed' },
  partial: { tone: 'warn', label: 'Partial' },
  failed: { tone: 'bad', label: 'Failed' },
  active: { tone: 'good', label: 'Active' },
  stopped: { tone: 'neutral', label: 'Stopped' },
  scored: { tone: 'good', label: 'Scored' },
  abstained: { tone: 'unscored', label: 'Abstained' },
  missing_input: { tone: 'warn', label: 'Missing input' },
  unparseable: { tone: 'bad', label: 'Unparseable' },
  refused: { tone: 'bad', label: 'Refused' },
  over_budget: { tone: 'warn', label: 'Over budget' },
  sampled_out: { tone: 'unscored', label: 'Sampled out' },
  skipped: { tone: 'unscored', label: 'Skipped' },
  cancelled: { tone: 'neutral', label: 'Cancelled' },
  superseded: { tone: 'neutral', label: 'Superseded' },
  error: { tone: 'bad', label: 'Error' },
  ok: { tone: 'good', label: 'OK' },
}

/** The status of a setup, monitor, evaluation or job, as a sign, a word and a colour. */
export function Status({ of }: { of: string }) {
  const { tone, label } = STATUSES[of] ?? { tone: 'neutral' as const, label: of.replaceAll('_', ' ') }
  return <Badge tone={tone}>{label}</Badge>
}
