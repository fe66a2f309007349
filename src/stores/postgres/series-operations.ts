import type { ProjectScope } from '../../domain/tenant.ts'
import type {
  Distribution,
  DistributionQuery,
  Progress,
  SeriesBucket,
  SeriesQuery,
} from '../../ports/result-storage.ts'
import { projectOf } from '../shared/project-of.ts'
import {
  type LabelsRow,
  minutesOf,
  type NumbersRow,
  type SketchRow,
  type StatusRow,
  sortBuckets,
  VersionSeries,
  wholeSeries,
} from '../shared/series-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { countWaitingSpans } from './waiting-spans.ts'

/** Minutes whose texts or histograms are read at a time: together they may be tens of megabytes. */
const MINUTES_SLICE = 2_000
/** PostgreSQL refuses sums that leave the range of numbers. Those that are close to its end are added up in a smaller unit. */
const LARGE_SUM = 1e290
const LARGE_UNIT = 2 ** 64

type MinuteRange = readonly [from: number, to: number, bucketMinutes: number]

export async function readSeries(tx: Sql, scope: ProjectScope, query: SeriesQuery): Promise<SeriesBucket[]> {
  const wanted = await versionsOf(tx, scope, query)
  const series = await seriesOf(
    tx,
    query,
    wanted.map(({ number }) => number),
  )
  return sortBuckets(
    wanted.flatMap(({ number, version }) => series.get(number)?.buckets(query, version) ?? []),
  )
}

export async function readDistribution(
  tx: Sql,
  scope: ProjectScope,
  query: DistributionQuery,
): Promise<Distribution> {
  const versions = await versionsOf(tx, scope, query)
  const series = await seriesOf(
    tx,
    wholeSeries(query),
    versions.map(({ number }) => number),
  )
  const [found] = series.values()
  return found?.distribution() ?? { count: 0 }
}

async function versionsOf(
  tx: Sql,
  scope: ProjectScope,
  wanted: Pick<SeriesQuery, 'monitorId' | 'version'>,
): Promise<{ number: number; version: number }[]> {
  const versions = await tx.all<{ number: number; version: number }>(
    `SELECT v.number, v.version FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
     WHERE m.project_number = $1 AND m.id = $2`,
    (await projectOf(tx, scope)).number,
    wanted.monitorId,
  )
  return versions.filter(({ version }) => wanted.version === undefined || version === wanted.version)
}

async function seriesOf(
  tx: Sql,
  query: SeriesQuery,
  numbers: readonly number[],
): Promise<Map<number, VersionSeries>> {
  const series = new Map(numbers.map((number) => [number, new VersionSeries()]))
  if (numbers.length === 0) return series
  const range = minutesOf(query)
  for (const row of await statusesOf(tx, numbers, range)) series.get(row.monitor_version)?.addStatus(row)
  const used = numbers.filter((number) => !series.get(number)?.isEmpty)
  const values = await valuesOf(tx, used, range, query.property)
  for (const row of values) if (row.count > 0) series.get(row.monitor_version)?.addNumbers(withSum(row))
  for (const number of used) {
    const found = values.filter((row) => row.monitor_version === number)
    await addMinutes(tx, series.get(number) as VersionSeries, query, number, found)
  }
  return series
}

function statusesOf(tx: Sql, versions: readonly number[], range: MinuteRange) {
  return tx.all<StatusRow & { monitor_version: number }>(
    `SELECT monitor_version, minute / $4::bigint AS bucket, status, sum(units) AS units FROM status_rollups
     WHERE monitor_version = ANY($1) AND minute >= $2 AND minute < $3 GROUP BY monitor_version, bucket, status`,
    versions,
    ...range,
  )
}

/** A row with the columns of `ADDED_NUMBERS`. */
export interface AddedNumbersRow {
  count: number
  min: number
  max: number
  sum: number
  large_sum: number
}

/** What the numbers of several minutes come to. */
export const ADDED_NUMBERS = `sum(count) AS count,
       min(min) FILTER (WHERE count > 0) AS min, max(max) FILTER (WHERE count > 0) AS max,
       coalesce(sum(sum) FILTER (WHERE count > 0 AND abs(sum) < ${LARGE_SUM}), 0) AS sum,
       coalesce(sum(sum / ${LARGE_UNIT}) FILTER (WHERE count > 0 AND abs(sum) >= ${LARGE_SUM}), 0) AS large_sum`

export function sumOfNumbers({ sum, large_sum: large }: AddedNumbersRow): number {
  return large === 0 ? sum : sum + large * LARGE_UNIT
}

interface ValuesRow extends AddedNumbersRow {
  monitor_version: number
  bucket: number
  /** Minutes that have texts, and histograms. */
  labels: number
  sketches: number
}

function valuesOf(tx: Sql, versions: readonly number[], range: MinuteRange, property: string) {
  return tx.all<ValuesRow>(
    `SELECT monitor_version, minute / $4::bigint AS bucket, ${ADDED_NUMBERS},
       count(labels) AS labels, count(sketch) AS sketches
     FROM value_rollups
     WHERE monitor_version = ANY($1) AND minute >= $2 AND minute < $3 AND property = $5
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

/** What cannot be added up by the server, where there is any. */
async function addMinutes(
  tx: Sql,
  series: VersionSeries,
  query: SeriesQuery,
  version: number,
  found: readonly ValuesRow[],
): Promise<void> {
  if (found.some((row) => row.labels > 0))
    await eachMinute<LabelsRow>(tx, version, query, 'labels', (row) => series.addLabels(row))
  if (query.quantile !== undefined && found.some((row) => row.sketches > 0))
    await eachMinute<SketchRow>(tx, version, query, 'sketch', (row) => series.addSketch(row))
}

async function eachMinute<Row>(
  tx: Sql,
  version: number,
  query: SeriesQuery,
  column: 'labels' | 'sketch',
  take: (row: Row) => void,
): Promise<void> {
  const [from, to, bucketMinutes] = minutesOf(query)
  for (let next = from; ; ) {
    const rows = await tx.all<Row & { minute: number }>(
      `SELECT minute, minute / $4::bigint AS bucket, ${column} FROM value_rollups
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

export async function readProgress(tx: Sql, scope: ProjectScope, envProjectId?: string): Promise<Progress> {
  const { number: project } = await projectOf(tx, scope)
  const environment = envProjectId ?? null
  const latestSpan = await tx.get<{ at_ms: number }>(
    `SELECT received_at_ms AS at_ms FROM span_batches
     WHERE project_number = $1 AND ($2::text IS NULL OR env_project_id = $2) ORDER BY received_at_ms DESC LIMIT 1`,
    project,
    environment,
  )
  const latestEvaluation = await latestEvaluationOf(tx, project, environment)
  const waiting = await countWaitingSpans(tx, project, environment)
  return waiting.toProgress(latestSpan?.at_ms, latestEvaluation)
}

async function latestEvaluationOf(
  tx: Sql,
  project: number,
  environment: string | null,
): Promise<number | undefined> {
  if (environment === null) {
    const row = await tx.get<{ at_ms: number }>(
      'SELECT created_at_ms AS at_ms FROM evaluations WHERE project_number = $1 ORDER BY number DESC LIMIT 1',
      project,
    )
    return row?.at_ms
  }
  const row = await tx.get<{ at_ms: number | null }>(
    `SELECT max(newest.created_at_ms) AS at_ms
     FROM monitors m JOIN setups s ON s.id = m.setup_id JOIN monitor_versions v ON v.monitor_number = m.number
     CROSS JOIN LATERAL (SELECT created_at_ms FROM evaluations WHERE monitor_version = v.number
                         ORDER BY number DESC LIMIT 1) AS newest
     WHERE m.project_number = $1 AND s.env_project_id = $2`,
    project,
    environment,
  )
  return row?.at_ms ?? undefined
}
