import type { OutcomeStatus } from '../../domain/evaluation.ts'
import type { RerunRequest } from '../../domain/job.ts'

/** An evaluation that a rerun looks at, with the monitor that it belongs to as that is now. */
export interface CandidateRow {
  number: number
  monitor_version: number
  trace_id: Uint8Array
  span_id: Uint8Array
  session_id: string | null
  batch_id: number
  ordinal: number
  is_current: number
  status: OutcomeStatus
  created_at_ms: number
  evaluator_version: number
  slug: string
  monitor_id: string
  external_id: string
  version_number: number
  is_active: number
  is_judged: number
  is_gathered: number
}

/** Whether a rerun means the evaluation. History is never meant. */
export function isMeant(request: RerunRequest, row: CandidateRow): boolean {
  const is = <Value>(wanted: Value | undefined, found: Value) => wanted === undefined || wanted === found
  return (
    row.is_current === 1 &&
    request.statuses.includes(row.status) &&
    is(request.slug, row.slug) &&
    is(request.evaluatorVersion, row.evaluator_version) &&
    is(request.monitorId, row.monitor_id) &&
    is(request.externalId, row.external_id) &&
    is(request.traceId, Buffer.from(row.trace_id).toString('hex')) &&
    row.created_at_ms >= (request.fromMs ?? 0) &&
    row.created_at_ms < (request.toMs ?? Number.MAX_SAFE_INTEGER)
  )
}
