import { formatCount, formatNumber } from '../../ui/format.ts'
import type { Job } from './job-progress.tsx'

/** How far a job has come, in words. */
export function progressWords({ kind, limit_by, progress }: Job): string {
  const { looked_at, taken, queued, evaluated } = progress
  const unit = kind === 'rerun' ? 'result' : limit_by === 'traces' ? 'trace' : 'span'
  const looked = `Looked at ${formatCount(looked_at, kind === 'rerun' ? 'result' : 'span')} and took ${formatCount(taken, unit)}.`
  if (queued === 0) return taken === 0 ? looked : `${looked} Traces and sessions are scored as they are read.`
  return `${looked} Made ${formatNumber(evaluated)} of ${formatCount(queued, 'evaluation')}.`
}
