import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import type { TraceFilter, TracePosition } from '../../ports/trace-storage.ts'
import { listScores } from '../shared/score-operations.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'
import { listTraces } from './trace-operations.ts'

const scope = { orgId: 'org', projectId: 'project' }
const COUNT = 25_000

/** A store with very many traces in one project, three at each millisecond, and as many scores. */
function storeWithTraces(): SqliteDatabase {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number) VALUES ('project', 'org', 'P', 'p', 0, 1);
    WITH RECURSIVE n (n) AS (VALUES (0) UNION ALL SELECT n + 1 FROM n WHERE n < ${COUNT - 1})
      INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms, span_count,
                          error_count, service, session_id, model_calls, prompt_tokens, completion_tokens, is_complete)
      SELECT 1, randomblob(16), 'env', n / 3, n / 3, 0, 1, 0, 'service ' || (n % 5000), 'session ' || (n % 2), 0, 0, 0, 0
      FROM n;
    INSERT INTO scores (project_number, env_project_id, trace_id, name, value, source, created_at_ms)
      SELECT 1, 'env', trace_id, service, '1', 'api', first_ms FROM traces ORDER BY first_ms;`)
  return db
}

const db = storeWithTraces()

function walk(filter: TraceFilter, order: 'newest' | 'oldest', limit: number) {
  const times: number[] = []
  const ids = new Set<string>()
  let pages = 0
  for (let after: TracePosition | undefined; ; pages++) {
    const page = listTraces(db, scope, filter, { order, limit, ...(after && { after }) })
    times.push(...page.traces.map(({ firstMs }) => firstMs))
    for (const { traceId } of page.traces) ids.add(traceId)
    after = page.next
    if (!after) return { pages: pages + 1, times, ids: ids.size }
    assert.ok(pages < 100, 'the walk ends')
  }
}

for (const order of ['newest', 'oldest'] as const) {
  test(`looks at a limited number of traces for a page, ${order} first, and still finds all`, () => {
    const all = walk({}, order, 1_000)
    const sorted = all.times.toSorted((left, right) => (order === 'newest' ? right - left : left - right))
    assert.deepEqual([all.pages, all.ids, all.times], [25, COUNT, sorted])
    const some = walk({ service: 'service 7' }, order, 1_000)
    assert.deepEqual([some.pages, some.ids, some.times.length], [3, 5, 5])
    const session = walk({ sessionId: 'session 1', service: 'service 7' }, order, 1_000)
    assert.deepEqual([session.pages, session.ids, session.times.length], [2, 5, 5])
    assert.deepEqual(walk({ service: 'nobody' }, order, 10), { pages: 3, times: [], ids: 0 })
  })
}

test('looks at a limited number of scores for a page and still finds all', async () => {
  const numbers: number[] = []
  let pages = 0
  for (let afterNumber: number | undefined; ; pages++) {
    const after = afterNumber === undefined ? {} : { afterNumber }
    const page = await listScores(new SqliteSql(db), scope, { name: 'service 7' }, { limit: 100, ...after })
    numbers.push(...page.scores.map(({ number }) => number))
    afterNumber = page.nextAfter
    if (afterNumber === undefined) break
    assert.ok(pages < 100, 'the walk ends')
  }
  assert.deepEqual([pages + 1, numbers.length], [3, 5])
  assert.deepEqual(
    numbers,
    numbers.toSorted((left, right) => right - left),
  )
})

test('looks at fewer traces where results of many monitors are meant', () => {
  const monitors = 5_000
  db.exec(`
    INSERT INTO environments VALUES ('env', 'project', 'prd', 0);
    INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value, status,
                        version, created_at_ms, updated_at_ms)
      VALUES ('setup', 'org', 'project', 'env', 'a', '', '', 'completed', 1, 0, 0);
    WITH RECURSIVE n (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM n WHERE n < ${monitors})
      INSERT INTO monitors (number, id, project_number, setup_id, slug, evaluator_id, setup_version, version_number,
                            is_active, fill_next, fill_last, created_at_ms, updated_at_ms)
      SELECT n, 'monitor-' || n, 1, 'setup', 'slug-' || n, 'e', 1, n, 1, 0, -1, 0, 0 FROM n;
    INSERT INTO monitor_versions (number, monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                  sampling_rate, created_at_ms)
      SELECT number, number, 1, 'hash', 1, 'span', '{}', '{}', 1, 0 FROM monitors;`)
  const examined = (evaluation: TraceFilter['evaluation']) => {
    const { traces, next } = listTraces(db, scope, evaluation ? { evaluation } : {}, { limit: 10 })
    assert.deepEqual(traces, [])
    return db.get<{ count: number }>(
      'SELECT count(*) AS count FROM traces WHERE (first_ms, trace_id) >= (?, ?)',
      next?.firstMs ?? 0,
      Buffer.from(next?.traceId ?? '', 'hex'),
    )?.count
  }
  assert.equal(examined({ status: 'error' }), 500_000 / monitors)
  assert.equal(examined({ slug: 'slug-7' }), 10_000)
  assert.equal(examined({ slug: 'nobody' }), 10_000)
})
