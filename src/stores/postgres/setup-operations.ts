import {
  newSetup,
  replaceSetup,
  type Setup,
  type SetupChange,
  type SetupDraft,
  type SetupEntry,
} from '../../domain/setup.ts'
import type { EnvironmentScope, ProjectScope } from '../../domain/tenant.ts'
import type { SetupFilter } from '../../ports/storage.ts'
import { isFull } from '../shared/limit-operations.ts'
import {
  ENTRY_COLUMNS,
  type EntryRow,
  ownerOf,
  SETUP_COLUMNS,
  type SetupRow,
  toEntries,
  toSetup,
} from '../shared/setup-rows.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { lockProject, lockProjectIfThere } from './lock-project.ts'
import { stopMonitors } from './monitor-operations.ts'
import { endVersions, nextRevision, type WrittenSetup, writeSetups } from './write-setups.ts'

const SELECT_SETUP = `${SETUP_COLUMNS} WHERE s.org_id = $1 AND s.project_id = $2 AND s.deleted_at_ms IS NULL`

export async function createSetup(
  tx: Sql,
  scope: EnvironmentScope,
  draft: SetupDraft,
  atMs: number,
  setupsMax?: number,
): Promise<Setup | 'exists' | 'full'> {
  const isOverLimit = await isFull(tx, scope, 'setups', setupsMax)
  const project = await lockProject(tx, scope)
  if (await isUsed(tx, scope, draft.externalId)) return 'exists'
  if (isOverLimit) return 'full'
  const setup = newSetup(draft, { ...ownerOf(scope), atMs })
  await writeSetups(tx, project, [{ setup }])
  return setup
}

export async function updateSetup(
  tx: Sql,
  scope: ProjectScope,
  externalId: string,
  change: SetupChange,
  atMs: number,
): Promise<Setup | undefined> {
  const project = await lockProjectIfThere(tx, scope)
  const stored = project && (await getSetup(tx, scope, externalId))
  if (!stored) return undefined
  const setup = replaceSetup(stored, change, atMs)
  await writeSetups(tx, project, [{ stored, setup }])
  return setup
}

export async function upsertSetups(
  tx: Sql,
  scope: EnvironmentScope,
  drafts: readonly SetupDraft[],
  atMs: number,
  setupsMax?: number,
): Promise<Setup[] | 'full'> {
  if (await isFull(tx, scope, 'setups', setupsMax, () => countNew(tx, scope, drafts))) return 'full'
  const project = await lockProject(tx, scope)
  const written = new Map<string, WrittenSetup>()
  const known = await getSetups(tx, scope, [...new Set(drafts.map(({ externalId }) => externalId))])
  const answers = drafts.map((draft) => {
    const stored = known.get(draft.externalId)
    const current = written.get(draft.externalId)?.setup ?? stored
    const setup = current
      ? replaceSetup(current, draft.change, atMs)
      : newSetup(draft, { ...ownerOf(scope), atMs })
    written.set(draft.externalId, { ...(stored && { stored }), setup })
    return setup
  })
  await writeSetups(tx, project, [...written.values()])
  return answers
}

async function countNew(tx: Sql, scope: ProjectScope, drafts: readonly SetupDraft[]): Promise<number> {
  const externalIds = [...new Set(drafts.map(({ externalId }) => externalId))]
  const known = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM setups s WHERE s.org_id = $1 AND s.project_id = $2 AND s.deleted_at_ms IS NULL
       AND s.external_id = ANY($3)`,
    scope.orgId,
    scope.projectId,
    externalIds,
  )
  return externalIds.length - (known?.count ?? 0)
}

export async function deleteSetup(
  tx: Sql,
  scope: ProjectScope,
  externalId: string,
  atMs: number,
): Promise<boolean> {
  const project = await lockProjectIfThere(tx, scope)
  const current = project && (await getSetup(tx, scope, externalId))
  if (!current) return false
  await tx.run(
    'UPDATE setups SET deleted_at_ms = $1, lease = NULL, holder = NULL, has_news = 0 WHERE id = $2',
    atMs,
    current.id,
  )
  await stopMonitors(tx, current.id, { keepsWork: false }, atMs)
  await endVersions(tx, [current], await nextRevision(tx, project))
  return true
}

export async function getSetup(db: Sql, scope: ProjectScope, externalId: string): Promise<Setup | undefined> {
  return (await listSetups(db, scope, { externalId }))[0]
}

export async function listSetups(db: Sql, scope: ProjectScope, filter: SetupFilter): Promise<Setup[]> {
  const values: SqlValue[] = [scope.orgId, scope.projectId]
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
  return toSetups(db, await db.all<SetupRow>(`${SETUP_COLUMNS} WHERE s.id = ANY($1) ORDER BY s.id`, ids))
}

/** The entries of each of them, in one query. */
export async function entriesOf(
  db: Sql,
  setups: readonly { readonly id: string }[],
): Promise<Map<string, SetupEntry[]>> {
  const ids = setups.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  return toEntries(
    ids,
    await db.all<EntryRow>(`${ENTRY_COLUMNS} WHERE setup_id = ANY($1) ORDER BY setup_id, position`, ids),
  )
}

async function getSetups(
  tx: Sql,
  scope: ProjectScope,
  externalIds: readonly string[],
): Promise<Map<string, Setup>> {
  const rows = await tx.all<SetupRow>(
    `${SELECT_SETUP} AND s.external_id = ANY($3)`,
    scope.orgId,
    scope.projectId,
    externalIds,
  )
  return new Map((await toSetups(tx, rows)).map((setup) => [setup.externalId, setup]))
}

async function isUsed(tx: Sql, scope: ProjectScope, externalId: string): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 FROM setups WHERE project_id = $1 AND external_id = $2 AND deleted_at_ms IS NULL',
    scope.projectId,
    externalId,
  )
  return row !== undefined
}

async function toSetups(db: Sql, rows: readonly SetupRow[]): Promise<Setup[]> {
  const entries = await entriesOf(db, rows)
  return rows.map((row) => toSetup(row, entries.get(row.id) ?? []))
}
