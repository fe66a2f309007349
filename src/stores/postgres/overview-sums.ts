import type { MinuteSpan, TrendQuery } from '../../ports/overview-storage.ts'
import { overviewOperations } from '../shared/overview-operations.ts'
import {
  type Followed,
  minuteSpan,
  type TrendSums,
  trendPlaces,
  type VersionCountRow,
} from '../shared/overview-rows.ts'
import { type AddedNumbersRow, addedNumbers, sumOfNumbers } from '../shared/series-rows.ts'
import type { Sql } from '../shared/sql.ts'

function readCounts(db: Sql, versions: readonly number[], span: MinuteSpan): Promise<VersionCountRow[]> {
  return db.all<VersionCountRow>(
    `SELECT monitor_version, status, sum(units) AS units FROM status_rollups
     WHERE monitor_version = ANY($1) AND minute >= $2 AND minute < $3 GROUP BY monitor_version, status`,
    versions,
    ...minuteSpan(span),
  )
}

async function readSums(db: Sql, followed: readonly Followed[], query: TrendQuery): Promise<TrendSums[]> {
  const { bucket, from, to, previousFrom } = trendPlaces(query)
  const rows = await db.all<AddedNumbersRow & Pick<TrendSums, 'place' | 'bucket'>>(
    `SELECT f.place - 1 AS place, CASE WHEN r.minute >= $4 THEN r.minute / $6::bigint END AS bucket, ${addedNumbers(db.dialect)}
     FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS f (version, property, place)
     JOIN value_rollups r ON r.monitor_version = f.version AND r.property = f.property
       AND r.minute >= $3 AND r.minute < $5 AND r.count > 0
     GROUP BY 1, 2`,
    followed.map(({ version }) => version),
    followed.map(({ property }) => property),
    ...[previousFrom, from, to, bucket],
  )
  return rows.map((row) => ({ ...row, sum: sumOfNumbers(row) }))
}

export const { readVolume, readTrends } = overviewOperations({ readCounts, readSums })
