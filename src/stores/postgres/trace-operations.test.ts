import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import type { TraceFilter, TracePosition } from '../../ports/trace-storage.ts'
import { encodeModelUses } from '../shared/model-use-text.ts'
import { readSessionUsage } from '../shared/usage-operations.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { listTraces } from './trace-search.ts'

const tenant = { orgId: 'org', projectId: 'project' }
const odd = { orgId: 'org', projectId: 'odd' }
const COUNT = 25_000
const VERSIONS = 5_000
const DAY_MS = 86_400_000

/** A store with very many traces in one project, three at each millisecond, and very many monitors. */
async function storeWithTraces(): Promise<PostgresDatabase> {
  const logger = recordingLogger([])
  const db = new PostgresDatabase({
    url: await recycledDatabase(),
    connectionsMax: 2,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger,
  })
  after(() => db.close())
  await db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number)
      VALUES ('project', 'org', 'P', 'p', 0, 1), ('odd', 'org', 'O', 'o', 0, 2);
    INSERT INTO environments VALUES ('env', 'project', 'prd', 0);
    INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms, span_count,
                        error_count, service, session_id, model_calls, prompt_tokens, completion_tokens, is_complete)
      SELECT 1, decode(md5(n::text), 'hex'), 'env', n / 3, n / 3, 0, 1, 0, 'service ' || (n % 5000),
             'session ' || (n % 2), 0, 0, 0, 0
      FROM generate_series(0, ${COUNT - 1}) n;
    INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value, status,
                        version, created_at_ms, updated_at_ms)
      VALUES ('setup', 'org', 'project', 'env', 'a', '', '', 'completed', 1, 0, 0);
    INSERT INTO monitors (number, id, project_number, setup_id, slug, evaluator_id, setup_version, version_number,
                          is_active, fill_next, fill_last, created_at_ms, updated_at_ms)
      SELECT n, 'monitor-' || n, 1, 'setup', 'slug-' || n, 'e', 1, n, 1, 0, -1, 0, 0
      FROM generate_series(1, ${VERSIONS}) n;
    INSERT INTO monitor_versions (number, monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                  sampling_rate, created_at_ms)
      SELECT number, number, 1, 'hash', 1, 'span', '{}', '{}', 1, 0 FROM monitors;`)
  return db
}

const db = await storeWithTraces()

async function walk(filter: TraceFilter, order: 'newest' | 'oldest', limit: number) {
  const times: number[] = []
  const ids = new Set<string>()
  let pages = 0
  for (let from: TracePosition | undefined; ; pages++) {
    const page = await listTraces(db, tenant, filter, { order, limit, ...(from && { after: from }) })
    times.push(...page.traces.map(({ firstMs }) => firstMs))
    for (const { traceId } of page.traces) ids.add(traceId)
    from = page.next
    if (!from) return { pages: pages + 1, times, ids: ids.size }
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

test('looks at fewer traces where results of many monitors are meant', async () => {
  const examined = async (evaluation: TraceFilter['evaluation']) => {
    const { traces, next } = await listTraces(db, tenant, evaluation ? { evaluation } : {}, { limit: 10 })
    assert.deepEqual(traces, [])
    const row = await db.get<{ count: number }>(
      'SELECT count(*) AS count FROM traces WHERE (first_ms, trace_id) >= ($1, $2)',
      next?.firstMs ?? 0,
      Buffer.from(next?.traceId ?? '', 'hex'),
    )
    return row?.count
  }
  assert.equal(await examined({ status: 'error' }), 100_000 / VERSIONS)
  assert.equal(await examined({ slug: 'slug-7' }), 10_000)
  assert.equal(await examined({ slug: 'nobody' }), 10_000)
})

test('finds a trace by what was found about a span of any of its days', async () => {
  const [firstMs, lastMs] = [100 * DAY_MS + 5, 103 * DAY_MS - 1]
  const traceId = Buffer.alloc(16, 7)
  await db.run(
    `INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms, span_count,
       error_count, model_calls, prompt_tokens, completion_tokens, is_complete)
     VALUES (1, $1, 'env', $2, $3, $4, 1, 0, 0, 0, 0, 0)`,
    traceId,
    firstMs,
    lastMs,
    // The clock of the sender is ahead.
    firstMs - DAY_MS,
  )
  // A span without a time counts where it arrived.
  const times = [firstMs - DAY_MS, firstMs, firstMs + DAY_MS, lastMs]
  for (const [at, unitAtMs] of times.entries()) {
    await db.run(
      `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, batch_id, ordinal, unit_at_ms,
         duration_us, created_at_ms) VALUES (1, $1, $2, $3, 'scored', 1, 0, $4, 0, 0)`,
      at + 1,
      traceId,
      Buffer.alloc(8, at),
      unitAtMs,
    )
  }
  for (const [at] of times.entries()) {
    const { traces } = await listTraces(db, tenant, { evaluation: { slug: `slug-${at + 1}` } }, { limit: 10 })
    assert.deepEqual([at, traces.map((trace) => trace.traceId)], [at, [traceId.toString('hex')]])
  }
})

test('finds models by exactly their name, whatever that contains', async () => {
  const names = ['m', 'x"m', 'm":[', 'a,b', 'nul\0', 'mark\u0001', '{', '\\', '\\"', 'ü😀', '__proto__', '7']
  for (const [at, name] of names.entries()) {
    const use = { calls: 1, errors: 0, countedCalls: 1, promptTokens: 1, completionTokens: 1 }
    const uses = new Map([
      ['other', use],
      [name, use],
    ])
    await db.run(
      `INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms, span_count,
         error_count, session_id, model, model_calls, prompt_tokens, completion_tokens, is_complete, model_use)
       VALUES (2, $1, 'env', $2::bigint, $2::bigint, 0, 1, 0, $3, 'last', 2, 2, 2, 0, $4)`,
      Buffer.alloc(16, at + 1),
      at,
      name,
      encodeModelUses(uses),
    )
  }
  for (const [at, model] of names.entries()) {
    const { traces } = await listTraces(db, odd, { model }, { limit: 10 })
    assert.deepEqual([model, traces.map(({ firstMs }) => firstMs)], [model, [at]])
    assert.deepEqual([...(traces[0]?.models.keys() ?? [])].sort(), [model, 'other'].sort())
    const query = { fromMs: 0, toMs: 100, bucketMs: 60_000, model }
    const usage = await readSessionUsage(db, odd, query, 10)
    assert.deepEqual(
      usage.map(({ sessionId, models }) => [sessionId, [...models.keys()]]),
      [[model, [model]]],
    )
    assert.equal((await listTraces(db, odd, { sessionId: model }, { limit: 10 })).traces.length, 1)
  }
  assert.equal((await listTraces(db, odd, { model: 'last' }, { limit: 100 })).traces.length, names.length)
  assert.deepEqual((await listTraces(db, odd, { model: 'b' }, { limit: 10 })).traces, [])
})

test('takes bounds between two milliseconds', async () => {
  const count = async (filter: TraceFilter) =>
    (await listTraces(db, tenant, filter, { limit: 100 })).traces.length
  assert.equal(await count({ fromMs: 9.5, toMs: 11.5 }), 6)
  assert.equal(await count({ fromMs: 9, toMs: 10 }), 3)
  assert.equal(await count({ fromMs: 9, toMs: 10, minDurationMs: -0.5, maxDurationMs: 0.5 }), 3)
  assert.equal(await count({ fromMs: 9, toMs: 10, minDurationMs: 0.5, maxDurationMs: 1e300 }), 0)
})
