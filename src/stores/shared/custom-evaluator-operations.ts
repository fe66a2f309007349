import type {
  CustomEvaluator,
  CustomEvaluatorChange,
  CustomEvaluatorVersion,
} from '../../domain/custom-evaluator.ts'
import type { OrgTenant } from '../../domain/tenant.ts'
import type { CustomEvaluatorLimits, NewCustomEvaluator, NewCustomVersion } from '../../ports/storage.ts'
import {
  CUSTOM_EVALUATOR_COLUMNS,
  type CustomEvaluatorRow,
  type CustomVersionRow,
  NEWEST_CUSTOM_EVALUATORS,
  toCustomEvaluator,
  toCustomVersion,
} from './custom-evaluator-rows.ts'
import { isFull } from './limit-operations.ts'
import type { Sql } from './sql.ts'

export async function createCustomEvaluator(
  tx: Sql,
  tenant: OrgTenant,
  draft: NewCustomEvaluator,
  atMs: number,
  limits: CustomEvaluatorLimits,
): Promise<CustomEvaluator | 'exists' | 'full'> {
  if (await isFull(tx, tenant, 'customEvaluators', limits.evaluatorsMax)) return 'full'
  const inserted = await tx.run(
    `INSERT INTO custom_evaluators (id, org_id, slug, name, description, version, created_at_ms, updated_at_ms,
       verdict_rule)
     VALUES ($1, $2, $3, $4, $5, 1, $6, $6, $7) ON CONFLICT (org_id, slug) DO NOTHING`,
    draft.evaluatorId,
    tenant.orgId,
    draft.slug,
    draft.name,
    draft.description,
    atMs,
    draft.verdict ? JSON.stringify(draft.verdict) : null,
  )
  if (inserted === 0) return 'exists'
  await insertVersion(tx, draft.evaluatorId, 1, draft, atMs)
  return requireEvaluator(tx, tenant, draft.evaluatorId)
}

export async function listCustomEvaluators(db: Sql, tenant: OrgTenant): Promise<CustomEvaluator[]> {
  const rows = await db.all<CustomEvaluatorRow>(
    `SELECT ${CUSTOM_EVALUATOR_COLUMNS} FROM ${NEWEST_CUSTOM_EVALUATORS} WHERE c.org_id = $1 ORDER BY c.id`,
    tenant.orgId,
  )
  return rows.map(toCustomEvaluator)
}

export async function findCustomEvaluator(
  db: Sql,
  tenant: OrgTenant,
  name: string,
  version?: string,
): Promise<CustomEvaluator | undefined> {
  const newest = await db.get<CustomEvaluatorRow>(
    `SELECT ${CUSTOM_EVALUATOR_COLUMNS} FROM ${NEWEST_CUSTOM_EVALUATORS}
     WHERE c.org_id = $1 AND (c.id = $2 OR c.slug = $2) ORDER BY c.id = $2 DESC LIMIT 1`,
    tenant.orgId,
    name,
  )
  if (!newest || version === undefined) return newest && toCustomEvaluator(newest)
  const row = await db.get<CustomEvaluatorRow>(
    `SELECT ${CUSTOM_EVALUATOR_COLUMNS}
     FROM custom_evaluators c JOIN custom_evaluator_versions v ON v.evaluator_id = c.id
     WHERE c.org_id = $1 AND c.id = $2 AND (v.id = $3 OR CAST(v.version AS text) = $3)`,
    tenant.orgId,
    newest.id,
    version,
  )
  return row && toCustomEvaluator(row)
}

export async function listCustomVersions(
  db: Sql,
  tenant: OrgTenant,
  evaluatorId: string,
): Promise<CustomEvaluatorVersion[]> {
  const rows = await db.all<CustomVersionRow>(
    `SELECT v.id, v.version, v.created_at_ms FROM custom_evaluator_versions v
     JOIN custom_evaluators c ON c.id = v.evaluator_id WHERE c.org_id = $1 AND c.id = $2 ORDER BY v.version`,
    tenant.orgId,
    evaluatorId,
  )
  return rows.map(toCustomVersion)
}

export async function changeCustomEvaluator(
  tx: Sql,
  tenant: OrgTenant,
  from: Pick<CustomEvaluator, 'evaluatorId' | 'version'>,
  change: Omit<CustomEvaluatorChange, 'definition'> & { readonly newVersion?: NewCustomVersion },
  atMs: number,
  limits: CustomEvaluatorLimits,
): Promise<CustomEvaluator | 'stale' | 'full' | undefined> {
  // Of two changes that begin with the same version, the second finds that it is stale.
  await tx.lock.customEvaluator(tenant, from.evaluatorId)
  const current = await findCustomEvaluator(tx, tenant, from.evaluatorId)
  if (!current) return undefined
  if (current.version !== from.version) return 'stale'
  const version = current.version + (change.newVersion ? 1 : 0)
  if (version > limits.versionsMax) return 'full'
  if (change.newVersion) await insertVersion(tx, current.evaluatorId, version, change.newVersion, atMs)
  await tx.run(
    `UPDATE custom_evaluators SET name = $3, description = $4, version = $5, updated_at_ms = $6,
       verdict_rule = CASE WHEN $8 = 1 THEN NULL ELSE coalesce($7, verdict_rule) END
     WHERE org_id = $1 AND id = $2`,
    tenant.orgId,
    current.evaluatorId,
    change.name ?? current.name,
    change.description ?? current.description,
    version,
    atMs,
    change.verdict ? JSON.stringify(change.verdict) : null,
    change.verdict === null ? 1 : 0,
  )
  if (change.verdict !== undefined)
    await tx.run('UPDATE monitors SET is_rule_stale = 1 WHERE evaluator_id = $1', current.evaluatorId)
  return requireEvaluator(tx, tenant, current.evaluatorId)
}

async function insertVersion(
  tx: Sql,
  evaluatorId: string,
  version: number,
  { versionId, definition }: NewCustomVersion,
  atMs: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO custom_evaluator_versions (id, evaluator_id, version, definition, created_at_ms)
     VALUES ($1, $2, $3, $4, $5)`,
    versionId,
    evaluatorId,
    version,
    JSON.stringify(definition),
    atMs,
  )
}

async function requireEvaluator(tx: Sql, tenant: OrgTenant, id: string): Promise<CustomEvaluator> {
  const evaluator = await findCustomEvaluator(tx, tenant, id)
  if (!evaluator) throw new Error(`custom evaluator ${id} is not there after it was written`)
  return evaluator
}
