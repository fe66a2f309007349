import type { EvaluationStatus } from '../../domain/evaluation.ts'
import type { EvaluationScope } from '../../domain/evaluator.ts'
import type { StoredEvaluation } from '../../ports/result-storage.ts'
import { toHex } from './span-rows.ts'
import { parseRule, toVerdict } from './stored-verdict.ts'

/** Length of the id of a span; what is about more than one has something else in its place. */
export const SPAN_ID_BYTES = 8

/** A row of `joinOwners`. */
export interface EvaluationRow {
  number: number
  monitor_version: number
  trace_id: Uint8Array
  span_id: Uint8Array
  generation: number
  is_current: number
  status: EvaluationStatus
  output: string | null
  error_message: string | null
  session_id: string | null
  batch_id: number
  ordinal: number
  unit_at_ms: number
  duration_us: number
  judgement: string | null
  judge: string | null
  created_at_ms: number
  verdict: number | null
  verdict_rule: string | null
  application: string | null
  monitor_id: string
  slug: string
  external_id: string
  env_project_id: string
  environment: string
  scope: EvaluationScope
  version: number
}

/** The evaluations that a statement selects, each with what it belongs to. */
export function joinOwners(evaluations: string): string {
  return `SELECT e.number, e.monitor_version, e.trace_id, e.span_id, e.generation, e.is_current, e.status, e.output,
      e.error_message, e.session_id, e.batch_id, e.ordinal, e.unit_at_ms, e.duration_us, e.judgement, e.created_at_ms, e.verdict,
      m.verdict_rule, a.name AS application,
      m.id AS monitor_id, m.slug, s.external_id, s.env_project_id, n.slug AS environment, v.scope, v.version, v.judge
    FROM (${evaluations}) e
    JOIN monitor_versions v ON v.number = e.monitor_version
    JOIN monitors m ON m.number = v.monitor_number
    JOIN setups s ON s.id = m.setup_id
    JOIN environments n ON n.env_project_id = s.env_project_id
    LEFT JOIN applications a ON a.number = e.application`
}

/** An evaluation as it is told. */
export function toEvaluation(row: EvaluationRow): StoredEvaluation {
  return {
    number: row.number,
    monitorId: row.monitor_id,
    externalId: row.external_id,
    envProjectId: row.env_project_id,
    environment: row.environment,
    slug: row.slug,
    scope: row.scope,
    version: row.version,
    traceId: toHex(row.trace_id),
    // A trace has none, and a session has a name of its own in its place.
    ...(row.span_id.length === SPAN_ID_BYTES ? { spanId: toHex(row.span_id) } : {}),
    ...(row.session_id === null ? {} : { sessionId: row.session_id }),
    ...(row.application === null ? {} : { application: row.application }),
    status: row.is_current === 1 ? row.status : 'superseded',
    generation: row.generation,
    ...(row.output === null ? {} : { output: JSON.parse(row.output) }),
    ...judgedBy(row),
    ...(row.error_message === null ? {} : { errorMessage: row.error_message }),
    batchId: row.batch_id,
    ordinal: row.ordinal,
    unitAtMs: row.unit_at_ms,
    durationUs: row.duration_us,
    ...(row.judge === null ? {} : { judge: row.judge }),
    ...(row.judgement === null ? {} : { judgement: JSON.parse(row.judgement) }),
    createdAtMs: row.created_at_ms,
  }
}

function judgedBy({
  verdict,
  verdict_rule: rule,
}: EvaluationRow): Pick<StoredEvaluation, 'verdict' | 'verdictRule'> {
  return {
    ...(verdict === null ? {} : { verdict: toVerdict(verdict) }),
    ...(rule === null ? {} : { verdictRule: parseRule(rule) }),
  }
}

/** An id as it is stored. */
export function fromHex(text: string): Uint8Array {
  return Buffer.from(text, 'hex')
}
