import assert from 'node:assert/strict'
import { copyFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import {
  changeCustomEvaluator,
  createCustomEvaluator,
  findCustomEvaluator,
  listCustomEvaluators,
} from '../shared/custom-evaluator-operations.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'

const MIGRATIONS = path.join(import.meta.dirname, 'migrations')
const LIMITS = { evaluatorsMax: 10, versionsMax: 10 }

test('an evaluator of a store that knew no versions is not shown and breaks nothing', async () => {
  const earlier = temporaryDirectory()
  for (const name of readdirSync(MIGRATIONS).filter((file) => file < '0004')) {
    copyFileSync(path.join(MIGRATIONS, name), path.join(earlier, name))
  }
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db, earlier)
  db.exec(`INSERT INTO organizations (id, name, is_operator, retention_hours, created_at_ms) VALUES ('o', 'O', 0, 1, 0);
    INSERT INTO custom_evaluators (id, org_id, slug, input_schema, output_schema, created_at_ms)
    VALUES ('e', 'o', 'old', '[]', '[]', 0)`)
  migrate(db, MIGRATIONS)

  const sql = new SqliteSql(db)
  const tenant = { orgId: 'o' }
  assert.deepEqual(await listCustomEvaluators(sql, tenant), [])
  assert.equal(await findCustomEvaluator(sql, tenant, 'old'), undefined)
  assert.equal(await findCustomEvaluator(sql, tenant, 'e', '1'), undefined)
  const from = { evaluatorId: 'e', version: 1 }
  assert.equal(await changeCustomEvaluator(sql, tenant, from, { name: 'x' }, 0, LIMITS), undefined)
  const definition = {
    provider: 'openai',
    messages: [],
    modelConfig: { model: 'm' },
    inputSchema: [],
    outputSchema: [],
  }
  const draft = { evaluatorId: 'f', versionId: 'v', slug: 'old', name: '', description: '', definition }
  assert.equal(await createCustomEvaluator(sql, tenant, draft, 0, LIMITS), 'exists')
})
