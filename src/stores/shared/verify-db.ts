import type { SqlValue } from './verify-values.ts'

/** A statement with its values; places are `$1`, `$2`. */
export interface VerifyQuery {
  readonly sql: string
  readonly values?: readonly SqlValue[]
}

/** The operations that verification needs of a store, in SQL that both databases understand. */
export interface VerifyDb {
  /** Runs all of them on one state of the store. */
  read(...queries: readonly VerifyQuery[]): Promise<Record<string, unknown>[][]>
  /** Runs all of them in one transaction; how many rows each has changed. */
  write(...statements: readonly VerifyQuery[]): Promise<number[]>
  /** The function that counts the units of a set. */
  readonly countUnits: 'count_units' | 'bit_count'
  /** How far the digest has come, as an expression over the batch `b`. */
  readonly digestedThrough: string
  /** A list of spans as a table `v (ordinal, second, trace_id, span_id)`, whose values begin at that place. */
  readonly spanTable: (place: number) => string
  readonly spanValues: (
    spans: readonly { ordinal: number; second: number; traceId: string; spanId: string }[],
  ) => SqlValue[]
  /** Holds the project of that place until the transaction ends, where several processes write. */
  readonly holdProject: string | undefined
}
