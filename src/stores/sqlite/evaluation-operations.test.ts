import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import type { EvaluationFilter } from '../../ports/result-storage.ts'
import { getEvaluation, listEvaluations } from './evaluation-operations.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'

const tenant = { orgId: 'org', projectId: 'project' }

/** A store with one project and monitors of one version each, numbered from 1. */
function storeWithMonitors(count: number): SqliteDatabase {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number) VALUES ('project', 'org', 'P', 'p', 0, 1);
    INSERT INTO environments VALUES ('env', 'project', 'prd', 0);
    INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value, status,
                        version, created_at_ms, updated_at_ms)
      VALUES ('setup', 'org', 'project', 'env', 'a', '', '', 'completed', 1, 0, 0);
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${count})
      INSERT INTO monitors (number, id, project_number, setup_id, slug, evaluator_id, setup_version, version_number,
                            is_active, fill_next, fill_last, created_at_ms, updated_at_ms)
      SELECT n, 'monitor-' || n, 1, 'setup', 'slug-' || n, 'e', 1, n, 1, 0, -1, 0, 0 FROM n;
    INSERT INTO monitor_versions (number, monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                  sampling_rate, created_at_ms)
      SELECT number, number, 1, 'hash', 1, 'span', '{}', '{}', 1, 0 FROM monitors;`)
  return db
}

function insert(db: SqliteDatabase, count: number, columns: { version: string; status?: string }): void {
  db.run(
    `WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ?)
     INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, value, output, batch_id,
                              ordinal, unit_at_ms, duration_us, created_at_ms)
     SELECT 1, ${columns.version}, randomblob(16), randomblob(8), ?, n, '{"v":' || n || '}', 1, n, 0, 0, n FROM n`,
    count,
    columns.status ?? 'scored',
  )
}

function walk(db: SqliteDatabase, filter: EvaluationFilter, order: 'newest' | 'oldest', limit: number) {
  const pages: number[] = []
  const numbers: number[] = []
  for (let afterNumber: number | undefined; ; ) {
    const place = afterNumber === undefined ? {} : { afterNumber }
    const page = listEvaluations(db, tenant, filter, { order, limit, ...place })
    pages.push(page.evaluations.length)
    numbers.push(...page.evaluations.map(({ number }) => number))
    afterNumber = page.nextAfter
    if (afterNumber === undefined) return { pages, numbers }
    assert.ok(pages.length < 100, 'the walk ends')
  }
}

for (const order of ['newest', 'oldest'] as const) {
  test(`looks at a limited number of evaluations for a page, ${order} first, and still finds all`, () => {
    const db = storeWithMonitors(2)
    insert(db, 1, { version: '1', status: 'error' })
    insert(db, 45_000, { version: '1 + n % 2' })
    insert(db, 1, { version: '2', status: 'error' })
    for (const [filter, found] of [
      [{ status: 'error' }, [1, 45_002]],
      [{ status: 'error', monitorId: 'monitor-1' }, [1]],
      [{ status: 'error', externalId: 'a' }, [1, 45_002]],
      [{ status: 'refused' }, []],
    ] as const) {
      const { pages, numbers } = walk(db, filter, order, 50)
      assert.deepEqual(
        numbers.toSorted((left, right) => left - right),
        found,
        JSON.stringify(filter),
      )
      assert.ok(pages.length >= 2, `${pages.length} pages`)
    }
  })
}

test('walks many monitors in one pass and leaves none out', () => {
  const db = storeWithMonitors(30)
  insert(db, 90, { version: '1 + n % 30' })
  db.run("UPDATE monitors SET slug = 'other-' || number WHERE number > 25")
  const all = Array.from({ length: 90 }, (_, at) => 90 - at)
  assert.deepEqual(walk(db, { externalId: 'a' }, 'newest', 7).numbers, all)
  assert.deepEqual(
    walk(db, { externalId: 'a', environments: ['prd'], minValue: 80 }, 'newest', 7).numbers,
    all.slice(0, 11),
  )
  assert.equal(walk(db, { slug: 'slug-3' }, 'newest', 7).numbers.length, 3)
})

test('shows superseded generations only where history is asked for', () => {
  const db = storeWithMonitors(1)
  insert(db, 2, { version: '1' })
  db.exec('UPDATE evaluations SET is_current = 0 WHERE number = 1')
  const statuses = (filter: EvaluationFilter) =>
    listEvaluations(db, tenant, filter, { order: 'newest', limit: 10 }).evaluations.map(
      ({ status }) => status,
    )
  assert.deepEqual(statuses({}), ['scored'])
  assert.deepEqual(statuses({ withHistory: true }), ['scored', 'superseded'])
  assert.deepEqual(statuses({ status: 'superseded' }), ['superseded'])
  assert.deepEqual(statuses({ status: 'scored', withHistory: true }), ['scored'])
  const old = getEvaluation(db, tenant, 1)
  assert.equal(old?.status, 'superseded')
  assert.deepEqual(old?.output, { v: 1 })
  assert.equal(old?.receivedAtMs, undefined)
})

test('finds the time of recording by halving, also when numbers are missing and the clock went back', () => {
  const db = storeWithMonitors(1)
  insert(db, 1_000, { version: '1' })
  db.exec('UPDATE evaluations SET created_at_ms = number * 60000')
  db.exec('DELETE FROM evaluations WHERE number % 3 = 0')
  // Set back by half an hour in the middle.
  db.exec('UPDATE evaluations SET created_at_ms = created_at_ms - 1800000 WHERE number > 500')
  const expected = db
    .all<{ number: number }>(
      'SELECT number FROM evaluations WHERE created_at_ms >= 29400000 AND created_at_ms < 30000000 ORDER BY number',
    )
    .map(({ number }) => number)
  assert.ok(expected.length > 10)
  const filter = { fromMs: 29_400_000, toMs: 30_000_000 }
  assert.deepEqual(walk(db, filter, 'oldest', 10).numbers, expected)
})
