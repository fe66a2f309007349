import type { EvaluationStatus } from '../../domain/evaluation.ts'
import { emptyRollup, mergeRollups, type ValueRollup } from '../../domain/rollup.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import { emptyUnits, type UnitSet } from '../../domain/unit-set.ts'
import { ValueSketch } from '../../domain/value-sketch.ts'
import type { Progress, SeriesBucket, SeriesQuery } from '../../ports/result-storage.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

const MINUTE_MS = 60_000
/** Pieces of open work that are read at a time. */
const WORK_SLICE = 5_000

type MinuteRange = readonly [version: number, from: number, to: number, bucketMinutes: number]

export function readSeries(db: SqliteDatabase, scope: ProjectScope, query: SeriesQuery): SeriesBucket[] {
  const versions = db.all<{ number: number; version: number }>(
    `SELECT v.number, v.version FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     WHERE m.project_number = ? AND m.id = ? ORDER BY v.version`,
    projectOf(db, scope).number,
    query.monitorId,
  )
  const wanted = versions.filter(({ version }) => query.version === undefined || version === query.version)
  return wanted
    .flatMap(({ number, version }) => bucketsOf(db, query, number, version))
    .sort((left, right) => left.startMs - right.startMs || left.version - right.version)
}

function bucketsOf(db: SqliteDatabase, query: SeriesQuery, number: number, version: number): SeriesBucket[] {
  const { property, quantile, bucketMs } = query
  const range = [number, query.fromMs / MINUTE_MS, query.toMs / MINUTE_MS, bucketMs / MINUTE_MS] as const
  const statuses = statusesOf(db, range)
  const numbers = numbersOf(db, range, property)
  const labels = labelsOf(db, range, property)
  const sketches = quantile === undefined ? undefined : sketchesOf(db, range, property)
  // A value comes from a unit, so what has values has a status.
  return Array.from(statuses, ([bucket, byStatus]) => {
    const shares = quantile === undefined ? undefined : sketches?.get(bucket)?.quantile(quantile)
    const texts = labels.get(bucket)
    return {
      startMs: bucket * bucketMs,
      version,
      count: 0,
      ...numbers.get(bucket),
      ...(shares === undefined ? {} : { quantile: shares }),
      ...(texts === undefined ? {} : { labels: texts }),
      byStatus,
    }
  })
}

function statusesOf(db: SqliteDatabase, range: MinuteRange): Map<number, SeriesBucket['byStatus']> {
  const rows = db.all<{ bucket: number; status: EvaluationStatus; units: number }>(
    `SELECT minute / CAST(?4 AS INTEGER) AS bucket, status, sum(units) AS units FROM status_rollups
     WHERE monitor_version = ?1 AND minute >= ?2 AND minute < ?3 GROUP BY bucket, status`,
    ...range,
  )
  const groups = Map.groupBy(rows, ({ bucket }) => bucket)
  return new Map(
    Array.from(groups, ([bucket, group]) => [
      bucket,
      Object.fromEntries(group.map(({ status, units }) => [status, units])),
    ]),
  )
}

function numbersOf(db: SqliteDatabase, range: MinuteRange, property: string) {
  const rows = db.all<{ bucket: number; count: number; sum: number | null; min: number; max: number }>(
    `SELECT minute / CAST(?4 AS INTEGER) AS bucket, sum(count) AS count, sum(sum) AS sum, min(min) AS min, max(max) AS max
     FROM value_rollups
     WHERE monitor_version = ?1 AND minute >= ?2 AND minute < ?3 AND property = ?5 AND count > 0 GROUP BY bucket`,
    ...range,
    property,
  )
  return new Map(
    rows.map(({ bucket, sum, ...rest }) => [bucket, { ...rest, ...(sum === null ? {} : { sum }) }]),
  )
}

function labelsOf(db: SqliteDatabase, range: MinuteRange, property: string) {
  const rollups = new Map<number, ValueRollup>()
  for (const { bucket, labels } of valuesIn<string>(db, range, property, 'labels')) {
    const rollup = rollups.get(bucket) ?? emptyRollup()
    rollups.set(bucket, rollup)
    mergeRollups(rollup, { ...emptyRollup(), labels: JSON.parse(labels) })
  }
  // Plain objects: one without a prototype does not travel between threads as it is.
  return new Map(
    Array.from(rollups, ([bucket, { labels = {} }]) => [bucket, Object.fromEntries(Object.entries(labels))]),
  )
}

function sketchesOf(db: SqliteDatabase, range: MinuteRange, property: string): Map<number, ValueSketch> {
  const sketches = new Map<number, ValueSketch>()
  for (const { bucket, sketch: bytes } of valuesIn<Uint8Array>(db, range, property, 'sketch')) {
    const sketch = sketches.get(bucket) ?? new ValueSketch()
    sketches.set(bucket, sketch)
    sketch.mergeEncoded(bytes)
  }
  return sketches
}

// One row after the other: together they may be tens of megabytes. The cursor ends with this call.
function* valuesIn<Value>(
  db: SqliteDatabase,
  range: MinuteRange,
  property: string,
  column: 'labels' | 'sketch',
): Generator<{ bucket: number } & Record<typeof column, Value>> {
  const rows = db.statement(
    `SELECT minute / CAST(?4 AS INTEGER) AS bucket, ${column} FROM value_rollups
     WHERE monitor_version = ?1 AND minute >= ?2 AND minute < ?3 AND property = ?5 AND ${column} IS NOT NULL`,
  )
  yield* rows.iterate(...range, property) as Iterable<{ bucket: number } & Record<typeof column, Value>>
}

export function readProgress(db: SqliteDatabase, scope: ProjectScope, envProjectId?: string): Progress {
  const { number: project } = projectOf(db, scope)
  const environment = envProjectId ?? null
  const latestSpan = db.get<{ at_ms: number | null }>(
    `SELECT max(received_at_ms) AS at_ms FROM (
       SELECT received_at_ms FROM span_batches
       WHERE project_number = ?1 AND (?2 IS NULL OR env_project_id = ?2) ORDER BY received_at_ms DESC LIMIT 1)`,
    project,
    environment,
  )?.at_ms
  const latestEvaluation = latestEvaluationOf(db, project, environment)
  const waiting = waitingSpans(db, project, environment)
  return {
    waitingSpans: waiting.spans,
    ...(waiting.oldestMs === undefined ? {} : { oldestWaitingMs: waiting.oldestMs }),
    ...(latestSpan === null || latestSpan === undefined ? {} : { latestSpanMs: latestSpan }),
    ...(latestEvaluation === undefined ? {} : { latestEvaluationMs: latestEvaluation }),
  }
}

function latestEvaluationOf(
  db: SqliteDatabase,
  project: number,
  environment: string | null,
): number | undefined {
  if (environment === null) {
    return db.get<{ at_ms: number }>(
      'SELECT created_at_ms AS at_ms FROM evaluations WHERE project_number = ? ORDER BY number DESC LIMIT 1',
      project,
    )?.at_ms
  }
  const row = db.get<{ at_ms: number | null }>(
    `SELECT max((SELECT created_at_ms FROM evaluations WHERE monitor_version = v.number
                 ORDER BY number DESC LIMIT 1)) AS at_ms
     FROM monitors m JOIN setups s ON s.id = m.setup_id JOIN monitor_versions v ON v.monitor_number = m.number
     WHERE m.project_number = ? AND s.env_project_id = ?`,
    project,
    environment,
  )
  return row?.at_ms ?? undefined
}

/** A span that several monitors wait for is one span: the bitmaps of a batch are laid over each other. */
function waitingSpans(
  db: SqliteDatabase,
  project: number,
  environment: string | null,
): { spans: number; oldestMs?: number } {
  let spans = 0
  let oldestMs: number | undefined
  let batch = { id: 0, units: emptyUnits(0) }
  for (let place = { batchId: 0, version: 0 }; ; ) {
    const rows = db.all<{
      batch_id: number
      monitor_version: number
      units: UnitSet
      received_at_ms: number
    }>(
      `SELECT w.batch_id, w.monitor_version, w.units, b.received_at_ms
       FROM work w INDEXED BY work_open
       JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
       JOIN span_batches b ON b.id = w.batch_id
       WHERE w.state < 2 AND w.job_number = 0 AND (w.batch_id, w.monitor_version) > (?1, ?2)
         AND m.project_number = ?3 AND (?4 IS NULL OR b.env_project_id = ?4)
       ORDER BY w.batch_id, w.monitor_version LIMIT ?5`,
      place.batchId,
      place.version,
      project,
      environment,
      WORK_SLICE,
    )
    for (const row of rows) {
      oldestMs = Math.min(oldestMs ?? row.received_at_ms, row.received_at_ms)
      if (row.batch_id !== batch.id) batch = { id: row.batch_id, units: emptyUnits(row.units.length * 8) }
      spans += addNew(batch.units, row.units)
    }
    const last = rows.at(-1)
    if (!last || rows.length < WORK_SLICE) return { spans, ...(oldestMs === undefined ? {} : { oldestMs }) }
    place = { batchId: last.batch_id, version: last.monitor_version }
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
