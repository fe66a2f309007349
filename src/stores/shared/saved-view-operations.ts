import type { SavedView, ViewDefinition, ViewedList } from '../../domain/saved-view.ts'
import type { ProjectTenant } from '../../domain/tenant.ts'
import type { Sql, SqlValue } from './sql.ts'

interface ViewRow {
  readonly id: string
  readonly list: ViewedList
  readonly name: string
  readonly filter: string
  readonly columns: string
  readonly is_default: number
  readonly created_at_ms: number
  readonly updated_at_ms: number
}

const SELECT_VIEW = `SELECT w.id, w.list, w.name, w.filter, w.columns, w.is_default, w.created_at_ms, w.updated_at_ms
  FROM saved_views w JOIN projects p ON p.id = w.project_id WHERE p.org_id = $1 AND p.id = $2`

export async function createSavedView(
  tx: Sql,
  tenant: ProjectTenant,
  view: SavedView,
  viewsMax: number,
): Promise<'created' | 'exists' | 'full'> {
  // Of several that take the same name, the last place or the place of the default, one comes first.
  await tx.lock.project(tenant)
  if (await isNamed(tx, tenant, view.name)) return 'exists'
  const { count } = (await tx.get<{ count: number }>(
    'SELECT count(*) AS count FROM saved_views WHERE project_id = $1',
    tenant.projectId,
  )) ?? { count: 0 }
  if (count >= viewsMax) return 'full'
  await makeRoomForDefault(tx, tenant, view)
  await tx.run(
    `INSERT INTO saved_views (id, project_id, list, name, filter, columns, is_default, created_at_ms, updated_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    ...[view.id, tenant.projectId, ...columnsOf(view), view.createdAtMs, view.updatedAtMs],
  )
  return 'created'
}

export async function listSavedViews(
  db: Sql,
  tenant: ProjectTenant,
  { list }: { readonly list?: ViewedList },
  { afterId, limit }: { readonly afterId?: string; readonly limit: number },
): Promise<SavedView[]> {
  const values: SqlValue[] = [tenant.orgId, tenant.projectId]
  const clause = (text: string, value: SqlValue | undefined) =>
    value === undefined ? '' : `${text} $${values.push(value)}`
  const conditions = clause(' AND w.list =', list) + clause(' AND w.id >', afterId)
  const rows = await db.all<ViewRow>(
    `${SELECT_VIEW}${conditions} ORDER BY w.id${clause(' LIMIT', limit)}`,
    ...values,
  )
  return rows.map(toView)
}

export async function replaceSavedView(
  tx: Sql,
  tenant: ProjectTenant,
  id: string,
  definition: ViewDefinition,
  atMs: number,
): Promise<SavedView | 'exists' | undefined> {
  // As above; and of two that change it, the second changes what the first has left.
  if (!(await tx.lock.projectIfThere(tenant))) return undefined
  const stored = await tx.get<ViewRow>(`${SELECT_VIEW} AND w.id = $3`, tenant.orgId, tenant.projectId, id)
  if (!stored) return undefined
  if (await isNamed(tx, tenant, definition.name, id)) return 'exists'
  await makeRoomForDefault(tx, tenant, definition)
  await tx.run(
    `UPDATE saved_views SET list = $2, name = $3, filter = $4, columns = $5, is_default = $6, updated_at_ms = $7
     WHERE id = $1`,
    ...[id, ...columnsOf(definition), atMs],
  )
  return { ...definition, id, createdAtMs: stored.created_at_ms, updatedAtMs: atMs }
}

export async function deleteSavedView(db: Sql, tenant: ProjectTenant, id: string): Promise<boolean> {
  const deleted = await db.run(
    `DELETE FROM saved_views WHERE id = $1 AND project_id = (SELECT p.id FROM projects p WHERE p.org_id = $2 AND p.id = $3)`,
    id,
    tenant.orgId,
    tenant.projectId,
  )
  return deleted > 0
}

async function isNamed(tx: Sql, tenant: ProjectTenant, name: string, exceptId = ''): Promise<boolean> {
  const row = await tx.get(
    'SELECT 1 FROM saved_views WHERE project_id = $1 AND name = $2 AND id <> $3',
    tenant.projectId,
    name,
    exceptId,
  )
  return row !== undefined
}

async function makeRoomForDefault(
  tx: Sql,
  tenant: ProjectTenant,
  { isDefault, list }: ViewDefinition,
): Promise<void> {
  if (!isDefault) return
  await tx.run(
    'UPDATE saved_views SET is_default = 0 WHERE project_id = $1 AND list = $2 AND is_default = 1',
    tenant.projectId,
    list,
  )
}

function columnsOf({ list, name, filter, columns, isDefault }: ViewDefinition) {
  return [list, name, JSON.stringify(filter), JSON.stringify(columns), Number(isDefault)] as const
}

function toView(row: ViewRow): SavedView {
  return {
    id: row.id,
    list: row.list,
    name: row.name,
    filter: JSON.parse(row.filter),
    columns: JSON.parse(row.columns),
    isDefault: row.is_default === 1,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}
