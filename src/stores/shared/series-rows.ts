import type { EvaluationStatus } from '../../domain/evaluation.ts'
import { emptyRollup, mergeRollups, type ValueRollup } from '../../domain/rollup.ts'
import type { UnitSet } from '../../domain/unit-set.ts'
import { defined } from '../../lib/defined.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import type {
  Distribution,
  DistributionQuery,
  Progress,
  SeriesBucket,
  SeriesQuery,
} from '../../ports/result-storage.ts'
import { WHOLE_MINUTES } from './read-levels.ts'
import type { Dialect } from './sql.ts'

const MINUTE_MS = 60_000

/** The minutes of a query: from, up to, and how many make a bucket. */
export function minutesOf(query: SeriesQuery): readonly [from: number, to: number, bucket: number] {
  return [query.fromMs / MINUTE_MS, query.toMs / MINUTE_MS, query.bucketMs / MINUTE_MS]
}

const WHOLE_MS = MINUTE_MS * WHOLE_MINUTES

/** The query for a distribution: a series that is one bucket, with its histogram. */
export function wholeSeries(query: DistributionQuery): SeriesQuery {
  return { ...query, bucketMs: WHOLE_MS, quantile: 0 }
}

/** How many units of a bucket came to what. */
export interface StatusRow {
  bucket: number
  status: EvaluationStatus
  units: number
}

/** The summary of a bucket's numbers. */
export interface NumbersRow {
  bucket: number
  count: number
  sum: number | null
  min: number
  max: number
}

/** A row with the columns of `addedNumbers`. */
export interface AddedNumbersRow {
  count: number
  min: number
  max: number
  /** Null where it cannot be told. */
  sum: number | null
  /** In `LARGE_UNIT`. */
  large_sum: number
}

/** The unit of large sums, where the engine adds them up apart. */
export const LARGE_UNIT = 2 ** 64

/** The columns that add up the numbers of several rows of `value_rollups`, some of which may hold none. */
export function addedNumbers({ addedSums }: Dialect): string {
  return `sum(count) AS count, min(CASE WHEN count > 0 THEN min END) AS min,
       max(CASE WHEN count > 0 THEN max END) AS max, ${addedSums}`
}

export function sumOfNumbers({ sum, large_sum: large }: AddedNumbersRow): number | null {
  return sum === null || large === 0 ? sum : sum + large * LARGE_UNIT
}

/** The counts of texts of one minute, as they are stored. */
export interface LabelsRow {
  bucket: number
  labels: string
}

/** The histogram of one minute, as it is stored. */
export interface SketchRow {
  bucket: number
  sketch: Uint8Array
}

/** Gathers what is stored of one version, minute by minute where it cannot be added up by the store, into buckets. */
export class VersionSeries {
  readonly #statuses = new Map<number, Partial<Record<EvaluationStatus, number>>>()
  readonly #numbers = new Map<number, Omit<SeriesBucket, 'startMs' | 'version' | 'byStatus'>>()
  readonly #labels = new Map<number, ValueRollup>()
  readonly #sketches = new Map<number, ValueSketch>()

  /** Only buckets with units exist. */
  get isEmpty(): boolean {
    return this.#statuses.size === 0
  }

  addStatus({ bucket, status, units }: StatusRow): void {
    this.#statuses.set(bucket, { ...this.#statuses.get(bucket), [status]: units })
  }

  addNumbers({ bucket, count, sum, min, max }: NumbersRow): void {
    this.#numbers.set(bucket, { count, ...(sum === null ? {} : { sum }), min, max })
  }

  addLabels({ bucket, labels }: LabelsRow): void {
    const rollup = this.#labels.get(bucket) ?? emptyRollup()
    this.#labels.set(bucket, rollup)
    mergeRollups(rollup, { ...emptyRollup(), labels: JSON.parse(labels) })
  }

  addSketch({ bucket, sketch: bytes }: SketchRow): void {
    const sketch = this.#sketches.get(bucket) ?? new ValueSketch()
    this.#sketches.set(bucket, sketch)
    sketch.mergeEncoded(bytes)
  }

  /** A value comes from a unit, so what has values has a status. */
  buckets({ quantile, bucketMs }: SeriesQuery, version: number): SeriesBucket[] {
    return Array.from(this.#statuses, ([bucket, byStatus]) => {
      const share = quantile === undefined ? undefined : this.#sketches.get(bucket)?.quantile(quantile)
      const texts = this.#labels.get(bucket)
      return {
        startMs: bucket * bucketMs,
        version,
        count: 0,
        ...this.#numbers.get(bucket),
        ...defined({ quantile: share }),
        ...(texts && { labels: labelsOf(texts) }),
        byStatus,
      }
    })
  }

  /** All values of a series that is one bucket. */
  distribution(): Distribution {
    const [numbers] = this.#numbers.values()
    const [sketch] = this.#sketches.values()
    const [texts] = this.#labels.values()
    return {
      count: 0,
      ...numbers,
      ...(numbers && sketch && { sketch: sketch.encode() }),
      ...(texts && { labels: labelsOf(texts) }),
    }
  }
}

// A plain object: one without a prototype does not travel between threads as it is.
function labelsOf({ labels = {} }: ValueRollup): Record<string, number> {
  return Object.fromEntries(Object.entries(labels))
}

/** Buckets in order of time, then of version. */
export function sortBuckets(buckets: SeriesBucket[]): SeriesBucket[] {
  return buckets.sort((left, right) => left.startMs - right.startMs || left.version - right.version)
}

/** Units of a batch that a monitor still has to evaluate. */
export interface WaitingRow {
  batch_id: number
  monitor_version: number
  units: UnitSet
  received_at_ms: number
}

/** Counts waiting spans, in order of their batches. A span that several monitors wait for is one span. */
export class WaitingSpans {
  #spans = 0
  #oldestMs: number | undefined
  #batch = { id: 0, units: new Uint8Array() }

  add(row: WaitingRow): void {
    this.#oldestMs = Math.min(this.#oldestMs ?? row.received_at_ms, row.received_at_ms)
    if (row.batch_id !== this.#batch.id) {
      this.#batch = { id: row.batch_id, units: new Uint8Array(row.units.length) }
    }
    this.#spans += addNew(this.#batch.units, row.units)
  }

  /** With the times of the newest span and of the newest evaluation, where there are any. */
  toProgress(latestSpanMs: number | undefined, latestEvaluationMs: number | undefined): Progress {
    return {
      waitingSpans: this.#spans,
      ...(this.#oldestMs === undefined ? {} : { oldestWaitingMs: this.#oldestMs }),
      ...defined({ latestSpanMs, latestEvaluationMs }),
    }
  }
}

/** Adds the units of one set to another and tells how many were not in it yet. */
function addNew(into: UnitSet, units: UnitSet): number {
  let added = 0
  for (const [at, byte] of units.entries()) {
    for (let fresh = byte & ~(into[at] ?? 0); fresh > 0; fresh &= fresh - 1) added++
    into[at] = (into[at] ?? 0) | byte
  }
  return added
}
