import type { ModelRef } from '../../domain/judgement.ts'
import type { OrgTenant, ProjectTenant } from '../../domain/tenant.ts'
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
} from './judge-rows.ts'
import { type ColumnTypes, Rows, type Sql } from './sql.ts'

/** How long one step of dropping may hold up others who write. */
const DROP_MS_MAX = 20
/** Cached answers that are dropped between two looks at the clock. */
const DROP_ROWS = 500

/**
 * The id of the setup that $3 names within the tenant of $1 and $2, empty for the project as a whole where it names none; no
 * row when the tenant does not reach such a one.
 */
const PAYER = `SELECT '' AS id FROM projects WHERE org_id = $1 AND id = $2 AND CAST($3 AS text) IS NULL
  UNION ALL SELECT id FROM setups
  WHERE org_id = $1 AND project_id = $2 AND external_id = $3 AND deleted_at_ms IS NULL`

/** How many cached answers there are beyond $1, at most $2. */
const EXCESS = `(SELECT CASE WHEN count(*) < $1 THEN 0 WHEN count(*) - $1 > $2 THEN $2 ELSE count(*) - $1 END
  FROM judge_cache)`

export async function findCachedAnswer(
  db: Sql,
  tenant: OrgTenant,
  key: string,
): Promise<FoundAnswer | undefined> {
  const row = await db.get<CachedAnswerRow>(
    'SELECT answer, prompt_tokens, completion_tokens, used_at_ms FROM judge_cache WHERE org_id = $1 AND key = $2',
    tenant.orgId,
    key,
  )
  return row && toFoundAnswer(row, Date.now())
}

export async function useCachedAnswer(db: Sql, tenant: OrgTenant, key: string): Promise<void> {
  await db.run(
    'UPDATE judge_cache SET used_at_ms = $1 WHERE org_id = $2 AND key = $3',
    Date.now(),
    tenant.orgId,
    key,
  )
}

export async function recordCalls(
  tx: Sql,
  answers: readonly NewCachedAnswer[],
  spends: readonly JudgeSpend[],
): Promise<void> {
  if (answers.length > 0) await keepAnswers(tx, answers)
  if (spends.length > 0) await addSpend(tx, spends)
}

export async function dropCachedAnswers(tx: Sql, usedBeforeMs: number, entriesMax: number): Promise<boolean> {
  const untilMs = performance.now() + DROP_MS_MAX
  const oldest = (conditions: string, limit: string, ...values: number[]) =>
    tx.run(
      `DELETE FROM judge_cache WHERE (org_id, key) IN (
         SELECT org_id, key FROM judge_cache ${conditions} ORDER BY used_at_ms, org_id, key LIMIT ${limit})`,
      ...values,
    )
  const dropUnused = () => oldest('WHERE used_at_ms < $1', '$2', usedBeforeMs, DROP_ROWS)
  // Counted and chosen in one statement: of two processes that do it at once, the second finds its choice gone.
  const dropExcess = () => oldest('', EXCESS, entriesMax, DROP_ROWS)
  for (const drop of [dropUnused, dropExcess])
    while ((await drop()) === DROP_ROWS) if (performance.now() > untilMs) return true
  return false
}

export async function listProviderKeys(db: Sql, tenant: OrgTenant): Promise<StoredProviderKey[]> {
  const rows = await db.all<ProviderKeyRow>(
    'SELECT provider, base_url, sealed, hint, updated_at_ms FROM provider_keys WHERE org_id = $1 ORDER BY provider',
    tenant.orgId,
  )
  return rows.map(toProviderKey)
}

export async function putProviderKey(db: Sql, tenant: OrgTenant, key: StoredProviderKey): Promise<void> {
  await db.run(
    `INSERT INTO provider_keys (org_id, provider, base_url, sealed, hint, updated_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (org_id, provider) DO UPDATE SET
       base_url = excluded.base_url, sealed = excluded.sealed, hint = excluded.hint,
       updated_at_ms = excluded.updated_at_ms`,
    tenant.orgId,
    key.provider,
    key.baseUrl ?? null,
    key.sealed,
    key.hint,
    key.updatedAtMs,
  )
}

export async function deleteProviderKey(db: Sql, tenant: OrgTenant, provider: string): Promise<boolean> {
  const deleted = await db.run(
    'DELETE FROM provider_keys WHERE org_id = $1 AND provider = $2',
    tenant.orgId,
    provider,
  )
  return deleted > 0
}

export async function getDefaultJudge(db: Sql, tenant: OrgTenant): Promise<ModelRef | undefined> {
  return db.get<ModelRef>('SELECT provider, model FROM default_judges WHERE org_id = $1', tenant.orgId)
}

export async function putDefaultJudge(
  db: Sql,
  tenant: OrgTenant,
  { provider, model }: ModelRef,
  atMs: number,
): Promise<void> {
  await db.run(
    `INSERT INTO default_judges (org_id, provider, model, updated_at_ms) VALUES ($1, $2, $3, $4)
     ON CONFLICT (org_id) DO UPDATE SET
       provider = excluded.provider, model = excluded.model, updated_at_ms = excluded.updated_at_ms`,
    tenant.orgId,
    provider,
    model,
    atMs,
  )
}

export async function deleteDefaultJudge(db: Sql, tenant: OrgTenant): Promise<boolean> {
  return (await db.run('DELETE FROM default_judges WHERE org_id = $1', tenant.orgId)) > 0
}

// The project's own has no setup and sorts first; the budget of a deleted setup limits nothing and is not shown.
export async function listBudgets(db: Sql, tenant: ProjectTenant): Promise<Budget[]> {
  const rows = await db.all<BudgetRow>(
    `SELECT s.external_id, b.day_micros, b.month_micros, b.updated_at_ms
     FROM budgets b JOIN projects p ON p.id = b.project_id
     LEFT JOIN setups s ON s.id = b.setup_id AND s.project_id = b.project_id AND s.deleted_at_ms IS NULL
     WHERE p.org_id = $1 AND b.project_id = $2 AND (b.setup_id = '' OR s.id IS NOT NULL)
     ORDER BY s.external_id NULLS FIRST`,
    tenant.orgId,
    tenant.projectId,
  )
  return rows.map(toBudget)
}

export async function putBudget(db: Sql, tenant: ProjectTenant, budget: Budget): Promise<boolean> {
  const written = await db.run(
    `INSERT INTO budgets (project_id, setup_id, day_micros, month_micros, updated_at_ms)
     SELECT $2, payer.id, $4, $5, $6 FROM (${PAYER}) AS payer WHERE true
     ON CONFLICT (project_id, setup_id) DO UPDATE SET
       day_micros = excluded.day_micros, month_micros = excluded.month_micros, updated_at_ms = excluded.updated_at_ms`,
    tenant.orgId,
    tenant.projectId,
    budget.externalId ?? null,
    budget.dayMicros ?? null,
    budget.monthMicros ?? null,
    budget.updatedAtMs,
  )
  return written > 0
}

export async function deleteBudget(
  db: Sql,
  tenant: ProjectTenant,
  externalId: string | undefined,
): Promise<boolean> {
  const deleted = await db.run(
    `DELETE FROM budgets WHERE project_id = $2 AND setup_id = (${PAYER})`,
    tenant.orgId,
    tenant.projectId,
    externalId ?? null,
  )
  return deleted > 0
}

export async function readSpend(
  db: Sql,
  tenant: ProjectTenant,
  externalId: string | undefined,
  atMs: number,
): Promise<SpendTotals> {
  const { firstDay, lastDay } = monthOf(atMs)
  // SQLite keeps the order of a cross join: the payer is looked up once, not for each line.
  const row = await db.get<{ day_micros: number; month_micros: number }>(
    `SELECT coalesce(sum(j.cost_micros) FILTER (WHERE j.day = $6), 0) AS day_micros,
            coalesce(sum(j.cost_micros), 0) AS month_micros
     FROM (${PAYER}) AS payer CROSS JOIN judge_spend j
     WHERE j.project_id = $2 AND j.day BETWEEN $4 AND $5 AND (payer.id = '' OR j.setup_id = payer.id)`,
    tenant.orgId,
    tenant.projectId,
    externalId ?? null,
    firstDay,
    lastDay,
    dayOf(atMs),
  )
  return { dayMicros: row?.day_micros ?? 0, monthMicros: row?.month_micros ?? 0 }
}

export async function listSpend(
  db: Sql,
  tenant: ProjectTenant,
  fromMs: number,
  untilMs: number,
): Promise<SpendLine[]> {
  const rows = await db.all<SpendLineRow>(
    `SELECT j.day, s.external_id, j.model, j.calls, j.prompt_tokens, j.completion_tokens, j.cost_micros,
            j.unpriced_calls
     FROM judge_spend j JOIN projects p ON p.id = j.project_id
     LEFT JOIN setups s ON s.id = j.setup_id AND s.project_id = j.project_id
     WHERE p.org_id = $1 AND j.project_id = $2 AND j.day BETWEEN $3 AND $4
     ORDER BY j.day, s.external_id NULLS FIRST, j.setup_id, j.model`,
    tenant.orgId,
    tenant.projectId,
    dayOf(fromMs),
    dayOf(untilMs),
  )
  return rows.map(toSpendLine)
}

const ANSWER_COLUMNS: ColumnTypes = {
  ...{ org_id: 'text', key: 'text', answer: 'text' },
  ...{ prompt_tokens: 'bigint', completion_tokens: 'bigint' },
}

// Rows are written in the order of their keys: two processes that record the same ones wait for each other only.
async function keepAnswers(tx: Sql, answers: readonly NewCachedAnswer[]): Promise<void> {
  const newest = new Map(answers.map((item) => [`${item.orgId} ${item.key}`, item]))
  const rows = [...newest.keys()].toSorted().map((name) => newest.get(name) as NewCachedAnswer)
  await tx.run(
    `INSERT INTO judge_cache (org_id, key, answer, prompt_tokens, completion_tokens, used_at_ms)
     SELECT org_id, key, answer, prompt_tokens, completion_tokens, $2
     FROM ${tx.dialect.rows('$1', 'given', ANSWER_COLUMNS)} ORDER BY nth
     ON CONFLICT (org_id, key) DO UPDATE SET
       answer = excluded.answer, prompt_tokens = excluded.prompt_tokens,
       completion_tokens = excluded.completion_tokens, used_at_ms = excluded.used_at_ms`,
    new Rows(
      rows.map((item) => ({
        ...{ org_id: item.orgId, key: item.key, answer: item.answer },
        ...{ prompt_tokens: item.promptTokens, completion_tokens: item.completionTokens },
      })),
    ),
    Date.now(),
  )
}

const SPEND_COLUMNS: ColumnTypes = {
  ...{ project_id: 'text', setup_id: 'text', day: 'bigint', model: 'text', calls: 'bigint' },
  ...{
    prompt_tokens: 'bigint',
    completion_tokens: 'bigint',
    cost_micros: 'bigint',
    unpriced_calls: 'bigint',
  },
}

async function addSpend(tx: Sql, spends: readonly JudgeSpend[]): Promise<void> {
  await tx.run(
    `INSERT INTO judge_spend (project_id, setup_id, day, model, calls, prompt_tokens, completion_tokens,
                              cost_micros, unpriced_calls)
     SELECT project_id, setup_id, day, model, sum(calls), sum(prompt_tokens), sum(completion_tokens),
            sum(cost_micros), sum(unpriced_calls)
     FROM ${tx.dialect.rows('$1', 'given', SPEND_COLUMNS)}
     GROUP BY project_id, setup_id, day, model ORDER BY project_id, setup_id, day, model
     ON CONFLICT (project_id, setup_id, day, model) DO UPDATE SET
       calls = judge_spend.calls + excluded.calls,
       prompt_tokens = judge_spend.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = judge_spend.completion_tokens + excluded.completion_tokens,
       cost_micros = judge_spend.cost_micros + excluded.cost_micros,
       unpriced_calls = judge_spend.unpriced_calls + excluded.unpriced_calls`,
    new Rows(
      spends.map((item) => ({
        ...{
          project_id: item.projectId,
          setup_id: item.setupId ?? '',
          day: dayOf(item.atMs),
          model: item.model,
        },
        ...{ calls: item.calls, prompt_tokens: item.promptTokens, completion_tokens: item.completionTokens },
        ...{ cost_micros: item.costMicros, unpriced_calls: item.unpricedCalls },
      })),
    ),
  )
}
