import type { SQLInputValue } from 'node:sqlite'
import { findProject, projectOf } from '../shared/project-of.ts'
import { toHex } from '../shared/span-rows.ts'
import { type Dialect, type Locks, Rows, type Sql, type SqlValue } from '../shared/sql.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** The words of SQLite. */
export const SQL_DIALECT: Dialect = {
  oneOf: (column, place) => `${column} IN (SELECT value FROM json_each(${place}))`,
  oneOfBytes: (column, place) => `${column} IN (SELECT unhex(value) FROM json_each(${place}))`,
  rows(place, name, columns) {
    const values = Object.entries(columns).map(([column, type]) => {
      const value = `value ->> '${column}'`
      return `${type === 'bytes' ? `unhex(${value})` : value} AS ${column}`
    })
    return `(SELECT ${values.join(', ')}, key AS nth FROM json_each(${place})) AS ${name}`
  },
  // It has no lateral joins, but a list may be made anew for each row; the cross join keeps the tables in their order.
  joinEach: (table, key, choice) =>
    `CROSS JOIN ${table} AS found ON found.${key} IN (SELECT ${key} FROM ${table} ${choice})`,
  joinWalk: (table, condition) => `CROSS JOIN ${table} AS r ON ${condition}`,
  indexedBy: (index) => `INDEXED BY ${index}`,
  released: 'lease = NULL',
  contains: (text, place) => `instr(${text}, ${place}) > 0`,
  bytes: (place) => place,
  addedSums: 'sum(CASE WHEN count > 0 THEN sum END) AS sum, 0 AS large_sum',
  nowMs: 'now_ms()',
  nextProjectNumber: '(SELECT coalesce(max(number), 0) + 1 FROM projects)',
  nextSetupVersion: '(SELECT coalesce(max(number), 0) + 1 FROM setup_versions) + nth',
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
  readonly dialect = SQL_DIALECT
  readonly lock: Locks
  readonly database: SqliteDatabase

  constructor(db: SqliteDatabase) {
    this.database = db
    // The only connection that writes holds everything already.
    this.lock = {
      async organization() {},
      async organizations() {},
      project: (tenant) => projectOf(this, tenant),
      projectIfThere: (tenant) => findProject(this, tenant),
      projectNumber: (tenant) => projectOf(this, tenant),
      async recording() {},
      async digests() {},
      async openWorkOf() {},
      async customEvaluator() {},
    }
  }

  async all<T>(sql: string, ...values: SqlValue[]): Promise<T[]> {
    return this.database.all<T>(sql, ...values.map(toParameter))
  }

  async get<T>(sql: string, ...values: SqlValue[]): Promise<T | undefined> {
    return this.database.get<T>(sql, ...values.map(toParameter))
  }

  async run(sql: string, ...values: SqlValue[]): Promise<number> {
    return this.database.run(sql, ...values.map(toParameter))
  }
}

/** A value as the driver takes it: lists and rows as JSON, in which bytes are hexadecimal. */
function toParameter(value: SqlValue): SQLInputValue {
  if (typeof value === 'boolean') return Number(value)
  if (value instanceof Rows) return value.toJson((item) => (typeof item === 'string' ? item : toHex(item)))
  if (!Array.isArray(value)) return value as SQLInputValue
  return JSON.stringify(value.map((item) => (item instanceof Uint8Array ? toHex(item) : item)))
}
