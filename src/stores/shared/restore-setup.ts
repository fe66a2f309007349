import type { Setup } from '../../domain/setup.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import { isFull } from './limit-operations.ts'
import { isUsed, readSetupsById } from './setup-operations.ts'
import type { Sql } from './sql.ts'
import { insertVersions, nextRevision } from './write-setups.ts'

/** Brings back a deleted setup with its monitors. */
export async function restoreSetup(
  tx: Sql,
  tenant: ProjectTenant,
  externalId: string,
  options: { readonly deletedFromMs: number; readonly atMs: number; readonly setupsMax?: number },
): Promise<Setup | 'exists' | 'full' | undefined> {
  const isOverLimit = await isFull(tx, tenant, 'setups', options.setupsMax)
  // Of several that restore or create one under the same external id, the first wins; and what is matched meets one catalogue
  // or the other.
  const project = await tx.lock.projectIfThere(tenant)
  const deleted = project && (await findDeleted(tx, tenant, externalId, options.deletedFromMs))
  if (!deleted) return undefined
  if (await isUsed(tx, tenant, externalId)) return 'exists'
  if (isOverLimit) return 'full'
  const setup = { ...deleted, version: deleted.version + 1, updatedAtMs: options.atMs }
  await reopen(tx, setup)
  await insertVersions(tx, project, [setup], await nextRevision(tx, project))
  await startMonitors(tx, setup)
  return (await readSetupsById(tx, [setup.id]))[0]
}

async function findDeleted(
  tx: Sql,
  { orgId, projectId }: ProjectTenant,
  externalId: string,
  deletedFromMs: number,
): Promise<Setup | undefined> {
  const row = await tx.get<{ id: string }>(
    `SELECT id FROM setups WHERE org_id = $1 AND project_id = $2 AND external_id = $3 AND deleted_at_ms >= $4
     ORDER BY deleted_at_ms DESC, id DESC LIMIT 1`,
    orgId,
    projectId,
    externalId,
    deletedFromMs,
  )
  return row && (await readSetupsById(tx, [row.id]))[0]
}

/** A worker that was binding its entries when it was deleted could not finish, so they wait again. */
async function reopen(tx: Sql, { id, version, updatedAtMs }: Setup): Promise<void> {
  await tx.run(
    `UPDATE setups SET deleted_at_ms = NULL, version = $2, updated_at_ms = $3, ${tx.dialect.released},
       status = CASE status WHEN 'in_progress' THEN 'pending' ELSE status END,
       has_news = 0, can_heal = 1, first_match = NULL WHERE id = $1`,
    id,
    version,
    updatedAtMs,
  )
  await tx.run(
    `UPDATE setup_entries SET status = 'pending' WHERE setup_id = $1 AND status = 'in_progress'`,
    id,
  )
}

/** The monitors of its entries go on with the versions they had, on spans that match from now on. */
async function startMonitors(tx: Sql, { id, version, updatedAtMs }: Setup): Promise<void> {
  await tx.run(
    `UPDATE monitors SET is_active = 1, fill_next = 0, fill_last = -1, updated_at_ms = $3,
       setup_version = (SELECT v.number FROM setup_versions v WHERE v.setup_id = $1 AND v.version = $2)
     WHERE setup_id = $1 AND id IN (SELECT e.binding_id FROM setup_entries e WHERE e.setup_id = $1)`,
    id,
    version,
    updatedAtMs,
  )
}
