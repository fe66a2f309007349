import type {
  CustomEvaluator,
  CustomEvaluatorChange,
  CustomEvaluatorVersion,
} from '../../domain/custom-evaluator.ts'
import type { OrgScope } from '../../domain/tenant.ts'
import type { CustomEvaluatorLimits, NewCustomEvaluator, NewCustomVersion } from '../../ports/storage.ts'
import {
  CUSTOM_EVALUATOR_COLUMNS,
  type CustomEvaluatorRow,
  type CustomVersionRow,
  NEWEST_CUSTOM_EVALUATORS,
  toCustomEvaluator,
  toCustomVersion,
} from '../shared/custom-evaluator-rows.ts'
import { isFull } from './limit-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'

export function createCustomEvaluator(
  db: SqliteDatabase,
  scope: OrgScope,
  draft: NewCustomEvaluator,
  atMs: number,
  limits: CustomEvaluatorLimits,
): CustomEvaluator | 'exists' | 'full' {
  if (isFull(db, scope, 'customEvaluators', limits.evaluatorsMax)) return 'full'
  const inserted = db.run(
    `INSERT INTO custom_evaluators (id, org_id, slug, name, description, version, created_at_ms, updated_at_ms)
     VALUES (?, ?, ?, ?, ?, 1, ?, ?) ON CONFLICT (org_id, slug) DO NOTHING`,
    draft.evaluatorId,
    scope.orgId,
    draft.slug,
    draft.name,
    draft.description,
    atMs,
    atMs,
  )
  if (inserted === 0) return 'exists'
  insertVersion(db, draft.evaluatorId, 1, draft, atMs)
  return requireEvaluator(db, scope, draft.evaluatorId)
}

export function listCustomEvaluators(db: SqliteDatabase, scope: OrgScope): CustomEvaluator[] {
  return db
    .all<CustomEvaluatorRow>(
      `SELECT ${CUSTOM_EVALUATOR_COLUMNS} FROM ${NEWEST_CUSTOM_EVALUATORS} WHERE c.org_id = ? ORDER BY c.id`,
      scope.orgId,
    )
    .map(toCustomEvaluator)
}

export function findCustomEvaluator(
  db: SqliteDatabase,
  scope: OrgScope,
  name: string,
  version?: string,
): CustomEvaluator | undefined {
  const newest = db.get<CustomEvaluatorRow>(
    `SELECT ${CUSTOM_EVALUATOR_COLUMNS} FROM ${NEWEST_CUSTOM_EVALUATORS} WHERE c.org_id = ? AND (c.id = ? OR c.slug = ?) ORDER BY c.id = ? DESC LIMIT 1`,
    scope.orgId,
    name,
    name,
    name,
  )
  if (!newest || version === undefined) return newest && toCustomEvaluator(newest)
  const row = db.get<CustomEvaluatorRow>(
    `SELECT ${CUSTOM_EVALUATOR_COLUMNS} FROM custom_evaluators c JOIN custom_evaluator_versions v ON v.evaluator_id = c.id
     WHERE c.org_id = ? AND c.id = ? AND (v.id = ? OR CAST(v.version AS TEXT) = ?)`,
    scope.orgId,
    newest.id,
    version,
    version,
  )
  return row && toCustomEvaluator(row)
}

export function listCustomVersions(
  db: SqliteDatabase,
  scope: OrgScope,
  evaluatorId: string,
): CustomEvaluatorVersion[] {
  return db
    .all<CustomVersionRow>(
      `SELECT v.id, v.version, v.created_at_ms FROM custom_evaluator_versions v
       JOIN custom_evaluators c ON c.id = v.evaluator_id WHERE c.org_id = ? AND c.id = ? ORDER BY v.version`,
      scope.orgId,
      evaluatorId,
    )
    .map(toCustomVersion)
}

export function changeCustomEvaluator(
  db: SqliteDatabase,
  scope: OrgScope,
  from: Pick<CustomEvaluator, 'evaluatorId' | 'version'>,
  change: Omit<CustomEvaluatorChange, 'definition'> & { readonly newVersion?: NewCustomVersion },
  atMs: number,
  limits: CustomEvaluatorLimits,
): CustomEvaluator | 'stale' | 'full' | undefined {
  const current = findCustomEvaluator(db, scope, from.evaluatorId)
  if (!current) return undefined
  if (current.version !== from.version) return 'stale'
  const version = current.version + (change.newVersion ? 1 : 0)
  if (version > limits.versionsMax) return 'full'
  if (change.newVersion) insertVersion(db, current.evaluatorId, version, change.newVersion, atMs)
  db.run(
    'UPDATE custom_evaluators SET name = ?, description = ?, version = ?, updated_at_ms = ? WHERE org_id = ? AND id = ?',
    change.name ?? current.name,
    change.description ?? current.description,
    version,
    atMs,
    scope.orgId,
    current.evaluatorId,
  )
  return requireEvaluator(db, scope, current.evaluatorId)
}

function insertVersion(
  db: SqliteDatabase,
  evaluatorId: string,
  version: number,
  { versionId, definition }: NewCustomVersion,
  atMs: number,
): void {
  db.run(
    `INSERT INTO custom_evaluator_versions (id, evaluator_id, version, definition, created_at_ms)
     VALUES (?, ?, ?, ?, ?)`,
    versionId,
    evaluatorId,
    version,
    JSON.stringify(definition),
    atMs,
  )
}

function requireEvaluator(db: SqliteDatabase, scope: OrgScope, id: string): CustomEvaluator {
  const evaluator = findCustomEvaluator(db, scope, id)
  if (!evaluator) throw new Error(`custom evaluator ${id} is not there after it was written`)
  return evaluator
}
