import type { ExplainedSpan, MonitorDecision } from '../../ports/explain-storage.ts'
import {
  type DecidedSetup,
  type ExplainedMonitorRow,
  toMonitorDecisions,
} from '../shared/explained-monitor-rows.ts'
import type { Sql } from '../shared/sql.ts'

/** Versions with work on the batch or an evaluation of the unit, and the current one of each monitor. */
export async function monitorsOf(
  db: Sql,
  project: number,
  { batchId, ordinal, traceId, spanId }: ExplainedSpan,
  setups: readonly DecidedSetup[],
): Promise<Map<string, MonitorDecision[]>> {
  const trace = Buffer.from(traceId, 'hex')
  const stored = await db.get<{ session_id: string | null }>(
    'SELECT session_id FROM traces WHERE project_number = $1 AND trace_id = $2',
    project,
    trace,
  )
  const rows = await db.all<ExplainedMonitorRow>(
    `SELECT m.setup_id, m.slug, m.id AS monitor_id, m.setup_version, v.version, v.scope, v.sampling_rate, v.judge,
            m.is_active, (m.version_number = v.number)::int AS is_current, w.state, w.units, w.attempts, w.ready_at_ms,
            w.lease_until_ms, u.scope AS unit_scope, u.state AS unit_state, u.generation AS unit_generation,
            u.changed_at_ms, u.look_at_ms, u.attempts AS unit_attempts, u.lease_until_ms AS unit_lease_until_ms,
            e.number AS evaluation, e.status, e.generation, e.output, e.error_message, e.created_at_ms
     FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     -- A job may have queued the unit beside the work that came with it; the newest that is open tells most.
     LEFT JOIN LATERAL (
       SELECT * FROM work WHERE batch_id = $1 AND monitor_version = v.number
       ORDER BY state < 2 DESC, job_number DESC LIMIT 1) w ON true
     LEFT JOIN units u ON u.monitor_version = v.number AND u.scope = v.scope AND u.project_number = $5
       AND u.unit_key = CASE v.scope WHEN 'trace' THEN $2::bytea ELSE $6::bytea END
     LEFT JOIN LATERAL (
       SELECT * FROM evaluations WHERE v.scope = 'span' AND monitor_version = v.number AND trace_id = $2
         AND span_id = $3 AND is_current = 1
       UNION ALL SELECT * FROM evaluations WHERE v.scope <> 'span' AND number = u.evaluation) e ON true
     WHERE m.setup_id = ANY($4) AND (w.batch_id IS NOT NULL OR u.unit_key IS NOT NULL
       OR e.number IS NOT NULL OR m.version_number = v.number)
     ORDER BY m.number, v.number`,
    batchId,
    trace,
    Buffer.from(spanId, 'hex'),
    setups.map(({ id }) => id),
    project,
    Buffer.from(stored?.session_id ?? ''),
  )
  return toMonitorDecisions(rows, setups, ordinal)
}
