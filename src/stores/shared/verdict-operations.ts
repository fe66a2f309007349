import type { EvaluatorOverride } from '../../domain/setup.ts'
import { sameConditions, type VerdictRule } from '../../domain/verdict.ts'
import { defined } from '../../lib/defined.ts'
import type { AssignedRule, RuledMonitor } from '../../ports/verdict-storage.ts'
import { type RecordedRow, RollupChanges } from './rollup-changes.ts'
import { Rows, type Sql } from './sql.ts'
import { judgeOutcome, parseRule } from './stored-verdict.ts'

interface RuledRow {
  readonly number: number
  readonly org_id: string
  readonly evaluator_id: string
  readonly override: string | null
  readonly verdict_rule: string | null
}

export async function listRuledMonitors(
  db: Sql,
  query: { readonly afterNumber: number; readonly limit: number; readonly isStale: boolean },
): Promise<RuledMonitor[]> {
  const rows = await db.all<RuledRow>(
    `SELECT m.number, s.org_id, m.evaluator_id, m.verdict_rule, e.override
     FROM monitors m JOIN setups s ON s.id = m.setup_id
     LEFT JOIN setup_entries e ON e.setup_id = m.setup_id AND e.slug = m.slug AND s.deleted_at_ms IS NULL
     WHERE m.number > $1${query.isStale ? ' AND m.is_rule_stale = 1' : ''} ORDER BY m.number LIMIT $2`,
    query.afterNumber,
    query.limit,
  )
  return rows.map((row) => {
    const override: EvaluatorOverride = row.override === null ? {} : JSON.parse(row.override)
    return {
      number: row.number,
      orgId: row.org_id,
      evaluatorId: row.evaluator_id,
      hasEntry: row.override !== null,
      ...defined({ threshold: override.verdictThreshold }),
      ...(row.verdict_rule === null ? {} : { rule: parseRule(row.verdict_rule) }),
    }
  })
}

export async function assignRules(tx: Sql, rules: readonly AssignedRule[]): Promise<void> {
  for (const { monitor, rule } of rules) await assignRule(tx, monitor, rule)
}

async function assignRule(tx: Sql, monitor: number, rule: VerdictRule): Promise<void> {
  const text = JSON.stringify(rule)
  const stored = await tx.get<{ verdict_rule: string | null; project_number: number }>(
    'SELECT verdict_rule, project_number FROM monitors WHERE number = $1',
    monitor,
  )
  if (!stored) return
  const before = stored.verdict_rule
  const isSame = before !== null && (before === text || sameConditions(parseRule(before), rule))
  if (!isSame) {
    // An outcome that is being recorded by the old rule is among those that are judged again.
    await tx.lock.recording(stored.project_number)
    await tx.run(
      `UPDATE monitor_versions SET verdict_first = ${endOf('min', 0)}, verdict_next = ${endOf('min', 0)},
         verdict_last = ${endOf('max', -1)} WHERE monitor_number = $1`,
      monitor,
    )
  }
  await tx.run('UPDATE monitors SET verdict_rule = $2, is_rule_stale = 0 WHERE number = $1', monitor, text)
}

function endOf(aggregate: 'min' | 'max', none: number): string {
  return `coalesce((SELECT ${aggregate}(e.number) FROM evaluations e WHERE e.monitor_version = monitor_versions.number), ${none})`
}

/** Writes the changes of rollups, in the way of the store. */
export type WriteRollups<Tx extends Sql> = (tx: Tx, changes: RollupChanges) => Promise<void>

/** Judges evaluations again as `VerdictStorage.deriveVerdicts` promises. */
export async function deriveVerdicts<Tx extends Sql>(
  tx: Tx,
  limit: number,
  writeRollups: WriteRollups<Tx>,
): Promise<boolean> {
  const chosen = await tx.get<{ number: number; project_number: number }>(
    `SELECT v.number, m.project_number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
     WHERE v.verdict_next <= v.verdict_last ORDER BY v.verdict_next - v.verdict_first, v.number LIMIT 1`,
  )
  if (!chosen) return false
  await tx.lock.recording(chosen.project_number)
  // Another process may have gone on with it before the lock was ours.
  const version = await tx.get<{ verdict_next: number; verdict_last: number; verdict_rule: string | null }>(
    `SELECT v.verdict_next, v.verdict_last, m.verdict_rule FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
     WHERE v.number = $1 AND v.verdict_next <= v.verdict_last`,
    chosen.number,
  )
  if (!version) return true
  const rows = await tx.all<RecordedRow>(
    `SELECT number, monitor_version, is_current, status, output, unit_at_ms, verdict, application FROM evaluations
     WHERE monitor_version = $1 AND number >= $2 AND number <= $3 ORDER BY number LIMIT $4`,
    chosen.number,
    version.verdict_next,
    version.verdict_last,
    limit,
  )
  await judgeAgain(tx, rows, version.verdict_rule, writeRollups)
  const isDone = rows.length < limit
  await tx.run(
    'UPDATE monitor_versions SET verdict_next = $2 WHERE number = $1',
    chosen.number,
    (isDone ? version.verdict_last : (rows.at(-1)?.number as number)) + 1,
  )
  return true
}

async function judgeAgain<Tx extends Sql>(
  tx: Tx,
  rows: readonly RecordedRow[],
  rule: string | null,
  writeRollups: WriteRollups<Tx>,
): Promise<void> {
  const judged = rows.flatMap((row) => {
    const output = row.output === null ? undefined : JSON.parse(row.output)
    const verdict = judgeOutcome(rule, { status: row.status as 'scored', output })
    return verdict === null || verdict === row.verdict ? [] : [{ row, verdict }]
  })
  if (judged.length === 0) return
  const changes = new RollupChanges()
  for (const { row, verdict } of judged) {
    if (row.is_current === 1) changes.judge(row.monitor_version, row, verdict)
  }
  await tx.run(
    `UPDATE evaluations AS e SET verdict = j.verdict
     FROM ${tx.dialect.rows('$1', 'j', { number: 'bigint', unit_at_ms: 'bigint', verdict: 'bigint' })}
     WHERE e.number = j.number AND e.unit_at_ms = j.unit_at_ms`,
    new Rows(judged.map(({ row, verdict }) => ({ number: row.number, unit_at_ms: row.unit_at_ms, verdict }))),
  )
  await writeRollups(tx, changes)
}
