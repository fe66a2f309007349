import type { OrgTenant, ProjectTenant } from '../../domain/tenant.ts'

/** A value in a list or a row. */
export type SqlItem = string | number | null | Uint8Array

/** A value bound to a place in a statement. Lists and rows are bound to one place, for `Dialect`. */
export type SqlValue = SqlItem | boolean | readonly SqlItem[] | Rows

/** Rows that are bound to one place, each with a value for every column, for `Dialect.rows`. */
export class Rows {
  readonly #list: readonly Readonly<Record<string, SqlItem>>[]

  constructor(list: readonly Readonly<Record<string, SqlItem>>[]) {
    this.#list = list
  }

  /** As engines read them. Half a surrogate pair, which UTF-8 does not have, is replaced as it is in values that stand alone. */
  toJson(textOf: (item: string | Uint8Array) => string): string {
    const itemOf = (item: SqlItem) =>
      typeof item === 'string'
        ? textOf(item.toWellFormed())
        : item instanceof Uint8Array
          ? textOf(item)
          : item
    return JSON.stringify(
      this.#list.map((row) =>
        Object.fromEntries(Object.entries(row).map(([column, item]) => [column, itemOf(item)])),
      ),
    )
  }
}

/** The columns of rows that are bound. */
export type ColumnTypes = Readonly<Record<string, 'text' | 'bigint' | 'bytes'>>

/** Runs statements: on any connection, or inside the transaction that it was made for. Places are `$1`, `$2`. */
export interface Sql {
  readonly dialect: Dialect
  readonly lock: Locks
  all<T = Record<string, unknown>>(sql: string, ...values: SqlValue[]): Promise<T[]>
  /** The first row. */
  get<T = Record<string, unknown>>(sql: string, ...values: SqlValue[]): Promise<T | undefined>
  /** How many rows were changed. */
  run(sql: string, ...values: SqlValue[]): Promise<number>
}

/** The expressions in which the engines differ. */
export interface Dialect {
  /** The condition that a column has one of the values of the list that is bound to a place. */
  oneOf(column: string, place: string): string
  /** The same for a list of bytes. */
  oneOfBytes(column: string, place: string): string
  /**
   * The `Rows` that are bound to a place as a table of that name. Its column `nth` counts them: only who orders by it gets them
   * in the order of the list.
   */
  rows(place: string, name: string, columns: ColumnTypes): string
  /**
   * Joins rows of a table, under the name `found`, to each row before it. `key` is the primary key of the table. `choice` says
   * which rows, in words that can follow `FROM table`: it may name columns of the row before, and its limit holds for each such row.
   */
  joinEach(table: string, key: string, choice: string): string
  /**
   * Joins the rows `r` of a table that a condition on them and on the rows before selects. The engine goes from each row before along an
   * index; left to itself it might read the whole table instead.
   */
  joinWalk(table: string, condition: string): string
  /** Behind the name of a table: makes the engine use an index that it would not choose by itself. */
  indexedBy(index: string): string
  /** The assignments that take a lease away, and its holder where several processes may hold one. */
  readonly released: string
  /** The condition that a text contains the one that is bound to a place. */
  contains(text: string, place: string): string
  /** The bytes that are bound to a place, where nothing around it says that they are bytes. */
  bytes(place: string): string
  /**
   * A query for the rows of another one, for each item of the list that is bound to `$1`: in the order of the items, then of a
   * column. Absent where the engine cannot join laterally.
   */
  readonly forEach?: (type: 'bigint' | 'bytea', query: (item: string) => string, order: string) => string
  /**
   * The columns `sum` and `large_sum` of what the sums in rows of `value_rollups` come to. Sums that the engine would refuse to
   * add up are added up in the latter, in `LARGE_UNIT`.
   */
  readonly addedSums: string
  /** The current time in milliseconds. */
  readonly nowMs: string
  /** The number of a new project. */
  readonly nextProjectNumber: string
  /** The number of a new version of a setup, for each of the rows that `rows` gives. */
  readonly nextSetupVersion: string
  /** A query for `id`, `span_count` and `received_at_ms` of the batches that still have to be summed up. */
  readonly undigested: string
  /** The condition that a row of `span_batches` is one of these, of the project whose number is bound to a place. */
  undigestedOf(project: string): string
}

/**
 * Waits until no other transaction holds the object, then holds it until the end. Where one connection does all writing, every
 * transaction holds everything. An organization comes before any project.
 */
export interface Locks {
  organization(tenant: OrgTenant): Promise<void>
  /** All organizations, against new ones. */
  organizations(): Promise<void>
  project(tenant: ProjectTenant): Promise<ProjectRow>
  /** The same for a project that may not be there: what it would have is then simply not found. */
  projectIfThere(tenant: ProjectTenant): Promise<ProjectRow | undefined>
  /** Only the number of the project, which a deletion of all its data would change; any number may hold it at the same time. */
  projectNumber(tenant: ProjectTenant): Promise<ProjectRow>
  /** The right to record evaluations of the project, exclusively. */
  recording(projectNumber: number): Promise<void>
  /** The right to sum up batches of the project, exclusively. */
  digests(projectNumber: number): Promise<void>
  /** The work of a job that is still to be done. */
  openWorkOf(jobNumber: number): Promise<void>
  customEvaluator(tenant: OrgTenant, evaluatorId: string): Promise<void>
}

/** The part of a project that every operation on it needs. */
export interface ProjectRow {
  readonly number: number
  readonly catalogue_revision: number
  /** When all data of the project was deleted last. */
  readonly data_deleted_at_ms: number | null
}
