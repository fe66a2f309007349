import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  databaseWithMonitors,
  recordEvaluations,
  RESULTS_SCOPE as tenant,
} from '../../../tests/support/postgres-results.ts'
import type { EvaluationFilter } from '../../ports/result-storage.ts'
import { getEvaluation, listEvaluations } from './evaluation-operations.ts'
import { DAILY_TABLES, makePartition } from './partitions.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Evaluations lie in two days that have a partition of their own and in the default partition. */
async function storeWithMonitors(count: number): Promise<PostgresDatabase> {
  const { db } = await databaseWithMonitors(count)
  after(() => db.close())
  await db.transaction(async (tx) => {
    for (const day of [0, 1]) await makePartition(tx, DAILY_TABLES[1], day)
  })
  return db
}

function record(
  db: PostgresDatabase,
  count: number,
  columns: Parameters<typeof recordEvaluations>[2],
): Promise<void> {
  return db.transaction((tx) => recordEvaluations(tx, count, columns))
}

async function walk(
  db: PostgresDatabase,
  filter: EvaluationFilter,
  order: 'newest' | 'oldest',
  limit: number,
) {
  const pages: number[] = []
  const numbers: number[] = []
  for (let afterNumber: number | undefined; ; ) {
    const place = afterNumber === undefined ? {} : { afterNumber }
    const page = await listEvaluations(db, tenant, filter, { order, limit, ...place })
    pages.push(page.evaluations.length)
    numbers.push(...page.evaluations.map(({ number }) => number))
    afterNumber = page.nextAfter
    if (afterNumber === undefined) return { pages, numbers }
    assert.ok(pages.length < 100, 'the walk ends')
  }
}

describe('a list of evaluations', () => {
  for (const order of ['newest', 'oldest'] as const) {
    test(`looks at a limited number of evaluations for a page, ${order} first, and still finds all`, async () => {
      const db = await storeWithMonitors(2)
      await record(db, 1, { version: '1', status: 'error' })
      await record(db, 45_000, { version: '1 + n % 2' })
      await record(db, 1, { version: '2', status: 'error' })
      for (const [filter, found] of [
        [{ status: 'error' }, [1, 45_002]],
        [{ status: 'error', monitorId: 'monitor-1' }, [1]],
        [{ status: 'error', externalId: 'a' }, [1, 45_002]],
        [{ status: 'refused' }, []],
      ] as const) {
        const { pages, numbers } = await walk(db, filter, order, 50)
        const sorted = numbers.toSorted((left, right) => left - right)
        assert.deepEqual(sorted, found, JSON.stringify(filter))
        assert.ok(pages.length >= 2, `${pages.length} pages`)
      }
    })
  }

  test('leaves nothing out where one monitor has much more than another', async () => {
    const db = await storeWithMonitors(2)
    await record(db, 30, { version: '2' })
    for (const status of ['error', 'scored', 'error']) {
      await record(db, status === 'scored' ? 1 : 10_000, { version: '1', status })
    }
    await record(db, 30, { version: '2' })
    const { numbers } = await walk(db, { status: 'scored', externalId: 'a' }, 'newest', 50)
    assert.equal(numbers.length, 61)
    assert.deepEqual(
      numbers,
      numbers.toSorted((left, right) => right - left),
    )
  })

  test('walks many monitors in one pass and leaves none out', async () => {
    const db = await storeWithMonitors(30)
    await record(db, 90, { version: '1 + n % 30' })
    await db.run("UPDATE monitors SET slug = 'other-' || number WHERE number > 25")
    const all = Array.from({ length: 90 }, (_, at) => 90 - at)
    assert.deepEqual((await walk(db, { externalId: 'a' }, 'newest', 7)).numbers, all)
    const filter = { externalId: 'a', environments: ['prd'], minValue: 80 }
    assert.deepEqual((await walk(db, filter, 'newest', 7)).numbers, all.slice(0, 11))
    assert.equal((await walk(db, { slug: 'slug-3' }, 'newest', 7)).numbers.length, 3)
  })

  test('shows superseded generations only where history is asked for', async () => {
    const db = await storeWithMonitors(1)
    await record(db, 2, {})
    await db.run('UPDATE evaluations SET is_current = 0 WHERE number = 1')
    const statuses = async (filter: EvaluationFilter) =>
      (await listEvaluations(db, tenant, filter, { order: 'newest', limit: 10 })).evaluations.map(
        ({ status }) => status,
      )
    assert.deepEqual(await statuses({}), ['scored'])
    assert.deepEqual(await statuses({ withHistory: true }), ['scored', 'superseded'])
    assert.deepEqual(await statuses({ status: 'superseded' }), ['superseded'])
    assert.equal((await getEvaluation(db, tenant, 1))?.receivedAtMs, undefined)
  })

  test('finds the time of recording by halving, also when numbers are missing and the clock went back', async () => {
    const db = await storeWithMonitors(1)
    await record(db, 1_000, {})
    await db.run('UPDATE evaluations SET created_at_ms = number * 60000')
    await db.run('DELETE FROM evaluations WHERE number % 3 = 0')
    await db.run('UPDATE evaluations SET created_at_ms = created_at_ms - 1800000 WHERE number > 500')
    const rows = await db.all<{ number: number }>(
      'SELECT number FROM evaluations WHERE created_at_ms >= 29400000 AND created_at_ms < 30000000 ORDER BY number',
    )
    assert.ok(rows.length > 10)
    const filter = { fromMs: 29_400_000, toMs: 30_000_000 }
    assert.deepEqual(
      (await walk(db, filter, 'oldest', 10)).numbers,
      rows.map(({ number }) => number),
    )
  })

  test('knows a field of the output from one that lies deeper, and takes outputs that are no JSON for the database', async () => {
    const db = await storeWithMonitors(1)
    const outputs = [
      { score: 1 },
      { nested: { score: 1 } },
      { text: '\u0000 \ud800', score: 2 },
      { a: '"score":' },
    ]
    for (const output of outputs) await record(db, 1, { output: `'${JSON.stringify(output)}'` })
    assert.deepEqual((await walk(db, { property: 'score' }, 'oldest', 1)).numbers, [1, 3])
  })

  test('leaves out what belongs to deleted traces', async () => {
    const db = await storeWithMonitors(1)
    await record(db, 3, {})
    await db.run('INSERT INTO deleted_traces SELECT 1, trace_id, 0, 1 FROM evaluations WHERE number = 2')
    assert.deepEqual((await walk(db, {}, 'newest', 10)).numbers, [3, 1])
    assert.deepEqual((await walk(db, { externalId: 'a' }, 'newest', 10)).numbers, [3, 1])
    assert.equal(await getEvaluation(db, tenant, 2), undefined)
  })
})
