import {
  definitionOf,
  newSetup,
  replaceSetup,
  type Setup,
  type SetupChange,
  type SetupDraft,
  type SetupEntry,
} from '../../domain/setup.ts'
import type { EnvironmentScope, ProjectScope } from '../../domain/tenant.ts'
import type { SetupFilter } from '../../ports/storage.ts'
import {
  ENTRY_COLUMNS,
  type EntryRow,
  ownerOf,
  SETUP_COLUMNS,
  type SetupRow,
  toEntries,
  toSetup,
} from '../shared/setup-rows.ts'
import { isFull } from './limit-operations.ts'
import { stopMonitors } from './monitor-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

const SELECT_SETUP = `${SETUP_COLUMNS} WHERE s.org_id = ? AND s.project_id = ? AND s.deleted_at_ms IS NULL`

export function createSetup(
  db: SqliteDatabase,
  scope: EnvironmentScope,
  draft: SetupDraft,
  atMs: number,
  setupsMax?: number,
): Setup | 'exists' | 'full' {
  if (getSetup(db, scope, draft.externalId)) return 'exists'
  if (isFull(db, scope, 'setups', setupsMax)) return 'full'
  const setup = newSetup(draft, { ...ownerOf(scope), atMs })
  insertSetup(db, setup, nextRevision(db, scope))
  return setup
}

export function updateSetup(
  db: SqliteDatabase,
  scope: ProjectScope,
  externalId: string,
  change: SetupChange,
  atMs: number,
): Setup | undefined {
  const current = getSetup(db, scope, externalId)
  if (!current) return undefined
  const setup = replaceSetup(current, change, atMs)
  writeReplaced(db, current, setup, () => nextRevision(db, scope))
  return setup
}

export function upsertSetups(
  db: SqliteDatabase,
  scope: EnvironmentScope,
  drafts: readonly SetupDraft[],
  atMs: number,
  setupsMax?: number,
): Setup[] | 'full' {
  const adding = setupsMax === undefined ? 0 : countNew(db, scope, drafts)
  if (adding > 0 && isFull(db, scope, 'setups', setupsMax, adding)) return 'full'
  // All items of one request share one revision, taken when the first of them really changes something.
  let revision: number | undefined
  const sharedRevision = () => (revision ??= nextRevision(db, scope))
  return drafts.map((draft) => {
    const current = getSetup(db, scope, draft.externalId)
    if (current) {
      const setup = replaceSetup(current, draft.change, atMs)
      writeReplaced(db, current, setup, sharedRevision)
      return setup
    }
    const setup = newSetup(draft, { ...ownerOf(scope), atMs })
    insertSetup(db, setup, sharedRevision())
    return setup
  })
}

function countNew(db: SqliteDatabase, scope: ProjectScope, drafts: readonly SetupDraft[]): number {
  const externalIds = new Set(drafts.map(({ externalId }) => externalId))
  const known = db.get<{ count: number }>(
    `SELECT count(*) AS count FROM setups s WHERE s.org_id = ? AND s.project_id = ? AND s.deleted_at_ms IS NULL
       AND s.external_id IN (SELECT value FROM json_each(?))`,
    scope.orgId,
    scope.projectId,
    JSON.stringify([...externalIds]),
  )
  return externalIds.size - (known?.count ?? 0)
}

export function deleteSetup(
  db: SqliteDatabase,
  scope: ProjectScope,
  externalId: string,
  atMs: number,
): boolean {
  const current = getSetup(db, scope, externalId)
  if (!current) return false
  db.run('UPDATE setups SET deleted_at_ms = ?, lease = NULL, has_news = 0 WHERE id = ?', atMs, current.id)
  stopMonitors(db, current.id, { keepsWork: false }, atMs)
  endVersion(db, current, nextRevision(db, scope))
  return true
}

export function getSetup(db: SqliteDatabase, scope: ProjectScope, externalId: string): Setup | undefined {
  return listSetups(db, scope, { externalId })[0]
}

export function listSetups(db: SqliteDatabase, scope: ProjectScope, filter: SetupFilter): Setup[] {
  const conditions: string[] = []
  const values: (string | number)[] = [scope.orgId, scope.projectId]
  const where = (condition: string, value: string | undefined) => {
    if (value === undefined) return
    conditions.push(` AND ${condition}`)
    values.push(value)
  }
  where('s.status = ?', filter.status)
  where('s.external_id = ?', filter.externalId)
  where('s.id > ?', filter.afterId)
  const limited = filter.limit === undefined ? '' : ' LIMIT ?'
  if (filter.limit !== undefined) values.push(filter.limit)
  const rows = db.all<SetupRow>(`${SELECT_SETUP}${conditions.join('')} ORDER BY s.id${limited}`, ...values)
  const entries = entriesOf(db, rows)
  return rows.map((row) => toSetup(row, entries.get(row.id) ?? []))
}

/** For the processing of setups, which serves all tenants. */
export function readSetupById(db: SqliteDatabase, id: string): Setup {
  const row = db.get<SetupRow>(`${SETUP_COLUMNS} WHERE s.id = ?`, id)
  if (!row) throw new Error(`setup ${id} does not exist`)
  return toSetup(row, entriesOf(db, [row]).get(id) ?? [])
}

// One query for all entries of a list; the ids travel as one JSON parameter.
export function entriesOf(
  db: SqliteDatabase,
  setups: readonly { readonly id: string }[],
): Map<string, SetupEntry[]> {
  const ids = setups.map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const rows = db.all<EntryRow>(
    `${ENTRY_COLUMNS} WHERE setup_id IN (SELECT value FROM json_each(?)) ORDER BY setup_id, position`,
    JSON.stringify(ids),
  )
  return toEntries(ids, rows)
}

function insertSetup(db: SqliteDatabase, setup: Setup, revision: number): void {
  db.run(
    `INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value,
                         status, version, created_at_ms, updated_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    setup.id,
    setup.orgId,
    setup.projectId,
    setup.envProjectId,
    setup.externalId,
    setup.entityType,
    setup.entityValue,
    setup.status,
    setup.version,
    setup.createdAtMs,
    setup.updatedAtMs,
  )
  insertVersion(db, setup, revision)
  writeEntries(db, setup)
}

function writeReplaced(db: SqliteDatabase, current: Setup, setup: Setup, revision: () => number): void {
  db.run(
    `UPDATE setups SET entity_type = ?, entity_value = ?, status = ?, version = ?, updated_at_ms = ?,
       lease = NULL, has_news = 0, can_heal = 1, first_match = CASE WHEN ? THEN NULL ELSE first_match END
     WHERE id = ?`,
    setup.entityType,
    setup.entityValue,
    setup.status,
    setup.version,
    setup.updatedAtMs,
    setup.version !== current.version ? 1 : 0,
    setup.id,
  )
  // A file that is applied again unchanged leads back to the same monitors, so their queue is kept for them.
  stopMonitors(db, setup.id, { keepsWork: setup.version === current.version }, setup.updatedAtMs)
  if (setup.version !== current.version) {
    const at = revision()
    endVersion(db, current, at)
    insertVersion(db, setup, at)
  }
  db.run('DELETE FROM setup_entries WHERE setup_id = ?', setup.id)
  writeEntries(db, setup)
}

function insertVersion(db: SqliteDatabase, setup: Setup, revision: number): void {
  const { selector, evaluators } = definitionOf(setup)
  db.run(
    `INSERT INTO setup_versions
       (setup_id, version, number, project_number, selector, evaluators, revision_from, created_at_ms)
     VALUES (?, ?, (SELECT coalesce(max(number), 0) + 1 FROM setup_versions),
       (SELECT number FROM projects WHERE id = ?), ?, ?, ?, ?)`,
    setup.id,
    setup.version,
    setup.projectId,
    JSON.stringify(selector),
    JSON.stringify(evaluators),
    revision,
    setup.updatedAtMs,
  )
}

function endVersion(db: SqliteDatabase, setup: Setup, revision: number): void {
  db.run(
    'UPDATE setup_versions SET revision_to = ? WHERE setup_id = ? AND version = ?',
    revision,
    setup.id,
    setup.version,
  )
}

function writeEntries(db: SqliteDatabase, setup: Setup): void {
  for (const [position, entry] of setup.entries.entries()) {
    db.run(
      `INSERT INTO setup_entries (setup_id, position, slug, evaluator_id, override, status)
       VALUES (?, ?, ?, ?, ?, ?)`,
      setup.id,
      position,
      entry.slug,
      entry.evaluatorId,
      JSON.stringify(entry.override),
      entry.status,
    )
  }
}

function nextRevision(db: SqliteDatabase, scope: ProjectScope): number {
  const row = db.get<{ catalogue_revision: number }>(
    `UPDATE projects SET catalogue_revision = catalogue_revision + 1
     WHERE org_id = ? AND id = ? RETURNING catalogue_revision`,
    scope.orgId,
    scope.projectId,
  )
  if (!row) throw new Error(`project ${scope.projectId} does not exist`)
  return row.catalogue_revision
}
