import { newSetup, replaceSetup, type Setup, type SetupChange, type SetupDraft } from '../../domain/setup.ts'
import type { EnvironmentTenant, ProjectTenant } from '../../domain/tenant.ts'
import type { SetupFilter } from '../../ports/storage.ts'
import { isFull } from './limit-operations.ts'
import { entriesOf } from './setup-entries.ts'
import { ownerOf, SETUP_COLUMNS, type SetupRow, toSetup } from './setup-rows.ts'
import type { Sql, SqlValue } from './sql.ts'
import {
  endVersions,
  nextRevision,
  type StopMonitors,
  type WrittenSetup,
  writeSetups,
} from './write-setups.ts'

const SELECT_SETUP = `${SETUP_COLUMNS} WHERE s.org_id = $1 AND s.project_id = $2 AND s.deleted_at_ms IS NULL`

export async function createSetup(
  tx: Sql,
  tenant: EnvironmentTenant,
  draft: SetupDraft,
  atMs: number,
  setupsMax?: number,
): Promise<Setup | 'exists' | 'full'> {
  const isOverLimit = await isFull(tx, tenant, 'setups', setupsMax)
  // Of several that are created under one external id, the first wins; and what is matched meets one catalogue or the other.
  const project = await tx.lock.project(tenant)
  if (await isUsed(tx, tenant, draft.externalId)) return 'exists'
  if (isOverLimit) return 'full'
  const setup = newSetup(draft, { ...ownerOf(tenant), atMs })
  await writeSetups(tx, project, [{ setup }], async () => {})
  return setup
}

/** The changes of setups that exist, which stop their monitors. Each store has its own way to do that. */
export function setupChanges<Tx extends Sql>(stopMonitors: StopMonitors<Tx>) {
  async function updateSetup(
    tx: Tx,
    tenant: ProjectTenant,
    externalId: string,
    change: SetupChange,
    atMs: number,
  ): Promise<Setup | undefined> {
    // Of two changes at once, the second is made to what the first has left.
    const project = await tx.lock.projectIfThere(tenant)
    const stored = project && (await getSetup(tx, tenant, externalId))
    if (!stored) return undefined
    const setup = replaceSetup(stored, change, atMs)
    await writeSetups(tx, project, [{ stored, setup }], stopMonitors)
    return setup
  }

  async function upsertSetups(
    tx: Tx,
    tenant: EnvironmentTenant,
    drafts: readonly SetupDraft[],
    atMs: number,
    setupsMax?: number,
  ): Promise<Setup[] | 'full'> {
    if (await isFull(tx, tenant, 'setups', setupsMax, () => countNew(tx, tenant, drafts))) return 'full'
    // The setups that are looked up here are those that are written.
    const project = await tx.lock.project(tenant)
    const known = await getSetups(tx, tenant, externalIdsOf(drafts))
    const { answers, written } = applyDrafts(tenant, drafts, known, atMs)
    await writeSetups(tx, project, written, stopMonitors)
    return answers
  }

  async function deleteSetup(
    tx: Tx,
    tenant: ProjectTenant,
    externalId: string,
    atMs: number,
  ): Promise<boolean> {
    // Of two that delete it, one finds it; and what is matched meets one catalogue or the other.
    const project = await tx.lock.projectIfThere(tenant)
    const current = project && (await getSetup(tx, tenant, externalId))
    if (!current) return false
    await tx.run(
      `UPDATE setups SET deleted_at_ms = $1, ${tx.dialect.released}, has_news = 0 WHERE id = $2`,
      atMs,
      current.id,
    )
    await stopMonitors(tx, [current.id], { keepsWork: false }, atMs)
    await endVersions(tx, [current], await nextRevision(tx, project))
    return true
  }

  return { updateSetup, upsertSetups, deleteSetup }
}

/** Each draft as an answer, and each setup as it is in the end: several drafts may be about the same one. */
function applyDrafts(
  tenant: EnvironmentTenant,
  drafts: readonly SetupDraft[],
  known: ReadonlyMap<string, Setup>,
  atMs: number,
): { answers: Setup[]; written: WrittenSetup[] } {
  const written = new Map<string, WrittenSetup>()
  const answers = drafts.map((draft) => {
    const stored = known.get(draft.externalId)
    const current = written.get(draft.externalId)?.setup ?? stored
    const setup = current
      ? replaceSetup(current, draft.change, atMs)
      : newSetup(draft, { ...ownerOf(tenant), atMs })
    written.set(draft.externalId, { ...(stored && { stored }), setup })
    return setup
  })
  return { answers, written: [...written.values()] }
}

async function countNew(tx: Sql, tenant: ProjectTenant, drafts: readonly SetupDraft[]): Promise<number> {
  const externalIds = externalIdsOf(drafts)
  const known = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM setups s WHERE s.org_id = $1 AND s.project_id = $2 AND s.deleted_at_ms IS NULL
       AND ${tx.dialect.oneOf('s.external_id', '$3')}`,
    tenant.orgId,
    tenant.projectId,
    externalIds,
  )
  return externalIds.length - (known?.count ?? 0)
}

function externalIdsOf(drafts: readonly SetupDraft[]): string[] {
  return [...new Set(drafts.map(({ externalId }) => externalId))]
}

export async function getSetup(
  db: Sql,
  tenant: ProjectTenant,
  externalId: string,
): Promise<Setup | undefined> {
  return (await listSetups(db, tenant, { externalId }))[0]
}

export async function listSetups(db: Sql, tenant: ProjectTenant, filter: SetupFilter): Promise<Setup[]> {
  const values: SqlValue[] = [tenant.orgId, tenant.projectId]
  const clause = (text: string, value: string | number | undefined) =>
    value === undefined ? '' : `${text} $${values.push(value)}`
  const conditions =
    clause(' AND s.status =', filter.status) +
    clause(' AND s.external_id =', filter.externalId) +
    clause(' AND s.id >', filter.afterId)
  const limit = clause(' LIMIT', filter.limit)
  return toSetups(db, await db.all<SetupRow>(`${SELECT_SETUP}${conditions} ORDER BY s.id${limit}`, ...values))
}

/** In the order of their ids; for the processing of setups, which serves all tenants. */
export async function readSetupsById(db: Sql, ids: readonly string[]): Promise<Setup[]> {
  return toSetups(
    db,
    await db.all<SetupRow>(`${SETUP_COLUMNS} WHERE ${db.dialect.oneOf('s.id', '$1')} ORDER BY s.id`, ids),
  )
}

/** The project is held, so it is one of the organization; to ask again would make SQLite go through all setups of that. */
async function getSetups(
  tx: Sql,
  { projectId }: ProjectTenant,
  externalIds: readonly string[],
): Promise<Map<string, Setup>> {
  const rows = await tx.all<SetupRow>(
    `${SETUP_COLUMNS} WHERE s.project_id = $1 AND ${tx.dialect.oneOf('s.external_id', '$2')} AND s.deleted_at_ms IS NULL`,
    projectId,
    externalIds,
  )
  return new Map((await toSetups(tx, rows)).map((setup) => [setup.externalId, setup]))
}

/** Whether a setup of the project has that external id. */
export async function isUsed(tx: Sql, tenant: ProjectTenant, externalId: string): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 FROM setups WHERE project_id = $1 AND external_id = $2 AND deleted_at_ms IS NULL',
    tenant.projectId,
    externalId,
  )
  return row !== undefined
}

async function toSetups(db: Sql, rows: readonly SetupRow[]): Promise<Setup[]> {
  const entries = await entriesOf(db, rows)
  return rows.map((row) => toSetup(row, entries.get(row.id) ?? []))
}
