import type { OrgScope, ProjectScope } from '../../domain/tenant.ts'
import type {
  Budget,
  JudgeSpend,
  NewCachedAnswer,
  SpendLine,
  SpendTotals,
  StoredProviderKey,
} from '../../ports/judge-storage.ts'
import {
  type BudgetRow,
  type CachedAnswerRow,
  dayOf,
  type FoundAnswer,
  monthOf,
  type ProviderKeyRow,
  type SpendLineRow,
  toBudget,
  toFoundAnswer,
  toProviderKey,
  toSpendLine,
} from '../shared/judge-rows.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

/** How long one step of dropping may hold up the writer. */
const DROP_MS_MAX = 20
/** Entries that are dropped between two looks at the clock. */
const DROP_ROWS = 200

export function findCachedAnswer(db: SqliteDatabase, scope: OrgScope, key: string): FoundAnswer | undefined {
  const row = db.get<CachedAnswerRow>(
    'SELECT answer, prompt_tokens, completion_tokens, used_at_ms FROM judge_cache WHERE org_id = ? AND key = ?',
    scope.orgId,
    key,
  )
  return row && toFoundAnswer(row, Date.now())
}

export function useCachedAnswer(db: SqliteDatabase, scope: OrgScope, key: string): void {
  db.run('UPDATE judge_cache SET used_at_ms = ? WHERE org_id = ? AND key = ?', Date.now(), scope.orgId, key)
}

export function recordCalls(
  db: SqliteDatabase,
  answers: readonly NewCachedAnswer[],
  spends: readonly JudgeSpend[],
): void {
  const nowMs = Date.now()
  for (const { orgId, key, answer, promptTokens, completionTokens } of answers)
    db.run(
      `INSERT OR REPLACE INTO judge_cache (org_id, key, answer, prompt_tokens, completion_tokens, used_at_ms)
       VALUES (?, ?, ?, ?, ?, ?)`,
      orgId,
      key,
      answer,
      promptTokens,
      completionTokens,
      nowMs,
    )
  for (const spend of spends)
    db.run(
      `INSERT INTO judge_spend (project_id, setup_id, day, model, calls, prompt_tokens, completion_tokens,
                                cost_micros, unpriced_calls)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (project_id, setup_id, day, model) DO UPDATE SET
         calls = calls + excluded.calls,
         prompt_tokens = prompt_tokens + excluded.prompt_tokens,
         completion_tokens = completion_tokens + excluded.completion_tokens,
         cost_micros = cost_micros + excluded.cost_micros,
         unpriced_calls = unpriced_calls + excluded.unpriced_calls`,
      spend.projectId,
      spend.setupId ?? '',
      dayOf(spend.atMs),
      spend.model,
      spend.calls,
      spend.promptTokens,
      spend.completionTokens,
      spend.costMicros,
      spend.unpricedCalls,
    )
}

export function dropCachedAnswers(db: SqliteDatabase, usedBeforeMs: number, entriesMax: number): boolean {
  const untilMs = performance.now() + DROP_MS_MAX
  const oldest = (limit: number, beforeMs: number) =>
    db.run(
      `DELETE FROM judge_cache WHERE (org_id, key) IN (
         SELECT org_id, key FROM judge_cache WHERE used_at_ms < ? ORDER BY used_at_ms LIMIT ?)`,
      beforeMs,
      limit,
    )
  while (oldest(DROP_ROWS, usedBeforeMs) > 0) if (performance.now() > untilMs) return true
  const { count = 0 } = db.get<{ count: number }>('SELECT count(*) AS count FROM judge_cache') ?? {}
  for (let excess = count - entriesMax; excess > 0; excess -= DROP_ROWS) {
    oldest(Math.min(excess, DROP_ROWS), Number.MAX_SAFE_INTEGER)
    if (performance.now() > untilMs) return true
  }
  return false
}

export function listProviderKeys(db: SqliteDatabase, scope: OrgScope): StoredProviderKey[] {
  const rows = db.all<ProviderKeyRow>(
    'SELECT provider, base_url, sealed, hint, updated_at_ms FROM provider_keys WHERE org_id = ? ORDER BY provider',
    scope.orgId,
  )
  return rows.map(toProviderKey)
}

export function putProviderKey(db: SqliteDatabase, scope: OrgScope, key: StoredProviderKey): void {
  db.run(
    `INSERT OR REPLACE INTO provider_keys (org_id, provider, base_url, sealed, hint, updated_at_ms)
     VALUES (?, ?, ?, ?, ?, ?)`,
    scope.orgId,
    key.provider,
    key.baseUrl ?? null,
    key.sealed,
    key.hint,
    key.updatedAtMs,
  )
}

export function deleteProviderKey(db: SqliteDatabase, scope: OrgScope, provider: string): boolean {
  return db.run('DELETE FROM provider_keys WHERE org_id = ? AND provider = ?', scope.orgId, provider) > 0
}

// The project's own has no setup and sorts first; the budget of a deleted setup limits nothing and is not shown.
export function listBudgets(db: SqliteDatabase, scope: ProjectScope): Budget[] {
  const rows = db.all<BudgetRow>(
    `SELECT s.external_id, b.day_micros, b.month_micros, b.updated_at_ms
     FROM budgets b JOIN projects p ON p.id = b.project_id
     LEFT JOIN setups s ON s.id = b.setup_id AND s.project_id = b.project_id AND s.deleted_at_ms IS NULL
     WHERE p.org_id = ? AND b.project_id = ? AND (b.setup_id = '' OR s.id IS NOT NULL)
     ORDER BY s.external_id`,
    scope.orgId,
    scope.projectId,
  )
  return rows.map(toBudget)
}

export function putBudget(db: SqliteDatabase, scope: ProjectScope, budget: Budget): boolean {
  const setupId = payerId(db, scope, budget.externalId)
  if (setupId === undefined) return false
  db.run(
    `INSERT OR REPLACE INTO budgets (project_id, setup_id, day_micros, month_micros, updated_at_ms)
     VALUES (?, ?, ?, ?, ?)`,
    scope.projectId,
    setupId,
    budget.dayMicros ?? null,
    budget.monthMicros ?? null,
    budget.updatedAtMs,
  )
  return true
}

export function deleteBudget(
  db: SqliteDatabase,
  scope: ProjectScope,
  externalId: string | undefined,
): boolean {
  const setupId = payerId(db, scope, externalId)
  if (setupId === undefined) return false
  return db.run('DELETE FROM budgets WHERE project_id = ? AND setup_id = ?', scope.projectId, setupId) > 0
}

export function readSpend(
  db: SqliteDatabase,
  scope: ProjectScope,
  externalId: string | undefined,
  atMs: number,
): SpendTotals {
  const setupId = payerId(db, scope, externalId)
  if (setupId === undefined) return { dayMicros: 0, monthMicros: 0 }
  const { firstDay, lastDay } = monthOf(atMs)
  const day = dayOf(atMs)
  const row = db.get<{ day_micros: number | null; month_micros: number | null }>(
    `SELECT sum(CASE WHEN day = ? THEN cost_micros END) AS day_micros, sum(cost_micros) AS month_micros
     FROM judge_spend WHERE project_id = ? AND day BETWEEN ? AND ? AND (? = '' OR setup_id = ?)`,
    day,
    scope.projectId,
    firstDay,
    lastDay,
    setupId,
    setupId,
  )
  return { dayMicros: row?.day_micros ?? 0, monthMicros: row?.month_micros ?? 0 }
}

export function listSpend(
  db: SqliteDatabase,
  scope: ProjectScope,
  fromMs: number,
  untilMs: number,
): SpendLine[] {
  const rows = db.all<SpendLineRow>(
    `SELECT j.day, s.external_id, j.model, j.calls, j.prompt_tokens, j.completion_tokens, j.cost_micros,
            j.unpriced_calls
     FROM judge_spend j JOIN projects p ON p.id = j.project_id
     LEFT JOIN setups s ON s.id = j.setup_id AND s.project_id = j.project_id
     WHERE p.org_id = ? AND j.project_id = ? AND j.day BETWEEN ? AND ?
     ORDER BY j.day, s.external_id, j.setup_id, j.model`,
    scope.orgId,
    scope.projectId,
    dayOf(fromMs),
    dayOf(untilMs),
  )
  return rows.map(toSpendLine)
}

/** The id of a setup of the scope, empty for its project as a whole; undefined when the scope does not reach such a one. */
function payerId(
  db: SqliteDatabase,
  scope: ProjectScope,
  externalId: string | undefined,
): string | undefined {
  if (externalId === undefined)
    return db.get('SELECT 1 FROM projects WHERE org_id = ? AND id = ?', scope.orgId, scope.projectId)
      ? ''
      : undefined
  return db.get<{ id: string }>(
    `SELECT id FROM setups WHERE org_id = ? AND project_id = ? AND external_id = ? AND deleted_at_ms IS NULL`,
    scope.orgId,
    scope.projectId,
    externalId,
  )?.id
}
