import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  Distribution,
  DistributionQuery,
  Progress,
  SeriesBucket,
  SeriesQuery,
} from '../../ports/result-storage.ts'
import { projectOf } from './project-of.ts'
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
import type { Sql } from './sql.ts'

/** Minutes whose texts or histograms are read at a time: together they may be tens of megabytes. */
const MINUTES_SLICE = 2_000

type MinuteRange = readonly [from: number, to: number, bucketMinutes: number]

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
  for (const row of await statusesOf(db, numbers, range)) series.get(row.monitor_version)?.addStatus(row)
  const used = numbers.filter((number) => !series.get(number)?.isEmpty)
  const values = await valuesOf(db, used, range, query.property)
  for (const row of values) if (row.count > 0) series.get(row.monitor_version)?.addNumbers(withSum(row))
  for (const number of used) {
    const found = values.filter((row) => row.monitor_version === number)
    await addMinutes(db, series.get(number) as VersionSeries, query, number, found)
  }
  return series
}

function statusesOf(db: Sql, versions: readonly number[], range: MinuteRange) {
  return db.all<StatusRow & { monitor_version: number }>(
    `SELECT monitor_version, minute / CAST($4 AS bigint) AS bucket, status, sum(units) AS units FROM status_rollups
     WHERE ${db.dialect.oneOf('monitor_version', '$1')} AND minute >= $2 AND minute < $3 GROUP BY monitor_version, bucket, status`,
    versions,
    ...range,
  )
}

interface ValuesRow extends AddedNumbersRow {
  monitor_version: number
  bucket: number
  /** Minutes that have texts. Histograms are not counted: what has numbers has one, and SQLite would sort them along. */
  labels: number
}

function valuesOf(db: Sql, versions: readonly number[], range: MinuteRange, property: string) {
  return db.all<ValuesRow>(
    `SELECT monitor_version, minute / CAST($4 AS bigint) AS bucket, ${addedNumbers(db.dialect)},
       count(labels) AS labels
     FROM value_rollups
     WHERE ${db.dialect.oneOf('monitor_version', '$1')} AND minute >= $2 AND minute < $3 AND property = $5
     GROUP BY monitor_version, bucket`,
    versions,
    ...range,
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
  version: number,
  found: readonly ValuesRow[],
): Promise<void> {
  if (found.some((row) => row.labels > 0))
    await eachMinute<LabelsRow>(db, version, query, 'labels', (row) => series.addLabels(row))
  if (query.quantile !== undefined && found.some((row) => row.count > 0))
    await eachMinute<SketchRow>(db, version, query, 'sketch', (row) => series.addSketch(row))
}

async function eachMinute<Row>(
  db: Sql,
  version: number,
  query: SeriesQuery,
  column: 'labels' | 'sketch',
  take: (row: Row) => void,
): Promise<void> {
  const [from, to, bucketMinutes] = minutesOf(query)
  for (let next = from; ; ) {
    const rows = await db.all<Row & { minute: number }>(
      `SELECT minute, minute / CAST($4 AS bigint) AS bucket, ${column} FROM value_rollups
       WHERE monitor_version = $1 AND minute >= $2 AND minute < $3 AND property = $5 AND ${column} IS NOT NULL
       ORDER BY minute LIMIT $6`,
      ...[version, next, to, bucketMinutes],
      query.property,
      MINUTES_SLICE,
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
