import type { UnitOutcome } from '../../domain/evaluation.ts'
import { toOutcomeColumns } from '../shared/outcome-columns.ts'
import type { Sql } from '../shared/sql.ts'

/** An outcome, to whom it belongs and the batch in which its unit lies. */
export interface NewEvaluation {
  readonly projectNumber: number
  readonly monitorVersion: number
  readonly batchId: number
  readonly generation: number
  readonly outcome: UnitOutcome
}

/** An evaluation that was new: its place in what was given, and its number. */
export interface InsertedEvaluation {
  readonly position: number
  readonly number: number
}

/** Stores all that are not stored already and whose trace was not deleted while they were made. */
export async function insertEvaluations(
  tx: Sql,
  evaluations: readonly NewEvaluation[],
): Promise<InsertedEvaluation[]> {
  if (evaluations.length === 0) return []
  const columns = evaluations.map(({ outcome }) => toOutcomeColumns(outcome))
  return tx.all<InsertedEvaluation>(
    INSERT,
    evaluations.length,
    evaluations.map((one) => one.projectNumber),
    evaluations.map((one) => one.monitorVersion),
    evaluations.map((one) => one.batchId),
    evaluations.map((one) => one.generation),
    evaluations.map(({ outcome }) => outcome.traceId),
    evaluations.map(({ outcome }) => outcome.spanId),
    evaluations.map(({ outcome }) => outcome.status),
    evaluations.map(({ outcome }) => outcome.ordinal),
    evaluations.map(({ outcome }) => outcome.unitAtMs),
    evaluations.map(({ outcome }) => outcome.durationUs),
    columns.map((one) => one.value),
    columns.map((one) => one.output),
    columns.map((one) => one.errorMessage),
    columns.map((one) => one.sessionId),
    columns.map((one) => one.judgement),
  )
}

// Numbers are drawn before, so that each row that was stored can be told from those that were given.
const INSERT = `WITH drawn AS MATERIALIZED (SELECT first, at_ms FROM draw_evaluations($1::bigint)),
  given AS MATERIALIZED (
    SELECT drawn.first + position - 1 AS number, drawn.at_ms, position - 1 AS position, project_number, monitor_version, batch_id,
      generation, decode(trace_id, 'hex') AS trace_id, decode(span_id, 'hex') AS span_id, status, ordinal, unit_at_ms,
      duration_us, value, output, error_message, session_id, judgement
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::bigint[],
      $10::bigint[], $11::bigint[], $12::float8[], $13::text[], $14::text[], $15::text[], $16::text[]) WITH ORDINALITY
      AS u (project_number, monitor_version, batch_id, generation, trace_id, span_id, status, ordinal, unit_at_ms,
        duration_us, value, output, error_message, session_id, judgement, position) CROSS JOIN drawn),
  stored AS (
    INSERT INTO evaluations (number, project_number, monitor_version, batch_id, generation, trace_id, span_id, status,
      ordinal, unit_at_ms, duration_us, value, output, error_message, session_id, judgement, created_at_ms)
    SELECT number, project_number, monitor_version, batch_id, generation, trace_id, span_id, status, ordinal, unit_at_ms,
      duration_us, value, output, error_message, session_id, judgement, at_ms
    FROM given WHERE NOT EXISTS (
      SELECT 1 FROM deleted_traces d WHERE d.project_number = given.project_number AND d.trace_id = given.trace_id)
    ON CONFLICT DO NOTHING
    RETURNING number)
  SELECT given.position, given.number FROM given JOIN stored USING (number) ORDER BY given.position`
