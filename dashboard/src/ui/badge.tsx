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
} as const satisfies Readonly<Record<string, { tone: Tone; label: string }>>

/** The words that the service has for a verdict. */
export type Verdict = keyof typeof VERDICTS

interface VerdictBadgeProps {
  readonly verdict: Verdict
  /** The evaluator's own words for it, such as "Personal data found". */
  readonly label?: string | undefined
}

/** The verdict on a score, always with its sign and words. */
export function VerdictBadge({ verdict, label }: VerdictBadgeProps) {
  const { tone, label: usual } = VERDICTS[verdict]
  return <Badge tone={tone}>{label ?? usual}</Badge>
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

interface ResultBadgeProps {
  readonly result: {
    readonly status: string
    readonly verdict?: Verdict | undefined
    readonly verdict_label?: string | undefined
  }
}

/** The verdict on a result, or its status where there is none. */
export function ResultBadge({ result: { status, verdict, verdict_label: label } }: ResultBadgeProps) {
  return verdict === undefined ? <Status of={status} /> : <VerdictBadge verdict={verdict} label={label} />
}
