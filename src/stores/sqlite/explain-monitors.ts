import type { ExplainedSpan, MonitorDecision } from '../../ports/explain-storage.ts'
import {
  type DecidedSetup,
  type ExplainedMonitorRow,
  toMonitorDecisions,
} from '../shared/explained-monitor-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Versions with work on the batch or an evaluation of the unit, and the current one of each monitor. */
export function monitorsOf(
  db: SqliteDatabase,
  project: number,
  { batchId, ordinal, traceId, spanId }: ExplainedSpan,
  setups: readonly DecidedSetup[],
): Map<string, MonitorDecision[]> {
  const trace = Buffer.from(traceId, 'hex')
  const session = db.get<{ session_id: string | null }>(
    'SELECT session_id FROM traces WHERE project_number = ? AND trace_id = ?',
    project,
    trace,
  )?.session_id
  const rows = db.all<ExplainedMonitorRow>(
    `SELECT m.setup_id, m.slug, m.id AS monitor_id, m.setup_version, v.version, v.scope, v.sampling_rate, v.judge,
            m.is_active, m.version_number = v.number AS is_current, w.state, w.units, w.attempts, w.ready_at_ms,
            w.lease_until_ms, u.scope AS unit_scope, u.state AS unit_state, u.generation AS unit_generation,
            u.changed_at_ms, u.look_at_ms, u.attempts AS unit_attempts, u.lease_until_ms AS unit_lease_until_ms,
            e.number AS evaluation, e.status, e.generation, e.output, e.error_message, e.created_at_ms
     FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     -- A job may have queued the unit beside the work that came with it; the newest that is open tells most.
     LEFT JOIN work w ON w.batch_id = ?1 AND w.monitor_version = v.number AND w.job_number = (
       SELECT job_number FROM work WHERE batch_id = ?1 AND monitor_version = v.number
       ORDER BY state < 2 DESC, job_number DESC LIMIT 1)
     LEFT JOIN units u ON u.monitor_version = v.number AND u.project_number = ?5
       AND ((u.scope = 'trace' AND u.unit_key = ?2) OR (u.scope = 'session' AND u.unit_key = ?6))
     LEFT JOIN evaluations e ON e.number = CASE v.scope
       WHEN 'span' THEN (SELECT number FROM evaluations WHERE monitor_version = v.number AND trace_id = ?2
         AND span_id = ?3 AND is_current = 1)
       ELSE u.evaluation END
     WHERE m.setup_id IN (SELECT value FROM json_each(?4)) AND (w.batch_id IS NOT NULL OR u.unit_key IS NOT NULL
       OR e.number IS NOT NULL OR m.version_number = v.number)
     ORDER BY m.number, v.number`,
    batchId,
    trace,
    Buffer.from(spanId, 'hex'),
    JSON.stringify(setups.map(({ id }) => id)),
    project,
    Buffer.from(session ?? ''),
  )
  return toMonitorDecisions(rows, setups, ordinal)
}
