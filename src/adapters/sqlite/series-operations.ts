import type { EvaluationStatus } from '../../domain/evaluation.ts'
import { emptyRollup, mergeRollups, type ValueRollup } from '../../domain/rollup.ts'
import type { ProjectScope } from '../../domain/tenant.ts'
import { emptyUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { Progress, SeriesBucket, SeriesQuery } from '../../ports/result-storage.ts'
import { type RollupRow, toRollup } from './record-operations.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

const MINUTE_MS = 60_000
/** Pieces of open work that are read at a time. */
const WORK_SLICE = 5_000

interface Bucket {
  readonly startMs: number
  readonly version: number
  readonly rollup: ValueRollup
  readonly byStatus: Partial<Record<EvaluationStatus, number>>
}

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
    .map((bucket) => toSeriesBucket(bucket, query.quantile))
}

function bucketsOf(db: SqliteDatabase, query: SeriesQuery, number: number, version: number): Bucket[] {
  const buckets = new Map<number, Bucket>()
  const bucketAt = (minute: number): Bucket => {
    const startMs = Math.floor((minute * MINUTE_MS) / query.bucketMs) * query.bucketMs
    const bucket = buckets.get(startMs) ?? { startMs, version, rollup: emptyRollup(), byStatus: {} }
    buckets.set(startMs, bucket)
    return bucket
  }
  const range = [number, query.fromMs / MINUTE_MS, query.toMs / MINUTE_MS] as const
  for (const { minute, status, units } of statusRows(db, range)) {
    const { byStatus } = bucketAt(minute)
    byStatus[status] = (byStatus[status] ?? 0) + units
  }
  for (const row of valueRows(db, range, query)) mergeRollups(bucketAt(row.minute).rollup, toRollup(row))
  return [...buckets.values()]
}

type MinuteRange = readonly [version: number, from: number, to: number]

function statusRows(db: SqliteDatabase, range: MinuteRange) {
  return db.all<{ minute: number; status: EvaluationStatus; units: number }>(
    'SELECT minute, status, units FROM status_rollups WHERE monitor_version = ? AND minute >= ? AND minute < ?',
    ...range,
  )
}

function valueRows(db: SqliteDatabase, range: MinuteRange, { property, quantile }: SeriesQuery) {
  const sketch = quantile === undefined ? 'NULL AS sketch' : 'sketch'
  return db.all<RollupRow & { minute: number }>(
    `SELECT minute, count, sum, min, max, ${sketch}, labels FROM value_rollups
     WHERE monitor_version = ? AND minute >= ? AND minute < ? AND property = ?`,
    ...range,
    property,
  )
}

function toSeriesBucket(
  { startMs, version, rollup, byStatus }: Bucket,
  share: number | undefined,
): SeriesBucket {
  const { count, sum, min, max, sketch, labels } = rollup
  const quantile = share === undefined ? undefined : sketch?.quantile(share)
  return {
    startMs,
    version,
    count,
    ...(count === 0 ? {} : { sum }),
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(quantile === undefined ? {} : { quantile }),
    // A plain object: one without a prototype does not travel between threads as it is.
    ...(labels === undefined ? {} : { labels: Object.fromEntries(Object.entries(labels)) }),
    byStatus,
  }
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
       WHERE w.state < 2 AND (w.batch_id, w.monitor_version) > (?1, ?2)
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
