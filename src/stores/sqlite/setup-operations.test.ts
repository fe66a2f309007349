import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import type { SetupChange } from '../../domain/setup.ts'
import { createOrganization } from '../shared/tenant-operations.ts'
import { migrate } from './migrate.ts'
import { deleteSetup, updateSetup, upsertSetups } from './setup-changes.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'

const tenant = { orgId: 'org', projectId: 'project', envProjectId: 'env' }
const evaluators = [{ slug: 'char-count', evaluatorId: 'e1' }]

async function openProject(): Promise<SqliteDatabase> {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  await createOrganization(new SqliteSql(db), {
    organization: { id: 'org', name: 'Org', isOperator: true, retentionHours: 720, createdAtMs: 0 },
    project: {
      id: 'project',
      name: 'P',
      slug: 'p',
      environments: [{ envProjectId: 'env', slug: 'prd' }],
      createdAtMs: 0,
    },
    keys: [],
  })
  return db
}

function draft(externalId: string, change: SetupChange = { evaluators }) {
  return { id: `id of ${externalId}`, externalId, change }
}

/** The external ids of the setups that a given catalogue revision held. */
function setupsAt(db: SqliteDatabase, revision: number): string[] {
  return db
    .all<{ name: string }>(
      `SELECT s.external_id || ' v' || v.version AS name FROM setup_versions v JOIN setups s ON s.id = v.setup_id
       WHERE v.revision_from <= ? AND (v.revision_to IS NULL OR v.revision_to > ?) ORDER BY name`,
      revision,
      revision,
    )
    .map(({ name }) => name)
}

test('every earlier catalogue revision can still be told apart', async () => {
  const db = await openProject()
  await upsertSetups(new SqliteSql(db), tenant, [draft('a'), draft('b')], 1)
  await updateSetup(
    new SqliteSql(db),
    tenant,
    'a',
    { evaluators: [{ slug: 'word-count', evaluatorId: 'e2' }] },
    2,
  )
  await deleteSetup(new SqliteSql(db), tenant, 'b', 3)
  assert.deepEqual(setupsAt(db, 0), [])
  assert.deepEqual(setupsAt(db, 1), ['a v1', 'b v1'])
  assert.deepEqual(setupsAt(db, 2), ['a v2', 'b v1'])
  assert.deepEqual(setupsAt(db, 3), ['a v2'])
})

test('writing the same again makes no new version and no new revision', async () => {
  const db = await openProject()
  await upsertSetups(new SqliteSql(db), tenant, [draft('a')], 1)
  await upsertSetups(new SqliteSql(db), tenant, [draft('a')], 2)
  await updateSetup(new SqliteSql(db), tenant, 'a', {}, 3)
  await updateSetup(new SqliteSql(db), tenant, 'a', { entityType: 'agent' }, 4)
  assert.deepEqual(
    { ...db.get<object>('SELECT catalogue_revision FROM projects') },
    { catalogue_revision: 1 },
  )
  assert.deepEqual({ ...db.get<object>('SELECT count(*) AS versions FROM setup_versions') }, { versions: 1 })
})
