import { emptyRollup, mergeRollups, type ValueRollup } from '../../domain/rollup.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import { type FoldLevel, HOUR } from './fold-plan.ts'
import { type RollupRow, toRollup, toRow } from './rollup-changes.ts'
import type { Sql } from './sql.ts'
import { USAGE_COLUMNS, type UsageRow } from './usage-rows.ts'

/** Adds the rollups of an owner in one period up, and puts the sum in the place of what was folded before. */
export type FoldPeriod = (tx: Sql, owner: number, level: FoldLevel, minute: number) => Promise<void>

/** Where the parts of a period lie: an hour is made of minutes, a day of hours. */
function partsOf(minutes: string, folds: string, level: FoldLevel): string {
  return level === HOUR ? `${minutes} WHERE` : `${folds} WHERE level = ${HOUR} AND`
}

export const foldMonitorPeriod: FoldPeriod = async (tx, version, level, minute) => {
  const period = [version, level, minute] as const
  for (const table of ['status_folds', 'value_folds'])
    await tx.run(`DELETE FROM ${table} WHERE monitor_version = $1 AND level = $2 AND minute = $3`, ...period)
  await tx.run(
    `INSERT INTO status_folds (monitor_version, level, minute, status, units)
     SELECT monitor_version, CAST($2 AS BIGINT), CAST($3 AS BIGINT), status, sum(units)
     FROM ${partsOf('status_rollups', 'status_folds', level)} monitor_version = $1
       AND minute >= $3 AND minute < CAST($3 AS BIGINT) + CAST($2 AS BIGINT) GROUP BY monitor_version, status`,
    ...period,
  )
  const rows = await tx.all<RollupRow & { property: string }>(
    `SELECT property, count, sum, min, max, sketch, labels
     FROM ${partsOf('value_rollups', 'value_folds', level)} monitor_version = $1 AND minute >= $2 AND minute < $3 ORDER BY minute`,
    ...[version, minute, minute + level],
  )
  const folded = new Map<string, ValueRollup>()
  for (const row of rows) {
    const rollup = folded.get(row.property) ?? emptyRollup()
    folded.set(row.property, rollup)
    mergeRollups(rollup, toRollup(row))
  }
  for (const [property, rollup] of folded) {
    const { count, sum, min, max, sketch, labels } = toRow(rollup)
    await tx.run(
      `INSERT INTO value_folds (monitor_version, level, minute, property, count, sum, min, max, sketch, labels)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      ...period,
      ...[property, count, sum, min, max, sketch, labels],
    )
  }
}

type UsageSum = Omit<UsageRow, 'bucket' | 'durations'> & { readonly durations: ValueSketch }

export const foldUsagePeriod: FoldPeriod = async (tx, project, level, minute) => {
  const period = [project, level, minute] as const
  await tx.run('DELETE FROM usage_folds WHERE project_number = $1 AND level = $2 AND minute = $3', ...period)
  const rows = await tx.all<Omit<UsageRow, 'bucket'>>(
    `SELECT ${USAGE_COLUMNS} FROM ${partsOf('usage_rollups', 'usage_folds', level)} project_number = $1
       AND minute >= $2 AND minute < $3 ORDER BY minute`,
    ...[project, minute, minute + level],
  )
  for (const sum of addUp(rows)) {
    await tx.run(
      `INSERT INTO usage_folds (project_number, level, minute, ${USAGE_COLUMNS})
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      ...period,
      ...[sum.env_project_id, sum.service, sum.model, sum.calls, sum.errors, sum.counted_calls],
      ...[sum.prompt_tokens, sum.completion_tokens, sum.durations.encode()],
    )
  }
}

function addUp(rows: readonly Omit<UsageRow, 'bucket'>[]): UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const row of rows) {
    const key = JSON.stringify([row.env_project_id, row.service, row.model])
    const sum = sums.get(key) ?? {
      ...{ env_project_id: row.env_project_id, service: row.service, model: row.model },
      ...{ calls: 0, errors: 0, counted_calls: 0, prompt_tokens: 0, completion_tokens: 0 },
      durations: new ValueSketch(),
    }
    sum.durations.mergeEncoded(row.durations)
    sums.set(key, {
      ...sum,
      calls: sum.calls + row.calls,
      errors: sum.errors + row.errors,
      counted_calls: sum.counted_calls + row.counted_calls,
      prompt_tokens: sum.prompt_tokens + row.prompt_tokens,
      completion_tokens: sum.completion_tokens + row.completion_tokens,
    })
  }
  return [...sums.values()]
}
