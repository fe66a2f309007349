import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import type { TraceFilter, TracePosition } from '../../ports/trace-storage.ts'
import { listAnnotations } from '../shared/annotation-operations.ts'
import { encodeModelUses } from '../shared/model-use-text.ts'
import { readSessionUsage } from '../shared/usage-operations.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'
import { listTraces } from './trace-search.ts'

const tenant = { orgId: 'org', projectId: 'project' }
const odd = { orgId: 'org', projectId: 'odd' }
const COUNT = 25_000

/** A store with very many traces in one project, three at each millisecond, and as many scores. */
function storeWithTraces(): SqliteDatabase {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number)
      VALUES ('project', 'org', 'P', 'p', 0, 1), ('odd', 'org', 'O', 'o', 0, 2);
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
const sql = new SqliteSql(db)

async function walk(filter: TraceFilter, order: 'newest' | 'oldest', limit: number) {
  const times: number[] = []
  const ids = new Set<string>()
  let pages = 0
  for (let after: TracePosition | undefined; ; pages++) {
    const page = await listTraces(sql, tenant, filter, { order, limit, ...(after && { after }) })
    times.push(...page.traces.map(({ firstMs }) => firstMs))
    for (const { traceId } of page.traces) ids.add(traceId)
    after = page.next
    if (!after) return { pages: pages + 1, times, ids: ids.size }
    assert.ok(pages < 100, 'the walk ends')
  }
}

for (const order of ['newest', 'oldest'] as const) {
  test(`looks at a limited number of traces for a page, ${order} first, and still finds all`, async () => {
    const all = await walk({}, order, 1_000)
    const sorted = all.times.toSorted((left, right) => (order === 'newest' ? right - left : left - right))
    assert.deepEqual([all.pages, all.ids, all.times], [25, COUNT, sorted])
    const some = await walk({ service: 'service 7' }, order, 1_000)
    assert.deepEqual([some.pages, some.ids, some.times.length], [3, 5, 5])
    const session = await walk({ sessionId: 'session 1', service: 'service 7' }, order, 1_000)
    assert.deepEqual([session.pages, session.ids, session.times.length], [2, 5, 5])
    assert.deepEqual(await walk({ service: 'nobody' }, order, 10), { pages: 3, times: [], ids: 0 })
  })
}

test('looks at a limited number of scores for a page and still finds all', async () => {
  const numbers: number[] = []
  let pages = 0
  for (let afterNumber: number | undefined; ; pages++) {
    const after = afterNumber === undefined ? {} : { afterNumber }
    const page = await listAnnotations(
      new SqliteSql(db),
      tenant,
      { name: 'service 7' },
      { limit: 100, ...after },
    )
    numbers.push(...page.annotations.map(({ number }) => number))
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

test('looks at fewer traces where results of many monitors are meant', async () => {
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
  const examined = async (evaluation: TraceFilter['evaluation']) => {
    const { traces, next } = await listTraces(sql, tenant, evaluation ? { evaluation } : {}, { limit: 10 })
    assert.deepEqual(traces, [])
    return db.get<{ count: number }>(
      'SELECT count(*) AS count FROM traces WHERE (first_ms, trace_id) >= (?, ?)',
      next?.firstMs ?? 0,
      Buffer.from(next?.traceId ?? '', 'hex'),
    )?.count
  }
  assert.equal(await examined({ status: 'error' }), 500_000 / monitors)
  assert.equal(await examined({ slug: 'slug-7' }), 10_000)
  assert.equal(await examined({ slug: 'nobody' }), 10_000)
})

test('finds models by exactly their name, whatever that contains', async () => {
  const names = ['m', 'x"m', 'm":[', 'a,b', 'nul\0', 'mark\u0001', '{', '\\', '\\"', 'ü😀', '__proto__', '7']
  for (const [at, name] of names.entries()) {
    const use = { calls: 1, errors: 0, countedCalls: 1, promptTokens: 1, completionTokens: 1 }
    const uses = new Map([
      ['other', use],
      [name, use],
    ])
    db.run(
      `INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms, span_count,
         error_count, session_id, model, model_calls, prompt_tokens, completion_tokens, is_complete, model_use)
       VALUES (2, $1, 'env', $2, $2, 0, 1, 0, $3, 'last', 2, 2, 2, 0, $4)`,
      Buffer.alloc(16, at + 1),
      at,
      `session ${at}`,
      encodeModelUses(uses),
    )
  }
  for (const [at, model] of names.entries()) {
    const { traces } = await listTraces(sql, odd, { model }, { limit: 10 })
    assert.deepEqual([model, traces.map(({ firstMs }) => firstMs)], [model, [at]])
    const query = { fromMs: 0, toMs: 100, bucketMs: 60_000, model }
    const usage = await readSessionUsage(sql, odd, query, 10)
    assert.deepEqual(
      usage.map(({ sessionId, models }) => [sessionId, [...models.keys()]]),
      [[`session ${at}`, [model]]],
    )
  }
  assert.equal((await listTraces(sql, odd, { model: 'last' }, { limit: 100 })).traces.length, names.length)
  assert.deepEqual((await listTraces(sql, odd, { model: 'b' }, { limit: 10 })).traces, [])
})
