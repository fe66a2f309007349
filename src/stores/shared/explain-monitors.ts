import type { ExplainedSpan, MonitorDecision } from '../../ports/explain-storage.ts'
import {
  type DecidedSetup,
  type ExplainedEvaluationRow,
  type ExplainedMonitorRow,
  toMonitorDecisions,
} from './explained-monitor-rows.ts'
import type { Sql } from './sql.ts'

/** Versions with work on the batch or an evaluation of the unit, and the current one of each monitor. */
export async function monitorsOf(
  db: Sql,
  project: number,
  { batchId, ordinal, traceId, spanId }: ExplainedSpan,
  setups: readonly DecidedSetup[],
): Promise<Map<string, MonitorDecision[]>> {
  const { oneOf, bytes } = db.dialect
  const trace = Buffer.from(traceId, 'hex')
  const stored = await db.get<{ session_id: string | null }>(
    'SELECT session_id FROM traces WHERE project_number = $1 AND trace_id = $2',
    project,
    trace,
  )
  const rows = await db.all<ExplainedMonitorRow>(
    `SELECT * FROM (SELECT m.setup_id, m.slug, m.id AS monitor_id, m.setup_version, v.version, v.scope, v.sampling_rate, v.judge, v.skips,
            m.is_active, CAST((m.version_number = v.number) AS int) AS is_current, w.state, w.units, w.attempts,
            w.ready_at_ms, w.lease_until_ms, u.scope AS unit_scope, u.state AS unit_state,
            u.generation AS unit_generation, u.changed_at_ms, u.look_at_ms, u.attempts AS unit_attempts,
            u.lease_until_ms AS unit_lease_until_ms, m.number AS monitor_number, v.number AS version_number,
            -- Only its number: joined to this, PostgreSQL might read all evaluations there are.
            CASE v.scope WHEN 'span' THEN (SELECT number FROM evaluations WHERE monitor_version = v.number
              AND trace_id = $2 AND span_id = $3 AND is_current = 1 LIMIT 1) ELSE u.evaluation END AS evaluation
     FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     -- A job may have queued the unit beside the work that came with it; the newest that is open tells most.
     LEFT JOIN work w ON w.batch_id = $1 AND w.monitor_version = v.number AND w.job_number = (
       SELECT job_number FROM work WHERE batch_id = $1 AND monitor_version = v.number
       ORDER BY state < 2 DESC, job_number DESC LIMIT 1)
     LEFT JOIN units u ON u.monitor_version = v.number AND u.scope = v.scope AND u.project_number = $5
       AND u.unit_key = CASE v.scope WHEN 'trace' THEN ${bytes('$2')} ELSE ${bytes('$6')} END
     WHERE ${oneOf('m.setup_id', '$4')}) AS found
     WHERE state IS NOT NULL OR unit_scope IS NOT NULL OR is_current = 1 OR evaluation IS NOT NULL
     ORDER BY monitor_number, version_number`,
    batchId,
    trace,
    Buffer.from(spanId, 'hex'),
    setups.map(({ id }) => id),
    project,
    Buffer.from(stored?.session_id ?? ''),
  )
  return toMonitorDecisions(rows, await evaluationsOf(db, rows), setups, ordinal)
}

async function evaluationsOf(
  db: Sql,
  rows: readonly ExplainedMonitorRow[],
): Promise<Map<number, ExplainedEvaluationRow>> {
  const numbers = rows.flatMap(({ evaluation }) => evaluation ?? [])
  if (numbers.length === 0) return new Map()
  const found = await db.all<ExplainedEvaluationRow>(
    `SELECT e.number, e.status, e.generation, e.output, e.error_message, e.created_at_ms, e.verdict, m.verdict_rule
     FROM evaluations e JOIN monitor_versions v ON v.number = e.monitor_version JOIN monitors m ON m.number = v.monitor_number
     WHERE ${db.dialect.oneOf('e.number', '$1')}`,
    numbers,
  )
  return new Map(found.map((row) => [row.number, row]))
}
