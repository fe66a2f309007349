import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  Distribution,
  DistributionQuery,
  Progress,
  SeriesBucket,
  SeriesQuery,
} from '../../ports/result-storage.ts'
import { MONITOR_FOLDS } from './fold-kinds.ts'
import { projectOf } from './project-of.ts'
import { type BoundStretch, leveled, stretchesOf } from './read-levels.ts'
import {
  type AddedNumbersRow,
  addedNumbers,
  type LabelsRow,
  minutesOf,
  type NumbersRow,
  type SketchRow,
  type StatusRow,
  sortBuckets,
  sumOfNumbers,
  VersionSeries,
  type WaitingSpans,
  wholeSeries,
} from './series-rows.ts'
import { Rows, type Sql } from './sql.ts'

/** Minutes, or folded periods, whose texts or histograms are read at a time: together they may be tens of megabytes. */
const MINUTES_SLICE = 2_000

export async function readSeries(
  db: Sql,
  tenant: ProjectTenant,
  query: SeriesQuery,
): Promise<SeriesBucket[]> {
  const wanted = await versionsOf(db, tenant, query)
  const series = await seriesOf(
    db,
    query,
    wanted.map(({ number }) => number),
  )
  return sortBuckets(
    wanted.flatMap(({ number, version }) => series.get(number)?.buckets(query, version) ?? []),
  )
}

export async function readDistribution(
  db: Sql,
  tenant: ProjectTenant,
  query: DistributionQuery,
): Promise<Distribution> {
  const versions = await versionsOf(db, tenant, query)
  const series = await seriesOf(
    db,
    wholeSeries(query),
    versions.map(({ number }) => number),
  )
  const [found] = series.values()
  return found?.distribution() ?? { count: 0 }
}

async function versionsOf(
  db: Sql,
  tenant: ProjectTenant,
  wanted: Pick<SeriesQuery, 'monitorId' | 'version'>,
): Promise<{ number: number; version: number }[]> {
  const versions = await db.all<{ number: number; version: number }>(
    `SELECT v.number, v.version FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     WHERE m.project_number = $1 AND m.id = $2 ORDER BY v.version`,
    (await projectOf(db, tenant)).number,
    wanted.monitorId,
  )
  return versions.filter(({ version }) => wanted.version === undefined || version === wanted.version)
}

async function seriesOf(
  db: Sql,
  query: SeriesQuery,
  numbers: readonly number[],
): Promise<Map<number, VersionSeries>> {
  const series = new Map(numbers.map((number) => [number, new VersionSeries()]))
  if (numbers.length === 0) return series
  const range = minutesOf(query)
  const [, , bucketMinutes] = range
  const stretches = await stretchesOf(db, MONITOR_FOLDS, numbers, range)
  for (const row of await statusesOf(db, stretches, bucketMinutes))
    series.get(row.monitor_version)?.addStatus(row)
  const used = numbers.filter((number) => !series.get(number)?.isEmpty)
  const ofUsed = stretches.filter(({ owner }) => used.includes(owner))
  const values = await valuesOf(db, ofUsed, bucketMinutes, query.property)
  for (const row of values) if (row.count > 0) series.get(row.monitor_version)?.addNumbers(withSum(row))
  for (const number of used) {
    const found = values.filter((row) => row.monitor_version === number)
    const ofVersion = ofUsed.filter(({ owner }) => owner === number)
    await addMinutes(db, series.get(number) as VersionSeries, query, ofVersion, found)
  }
  return series
}

const STATUSES = {
  ...{ minutes: 'status_rollups', folds: 'status_folds' },
  columns: 'r.monitor_version, r.minute, r.status, r.units',
}

function statusesOf(db: Sql, stretches: readonly BoundStretch[], bucketMinutes: number) {
  return db.all<StatusRow & { monitor_version: number }>(
    `SELECT monitor_version, minute / CAST($2 AS bigint) AS bucket, status, sum(units) AS units
     FROM ${leveled(db.dialect, '$1', MONITOR_FOLDS, STATUSES)} GROUP BY monitor_version, bucket, status`,
    new Rows(stretches),
    bucketMinutes,
  )
}

interface ValuesRow extends AddedNumbersRow {
  monitor_version: number
  bucket: number
  /** Minutes that have texts. Histograms are not counted: what has numbers has one, and SQLite would sort them along. */
  labels: number
}

const VALUES = { minutes: 'value_rollups', folds: 'value_folds' }

function valuesOf(db: Sql, stretches: readonly BoundStretch[], bucketMinutes: number, property: string) {
  const columns = 'r.monitor_version, r.minute, r.count, r.sum, r.min, r.max, r.labels'
  const values = leveled(db.dialect, '$1', MONITOR_FOLDS, { ...VALUES, columns, and: 'AND r.property = $3' })
  return db.all<ValuesRow>(
    `SELECT monitor_version, minute / CAST($2 AS bigint) AS bucket, ${addedNumbers(db.dialect)}, count(labels) AS labels
     FROM ${values} GROUP BY monitor_version, bucket`,
    new Rows(stretches),
    bucketMinutes,
    property,
  )
}

function withSum(row: ValuesRow): NumbersRow {
  const { bucket, count, min, max } = row
  return { bucket, count, min, max, sum: sumOfNumbers(row) }
}

/** Adds texts and histograms, which the store cannot add up, where there are any. */
async function addMinutes(
  db: Sql,
  series: VersionSeries,
  query: SeriesQuery,
  stretches: readonly BoundStretch[],
  found: readonly ValuesRow[],
): Promise<void> {
  if (found.some((row) => row.labels > 0))
    await eachMinute<LabelsRow>(db, stretches, query, 'labels', (row) => series.addLabels(row))
  if (query.quantile !== undefined && found.some((row) => row.count > 0))
    await eachMinute<SketchRow>(db, stretches, query, 'sketch', (row) => series.addSketch(row))
}

async function eachMinute<Row>(
  db: Sql,
  stretches: readonly BoundStretch[],
  query: SeriesQuery,
  column: 'labels' | 'sketch',
  take: (row: Row) => void,
): Promise<void> {
  const [from, , bucketMinutes] = minutesOf(query)
  const parts = leveled(db.dialect, '$1', MONITOR_FOLDS, {
    ...VALUES,
    columns: `r.minute, r.${column}`,
    and: `AND r.property = $3 AND r.minute >= $4 AND r.${column} IS NOT NULL`,
  })
  for (let next = from; ; ) {
    const rows = await db.all<Row & { minute: number }>(
      `SELECT minute, minute / CAST($2 AS bigint) AS bucket, ${column} FROM ${parts} ORDER BY minute LIMIT $5`,
      new Rows(stretches),
      ...[bucketMinutes, query.property, next, MINUTES_SLICE],
    )
    for (const row of rows) take(row)
    const last = rows.at(-1)
    if (!last || rows.length < MINUTES_SLICE) return
    next = last.minute + 1
  }
}

/** Counts the spans of a project, or of one environment of it, that wait for an active monitor. */
export type CountWaitingSpans = (
  db: Sql,
  project: number,
  environment: string | null,
) => Promise<WaitingSpans>

/** Makes the operation that tells how far a project has come; open work lies in each engine in another way. */
export function progressReader(countWaitingSpans: CountWaitingSpans) {
  return async (db: Sql, tenant: ProjectTenant, envProjectId?: string): Promise<Progress> => {
    const { number: project } = await projectOf(db, tenant)
    const environment = envProjectId ?? null
    const latestSpan = await db.get<{ at_ms: number }>(
      `SELECT received_at_ms AS at_ms FROM span_batches
       WHERE project_number = $1 AND (CAST($2 AS text) IS NULL OR env_project_id = $2)
       ORDER BY received_at_ms DESC LIMIT 1`,
      project,
      environment,
    )
    const latestEvaluation = await latestEvaluationOf(db, project, environment)
    const waiting = await countWaitingSpans(db, project, environment)
    return waiting.toProgress(latestSpan?.at_ms, latestEvaluation)
  }
}

async function latestEvaluationOf(
  db: Sql,
  project: number,
  environment: string | null,
): Promise<number | undefined> {
  if (environment === null) {
    const row = await db.get<{ at_ms: number }>(
      'SELECT created_at_ms AS at_ms FROM evaluations WHERE project_number = $1 ORDER BY number DESC LIMIT 1',
      project,
    )
    return row?.at_ms
  }
  const row = await db.get<{ at_ms: number | null }>(
    `SELECT max((SELECT created_at_ms FROM evaluations WHERE monitor_version = v.number
                 ORDER BY number DESC LIMIT 1)) AS at_ms
     FROM monitors m JOIN setups s ON s.id = m.setup_id JOIN monitor_versions v ON v.monitor_number = m.number
     WHERE m.project_number = $1 AND s.env_project_id = $2`,
    project,
    environment,
  )
  return row?.at_ms ?? undefined
}
