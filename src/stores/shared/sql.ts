import type { OrgScope, ProjectScope } from '../../domain/tenant.ts'

/** What can be bound to a place in a statement. A list is bound to one place, for `Dialect.oneOf`. */
export type SqlValue =
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null | Uint8Array)[]

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

/** What the engines have different words for. */
export interface Dialect {
  /** The condition that a column has one of the values of the list that is bound to a place. */
  oneOf(column: string, place: string): string
  /** The same for a list of bytes. */
  oneOfBytes(column: string, place: string): string
  /** The condition that a text contains the one that is bound to a place. */
  contains(text: string, place: string): string
  /** The bytes that are bound to a place, where nothing around it says that they are bytes. */
  bytes(place: string): string
  /** Behind the name of a table: makes the engine use an index that it would not choose by itself. */
  indexedBy(index: string): string
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
  /** A query for `id`, `span_count` and `received_at_ms` of the batches that still have to be summed up. */
  readonly undigested: string
  /** The condition that a row of `span_batches` is one of these, of the project whose number is bound to a place. */
  undigestedOf(project: string): string
}

/**
 * Waits until nobody else holds something and holds it until the transaction ends. Where one connection does all writing, every
 * transaction holds everything. An organization comes before any project.
 */
export interface Locks {
  organization(scope: OrgScope): Promise<void>
  /** All organizations, against new ones. */
  organizations(): Promise<void>
  project(scope: ProjectScope): Promise<ProjectRow>
  customEvaluator(scope: OrgScope, evaluatorId: string): Promise<void>
}

/** What everybody who works on a project has to know of it. */
export interface ProjectRow {
  readonly number: number
  readonly catalogue_revision: number
  /** When all data of the project was deleted last. */
  readonly data_deleted_at_ms: number | null
}
