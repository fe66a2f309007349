import { EVALUATION_COLUMNS, type NewEvaluation } from '../shared/new-evaluation.ts'
import type { Sql } from '../shared/sql.ts'

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
  return tx.all<InsertedEvaluation>(
    INSERT,
    evaluations.length,
    ...EVALUATION_COLUMNS.map(({ read }) => evaluations.map(read)),
  )
}

const TYPES = { number: 'bigint', fraction: 'float8', text: 'text', id: 'text' } as const

const COLUMNS = EVALUATION_COLUMNS.map(({ name }) => name).join(', ')
const LISTS = EVALUATION_COLUMNS.map(({ type }, at) => `$${at + 2}::${TYPES[type]}[]`).join(', ')
const VALUES = EVALUATION_COLUMNS.map(({ name, type }) =>
  type === 'id' ? `decode(${name}, 'hex') AS ${name}` : name,
).join(', ')

// Numbers are drawn before, so that each row that was stored can be told from those that were given.
const INSERT = `WITH drawn AS MATERIALIZED (SELECT first, at_ms FROM draw_evaluations($1::bigint)),
  given AS MATERIALIZED (
    SELECT drawn.first + position - 1 AS number, drawn.at_ms, position - 1 AS position, ${VALUES}
    FROM unnest(${LISTS}) WITH ORDINALITY AS u (${COLUMNS}, position) CROSS JOIN drawn),
  stored AS (
    INSERT INTO evaluations (number, created_at_ms, ${COLUMNS})
    SELECT number, at_ms, ${COLUMNS} FROM given WHERE NOT EXISTS (
      SELECT 1 FROM deleted_traces d WHERE d.project_number = given.project_number AND d.trace_id = given.trace_id)
    ON CONFLICT DO NOTHING
    RETURNING number)
  SELECT given.position, given.number FROM given JOIN stored USING (number) ORDER BY given.position`
