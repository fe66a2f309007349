import type { MinuteSpan, TrendQuery } from '../../ports/overview-storage.ts'
import { overviewOperations } from '../shared/overview-operations.ts'
import {
  type Followed,
  minuteSpan,
  type SumsRow,
  type TrendSums,
  trendPlaces,
  type VersionCountRow,
} from '../shared/overview-rows.ts'
import type { Sql } from '../shared/sql.ts'

/** One statement for each version: the minutes of all of them together would take longer to sort by status. */
async function readCounts(
  db: Sql,
  versions: readonly number[],
  span: MinuteSpan,
): Promise<VersionCountRow[]> {
  const rows: VersionCountRow[] = []
  for (const version of versions) {
    const found = await db.all<VersionCountRow>(
      `SELECT monitor_version, status, sum(units) AS units FROM status_rollups
       WHERE monitor_version = $1 AND minute >= $2 AND minute < $3 GROUP BY status`,
      version,
      ...minuteSpan(span),
    )
    rows.push(...found)
  }
  return rows
}

/** One statement for each bucket: minutes that lie together are added up without being sorted into groups first. */
async function readSums(db: Sql, followed: readonly Followed[], query: TrendQuery): Promise<TrendSums[]> {
  const { bucket: minutes, from, first, last, previousFrom } = trendPlaces(query)
  const rows: TrendSums[] = []
  for (const [place, { version, property }] of followed.entries()) {
    const add = async (bucket: number | null, start: number, end: number) => {
      const row = await db.get<SumsRow>(
        `SELECT coalesce(sum(count), 0) AS count, sum(sum) AS sum, min(min) AS min, max(max) AS max FROM value_rollups
         WHERE monitor_version = $1 AND minute >= $2 AND minute < $3 AND property = $4 AND count > 0`,
        ...[version, start, end, property],
      )
      if (row && row.count > 0) rows.push({ ...row, place, bucket })
    }
    await add(null, previousFrom, from)
    for (let bucket = first; bucket < last; bucket++) {
      await add(bucket, bucket * minutes, (bucket + 1) * minutes)
    }
  }
  return rows
}

export const { readVolume, readTrends } = overviewOperations({ readCounts, readSums })
