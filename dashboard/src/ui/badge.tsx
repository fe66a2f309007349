import type { ReactNode } from 'react'
import './badge.css'

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'accent'

export function Badge({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`badge badge-${tone}`}>{children}</span>
}

const STATUSES: Readonly<Record<string, { tone: Tone; label: string }>> = {
  pending: { tone: 'neutral', label: 'Pending' },
  in_progress: { tone: 'accent', label: 'In progress' },
  waiting_for_spans: { tone: 'warn', label: 'Waiting for spans' },
  completed: { tone: 'good', label: 'Completed' },
  partial: { tone: 'warn', label: 'Partial' },
  failed: { tone: 'bad', label: 'Failed' },
  active: { tone: 'good', label: 'Active' },
  stopped: { tone: 'neutral', label: 'Stopped' },
  scored: { tone: 'good', label: 'Scored' },
  abstained: { tone: 'neutral', label: 'Abstained' },
  missing_input: { tone: 'warn', label: 'Missing input' },
  unparseable: { tone: 'bad', label: 'Unparseable' },
  refused: { tone: 'bad', label: 'Refused' },
  over_budget: { tone: 'warn', label: 'Over budget' },
  sampled_out: { tone: 'neutral', label: 'Sampled out' },
  skipped: { tone: 'neutral', label: 'Skipped' },
  cancelled: { tone: 'neutral', label: 'Cancelled' },
  superseded: { tone: 'neutral', label: 'Superseded' },
  error: { tone: 'bad', label: 'Error' },
  ok: { tone: 'good', label: 'OK' },
}

/** A state of a setup, monitor, evaluation or job, in words and in a colour. */
export function Status({ of }: { of: string }) {
  const { tone, label } = STATUSES[of] ?? { tone: 'neutral' as const, label: of.replaceAll('_', ' ') }
  return <Badge tone={tone}>{label}</Badge>
}
