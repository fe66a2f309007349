import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AT_MS, charCount, createTenant, wordCount } from '../../../tests/contract/contract-fixtures.ts'
import { admit, bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { openPair, race } from '../../../tests/support/postgres-pair.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { untilSomebodyWaits } from '../../../tests/support/postgres-waiting.ts'
import { listUnits } from '../../domain/unit-set.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import type { ClaimedWork, Recorded, WorkRecord } from '../../ports/work-storage.ts'
import { excludeRecording } from './lock-project.ts'
import { forgetEvaluations } from './record-operations.ts'

const LEASE_MS = 60_000
const MINUTE_MS = 60_000
const SPANS_EACH = 6

/** Two processes, a setup with two monitors, and so many batches that wait for them. */
async function storesWithWork(batches: number) {
  const url = await recycledDatabase()
  const stores = await openPair(url)
  const [one] = stores
  const tenant = await createTenant(one, 'one')
  await bindSetup(one, tenant, 's', { evaluators: [charCount, wordCount] })
  const spans = Array.from({ length: SPANS_EACH }, (_, ordinal) => ({
    atMs: AT_MS + (ordinal % 2) * MINUTE_MS,
  }))
  for (let batch = 0; batch < batches; batch++) await admit(one, tenant, spans)
  return { stores, tenant, db: openRows(url) }
}

/** Scores every unit of the work with the same value. */
function scored(work: ClaimedWork, value: number): WorkRecord {
  const outcomes = listUnits(work.units).map((ordinal) => ({
    ordinal,
    traceId: work.batchId.toString(16).padStart(32, '0'),
    spanId: ordinal.toString(16).padStart(16, '0'),
    unitAtMs: AT_MS + (ordinal % 2) * MINUTE_MS,
    status: 'scored' as const,
    output: { v: value, label: `is ${value % 3}` },
    durationUs: 1,
  }))
  return { work, outcomes, sampledOut: 1 }
}

interface Counted {
  readonly property: string
  readonly count: number
  readonly sum: number
  readonly sketch: Uint8Array | null
  readonly labels: string | null
}

test('a larger number never has an earlier time, however many record at once', async () => {
  const { stores, db } = await storesWithWork(24)
  const works = await stores[0].work.claimWork('local', 100, LEASE_MS)
  await race(stores, works.length, (storage, index) =>
    storage.work.recordWork([scored(works[index] as ClaimedWork, index)]),
  )
  const rows = await db.all<{ created_at_ms: number }>(
    'SELECT created_at_ms FROM evaluations ORDER BY number',
  )
  const times = rows.map((row) => row.created_at_ms)
  assert.ok(new Set(times).size > 1)
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
})

test('two who record at once lose nothing of counts, sums, histograms and labels', async () => {
  const batches = 24
  const { stores, db } = await storesWithWork(batches)
  const works = await stores[0].work.claimWork('local', 100, LEASE_MS)
  assert.equal(works.length, 2 * batches)
  const recorded = await race(stores, works.length, (storage, index) => {
    const work = works[index] as ClaimedWork
    return storage.work.recordWork([scored(work, index)])
  })
  assert.deepEqual(new Set(recorded.map(({ evaluations }) => evaluations)), new Set([SPANS_EACH]))
  const perKey = (batches * SPANS_EACH) / 2
  const rows = await db.all<Counted>('SELECT property, count, sum, sketch, labels FROM value_rollups')
  const numbers = rows.filter(({ property }) => property === 'v')
  assert.deepEqual(
    numbers.map(({ count }) => count),
    [perKey, perKey, perKey, perKey],
  )
  const total = works.reduce((sum, _, index) => sum + index * SPANS_EACH, 0)
  assert.equal(
    numbers.reduce((sum, row) => sum + row.sum, 0),
    total,
  )
  for (const { sketch } of numbers) assert.equal(ValueSketch.decode(sketch as Uint8Array).count, perKey)
  for (const { labels } of rows.filter(({ property }) => property === 'label')) {
    const counts = Object.values(JSON.parse(labels ?? '{}') as Record<string, number>)
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      perKey,
    )
  }
  for (const table of ['status_totals', 'status_rollups']) {
    const units = await db.all<{ status: string; units: number }>(
      `SELECT status, sum(units) AS units FROM ${table} GROUP BY status ORDER BY status`,
    )
    assert.deepEqual(
      units.map((row) => [row.status, row.units]),
      [
        ['sampled_out', works.length],
        ['scored', works.length * SPANS_EACH],
      ],
      table,
    )
  }
})

test('many records in one call and the same ones from another process are recorded once', async () => {
  const { stores, db } = await storesWithWork(10)
  const works = await stores[0].work.claimWork('local', 100, LEASE_MS)
  const recorded = await race(stores, 6, (storage, index) =>
    storage.work.recordWork(
      (index % 2 ? works : works.toReversed()).map((work) => scored(work, work.batchId)),
    ),
  )
  assert.deepEqual(
    recorded.map(({ evaluations }) => evaluations).toSorted((left, right) => left - right),
    [0, 0, 0, 0, 0, works.length * SPANS_EACH],
  )
  const row = await db.get<{ units: number }>('SELECT sum(units) AS units FROM status_totals')
  assert.equal(row?.units, works.length * (SPANS_EACH + 1))
})

test('two records of one work in a call come one after the other', async () => {
  const { stores, db } = await storesWithWork(1)
  const [work] = (await stores[0].work.claimWork('local', 1, LEASE_MS)) as [ClaimedWork]
  const { outcomes } = scored(work, 1)
  const left = { units: work.units, holdMs: LEASE_MS }
  assert.deepEqual(
    await stores[0].work.recordWork([
      { work, outcomes: outcomes.slice(0, 2), sampledOut: 0, left },
      { work, outcomes: outcomes.slice(2), sampledOut: 0 },
      { work, outcomes: [], sampledOut: 0 },
    ]),
    { evaluations: SPANS_EACH, refused: [2] },
  )
  const { lease, ...row } = (await db.get<{ state: number; lease: number | null }>(
    'SELECT state, lease FROM work WHERE monitor_version = $1',
    work.monitorVersion,
  )) as { state: number; lease: number | null }
  assert.deepEqual([row.state, lease], [2, null])
})

test('a recorder whose work is taken over at that moment publishes nothing', async () => {
  const { stores, db } = await storesWithWork(1)
  const works = await stores[0].work.claimWork('local', 1, LEASE_MS)
  let late: Promise<Recorded> | undefined
  await db.transaction(async (tx) => {
    await tx.run("UPDATE work SET lease = nextval('lease_numbers')")
    late = stores[1].work.recordWork(works.map((work) => scored(work, 1)))
    await untilSomebodyWaits(db)
  })
  assert.deepEqual(await late, { evaluations: 0, refused: [...works.keys()] })
  assert.deepEqual(await db.all('SELECT 1 FROM evaluations'), [])
  assert.deepEqual(await db.all('SELECT 1 FROM value_rollups'), [])
  assert.deepEqual(await db.all('SELECT 1 FROM status_totals'), [])
  assert.equal(
    (await db.all('SELECT 1 FROM work WHERE state = 1')).length,
    2,
    'who took it over still has it',
  )
})

test('what is deleted while somebody wants to record it is not recorded', async () => {
  const { stores, db } = await storesWithWork(2)
  const works = await stores[0].work.claimWork('local', 2, LEASE_MS)
  const deleted = works[0]?.batchId as number
  let recording: Promise<Recorded> | undefined
  await db.transaction(async (tx) => {
    const project = await tx.get<{ number: number }>('SELECT number FROM projects')
    await excludeRecording(tx, project?.number as number)
    recording = stores[1].work.recordWork(works.map((work) => scored(work, 1)))
    await untilSomebodyWaits(db)
    await tx.run(
      `INSERT INTO deleted_traces (project_number, trace_id, deleted_at_ms) VALUES ($1, $2, 0)`,
      project?.number as number,
      Buffer.from(deleted.toString(16).padStart(32, '0'), 'hex'),
    )
  })
  assert.deepEqual(await recording, { evaluations: 2 * SPANS_EACH, refused: [] })
  assert.deepEqual(await db.all('SELECT 1 FROM evaluations WHERE batch_id = $1', deleted), [])
})

test('an evaluation that two forget at once is taken out of the counts once', async () => {
  const { stores, db } = await storesWithWork(2)
  const works = await stores[0].work.claimWork('local', 2, LEASE_MS)
  await stores[0].work.recordWork(works.map((work) => scored(work, 7)))
  const rows = await db.all<{ number: number; unit_at_ms: number }>(
    'SELECT number, unit_at_ms FROM evaluations WHERE batch_id = $1',
    works[0]?.batchId as number,
  )
  await Promise.all([1, 2, 3].map(() => db.transaction((tx) => forgetEvaluations(tx, rows))))
  const counts = await db.all<{ count: number; sum: number }>(
    "SELECT count, sum FROM value_rollups WHERE property = 'v'",
  )
  const [half, sum] = [SPANS_EACH / 2, (7 * SPANS_EACH) / 2]
  assert.deepEqual(counts, new Array(4).fill({ count: half, sum }))
})
