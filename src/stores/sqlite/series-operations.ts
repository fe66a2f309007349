import type { ProjectScope } from '../../domain/tenant.ts'
import type {
  Distribution,
  DistributionQuery,
  Progress,
  SeriesBucket,
  SeriesQuery,
} from '../../ports/result-storage.ts'
import {
  type LabelsRow,
  minutesOf,
  type NumbersRow,
  type SketchRow,
  type StatusRow,
  sortBuckets,
  VersionSeries,
  type WaitingRow,
  WaitingSpans,
  wholeSeries,
} from '../shared/series-rows.ts'
import { projectOf } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** Pieces of open work that are read at a time. */
const WORK_SLICE = 5_000

type MinuteRange = readonly [version: number, from: number, to: number, bucketMinutes: number]

export function readSeries(db: SqliteDatabase, scope: ProjectScope, query: SeriesQuery): SeriesBucket[] {
  return sortBuckets(
    versionsOf(db, scope, query).flatMap(({ number, version }) =>
      seriesOf(db, query, number).buckets(query, version),
    ),
  )
}

export function readDistribution(
  db: SqliteDatabase,
  scope: ProjectScope,
  query: DistributionQuery,
): Distribution {
  const [found] = versionsOf(db, scope, query)
  return found ? seriesOf(db, wholeSeries(query), found.number).distribution() : { count: 0 }
}

function versionsOf(
  db: SqliteDatabase,
  scope: ProjectScope,
  wanted: Pick<SeriesQuery, 'monitorId' | 'version'>,
): { number: number; version: number }[] {
  const versions = db.all<{ number: number; version: number }>(
    `SELECT v.number, v.version FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     WHERE m.project_number = ? AND m.id = ? ORDER BY v.version`,
    projectOf(db, scope).number,
    wanted.monitorId,
  )
  return versions.filter(({ version }) => wanted.version === undefined || version === wanted.version)
}

function seriesOf(db: SqliteDatabase, query: SeriesQuery, number: number): VersionSeries {
  const { property, quantile } = query
  const range = [number, ...minutesOf(query)] as const
  const series = new VersionSeries()
  for (const row of statusesOf(db, range)) series.addStatus(row)
  for (const row of numbersOf(db, range, property)) series.addNumbers(row)
  for (const row of valuesIn<LabelsRow>(db, range, property, 'labels')) series.addLabels(row)
  if (quantile !== undefined) {
    for (const row of valuesIn<SketchRow>(db, range, property, 'sketch')) series.addSketch(row)
  }
  return series
}

function statusesOf(db: SqliteDatabase, range: MinuteRange): StatusRow[] {
  return db.all<StatusRow & Record<string, unknown>>(
    `SELECT minute / CAST(?4 AS INTEGER) AS bucket, status, sum(units) AS units FROM status_rollups
     WHERE monitor_version = ?1 AND minute >= ?2 AND minute < ?3 GROUP BY bucket, status`,
    ...range,
  )
}

function numbersOf(db: SqliteDatabase, range: MinuteRange, property: string): NumbersRow[] {
  return db.all<NumbersRow & Record<string, unknown>>(
    `SELECT minute / CAST(?4 AS INTEGER) AS bucket, sum(count) AS count, sum(sum) AS sum, min(min) AS min, max(max) AS max
     FROM value_rollups
     WHERE monitor_version = ?1 AND minute >= ?2 AND minute < ?3 AND property = ?5 AND count > 0 GROUP BY bucket`,
    ...range,
    property,
  )
}

// One row after the other: together they may be tens of megabytes. The cursor ends with this call.
function* valuesIn<Row>(
  db: SqliteDatabase,
  range: MinuteRange,
  property: string,
  column: 'labels' | 'sketch',
): Generator<Row> {
  const rows = db.statement(
    `SELECT minute / CAST(?4 AS INTEGER) AS bucket, ${column} FROM value_rollups
     WHERE monitor_version = ?1 AND minute >= ?2 AND minute < ?3 AND property = ?5 AND ${column} IS NOT NULL`,
  )
  yield* rows.iterate(...range, property) as Iterable<Row>
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
  return waitingSpans(db, project, environment).toProgress(latestSpan ?? undefined, latestEvaluation)
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

function waitingSpans(db: SqliteDatabase, project: number, environment: string | null): WaitingSpans {
  const waiting = new WaitingSpans()
  for (let place = { batchId: 0, version: 0 }; ; ) {
    const rows = db.all<WaitingRow & Record<string, unknown>>(
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
    for (const row of rows) waiting.add(row)
    const last = rows.at(-1)
    if (!last || rows.length < WORK_SLICE) return waiting
    place = { batchId: last.batch_id, version: last.monitor_version }
  }
}
