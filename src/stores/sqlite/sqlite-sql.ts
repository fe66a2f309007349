import type { SQLInputValue } from 'node:sqlite'
import { projectOf } from '../shared/project-of.ts'
import type { Dialect, Locks, Sql, SqlValue } from '../shared/sql.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

const DIALECT: Dialect = {
  oneOf: (column, place) => `${column} IN (SELECT value FROM json_each(${place}))`,
  oneOfBytes: (column, place) => `${column} IN (SELECT unhex(value) FROM json_each(${place}))`,
  contains: (text, place) => `instr(${text}, ${place}) > 0`,
  bytes: (place) => place,
  indexedBy: (index) => `INDEXED BY ${index}`,
  addedSums: 'sum(CASE WHEN count > 0 THEN sum END) AS sum, 0 AS large_sum',
  nowMs: 'now_ms()',
  nextProjectNumber: '(SELECT coalesce(max(number), 0) + 1 FROM projects)',
  undigested: `SELECT id, span_count, received_at_ms FROM span_batches
    WHERE id IN (SELECT id FROM span_batches WHERE id > (SELECT through FROM digest_progress)
      UNION ALL SELECT batch_id FROM undigested_batches WHERE is_given_up = 0)`,
  // By id alone, which is what the summing up goes by; few batches are behind it.
  undigestedOf: (project) => `id IN (
    SELECT id FROM span_batches WHERE id > (SELECT through FROM digest_progress) AND +project_number = ${project}
    UNION ALL SELECT batch_id FROM undigested_batches WHERE project_number = ${project} AND is_given_up = 0)`,
}

/** The statements of both stores on a connection to SQLite. Nothing waits here: promises only make both stores alike. */
export class SqliteSql implements Sql {
  readonly dialect = DIALECT
  readonly lock: Locks
  readonly #db: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.#db = db
    // The only connection that writes holds everything already.
    this.lock = {
      async organization() {},
      async organizations() {},
      project: (scope) => projectOf(this, scope),
      async customEvaluator() {},
    }
  }

  async all<T>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    return this.#db.all<T>(sql, ...values.map(toParameter))
  }

  async get<T>(sql: string, ...values: SqlValue[]): Promise<T | undefined> {
    return this.#db.get<T>(sql, ...values.map(toParameter))
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    return this.#db.run(sql, ...values.map(toParameter))
  }
}

/** A value as the driver takes it: lists as JSON, in which bytes are hexadecimal. */
function toParameter(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  if (!Array.isArray(value)) return value as SQLInputValue
  return JSON.stringify(
    value.map((item) => (item instanceof Uint8Array ? Buffer.from(item).toString('hex') : item)),
  )
}
