import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import {
  AT_MS,
  charCount,
  createTenant,
  nextId,
  wordCount,
} from '../../../tests/contract/contract-fixtures.ts'
import {
  admitNames,
  backfill,
  carryOn,
  claimAll,
  decide,
  job,
  nextTurn,
  progress,
  recordOf,
  rerun,
  scoreAll,
  start,
} from '../../../tests/contract/job-fixtures.ts'
import { bindSetup } from '../../../tests/contract/result-fixtures.ts'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PostgresDatabase } from './postgres-database.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { beginRecording } from './recording-order.ts'
import { releaseOrphans } from './release-orphans.ts'

/** Two processes at one database with a tenant, and a connection beside them. */
async function twoProcesses() {
  const url = await recycledDatabase()
  const options = {
    url,
    connectionsMax: 4,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  }
  const open = async () => {
    const storage = await openPostgresStorage(options)
    after(() => storage.close())
    return storage
  }
  const db = new PostgresDatabase(options)
  after(() => db.close())
  const one = await open()
  return { one, other: await open(), tenant: await createTenant(one, 'one'), db }
}

async function withBackfill(names: readonly string[]) {
  const { one, other, tenant, db } = await twoProcesses()
  for (const name of names) await admitNames(one, tenant, [name])
  await bindSetup(one, tenant, 's', { evaluators: [charCount, wordCount] })
  return { one, other, tenant, db, job: await start(one, tenant, backfill('s')) }
}

test('the next batches of a backfill are matched by one process at a time', async () => {
  const { one, other } = await withBackfill(['a', 'b'])
  const turn = await nextTurn(one)
  assert.deepEqual(await other.jobs.takeTurn(), { hasWork: false, hasMore: false })
  assert.deepEqual(await nextTurn(one), turn, 'who has the turn may begin again')
  const [newest] = await one.jobs.readBackfillBatches(turn, 1)
  assert.equal(await one.jobs.recordBackfill(turn, [decide(newest?.batchId as number, ['b'])]), true)
  assert.notDeepEqual((await nextTurn(other)).before, turn.before)
})

test('the turn of a process that is gone is free again', async () => {
  const { one, other, db } = await withBackfill(['a'])
  const turn = await nextTurn(one)
  await one.close()
  await releaseOrphans(db)
  assert.deepEqual(await nextTurn(other), turn)
})

test('a step of a backfill is recorded once, whoever comes first', async () => {
  const { one, other, tenant, job: created } = await withBackfill(['a'])
  const turn = await nextTurn(one)
  const [batch] = await one.jobs.readBackfillBatches(turn, 1)
  const decided = [decide(batch?.batchId as number, ['a'])]
  const stores = [one, other, one, other]
  const recorded = await Promise.all(stores.map((storage) => storage.jobs.recordBackfill(turn, decided)))
  assert.deepEqual(recorded.toSorted(), [false, false, false, true])
  assert.deepEqual(progress(await job(one, tenant, created.id)), ['running', 1, 1, 2, 0])
})

test('two processes that carry jobs on do everything once', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `span ${at}`)
  const { one, other, tenant, job: created } = await withBackfill(names)
  await Promise.all([carryOn(one), carryOn(other)])
  await carryOn(one)
  assert.deepEqual(progress(await job(one, tenant, created.id)), ['running', 12, 12, 24, 0])
  const scored = await Promise.all([scoreAll(one), scoreAll(other)])
  assert.equal(scored[0] + scored[1], 24)

  const again = await Promise.all([1, 2, 3].map(() => start(one, tenant, rerun({}))))
  await Promise.all([carryOn(one), carryOn(other)])
  await carryOn(one)
  const states = await Promise.all(again.map(({ id }) => job(other, tenant, id)))
  const queued = states.map((state) => state.queued)
  assert.equal(
    queued.reduce((sum, count) => sum + count, 0),
    24,
    'what waits for one job is left out by the others',
  )
})

test('a project has no more jobs under way than it may, whoever starts them', async () => {
  const { one, other, tenant } = await twoProcesses()
  const made = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      (at % 2 === 0 ? one : other).createJob(tenant, {
        ...{ id: nextId(), request: rerun({}), atMs: AT_MS, activeMax: 3 },
      }),
    ),
  )
  assert.equal(made.filter((outcome) => outcome !== 'full').length, 3)
})

test('a rerun goes over what was being recorded when it was started', async () => {
  const { one, other, tenant, db } = await twoProcesses()
  await bindSetup(one, tenant, 's', { evaluators: [charCount] })
  await admitNames(one, tenant, ['a'], true)
  await scoreAll(one)
  const { promise: isAllowed, resolve: allow } = Promise.withResolvers<void>()
  const { promise: isDrawn, resolve: tellDrawn } = Promise.withResolvers<void>()
  const late = db.transaction(async (tx) => {
    await beginRecording(tx, [1])
    await tx.run(
      `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, batch_id, ordinal, unit_at_ms,
                                duration_us, created_at_ms)
       SELECT project_number, monitor_version, trace_id, '\\x0102030405060708', status, batch_id, ordinal, unit_at_ms, 1,
              created_at_ms FROM evaluations`,
    )
    tellDrawn()
    await isAllowed
  })
  await isDrawn
  await admitNames(one, tenant, ['b'], true)
  await scoreAll(one)
  const going = start(other, tenant, rerun({})).then(async (created) => {
    await carryOn(other)
    return created
  })
  await Promise.race([going, isSomebodyWaiting(db)])
  allow()
  await late
  assert.equal((await job(one, tenant, (await going).id)).lookedAt, 3)
})

async function withHalfOfARerun() {
  const { one, other, tenant, db } = await twoProcesses()
  await bindSetup(one, tenant, 's', { evaluators: [charCount] })
  const names = Array.from({ length: 700 }, (_, at) => `span ${at}`)
  await admitNames(one, tenant, names, true)
  await scoreAll(one)
  const { id } = await start(one, tenant, rerun({}))
  await one.jobs.takeTurn()
  assert.equal((await job(one, tenant, id)).lookedAt, 500)
  return { one, other, tenant, db, id }
}

test('a rerun waits for the process that holds what it has queued, and makes everything again once', async () => {
  const { one, other, tenant, id } = await withHalfOfARerun()
  const held = await claimAll(other)
  assert.deepEqual(await one.jobs.takeTurn(), { hasWork: false, hasMore: false })
  assert.equal((await other.work.recordWork(held.map((work) => recordOf(work)))).evaluations, 500)
  await carryOn(one)
  assert.equal(await scoreAll(other), 200)
  await one.jobs.takeTurn()
  assert.deepEqual(progress(await job(one, tenant, id)), ['done', 700, 700, 700, 700])
  const { evaluations } = await one.listEvaluations(tenant, {}, { order: 'newest', limit: 1_000 })
  assert.deepEqual([evaluations.length, evaluations.every(({ generation }) => generation === 2)], [700, true])
})

test('nobody takes the work of a rerun while a step adds to it', async () => {
  const { one, db } = await withHalfOfARerun()
  const free = await whileItReads(
    db,
    () => one.jobs.takeTurn(),
    () => db.all('SELECT 1 FROM work WHERE state = 0 FOR UPDATE SKIP LOCKED'),
  )
  assert.deepEqual(free, [])
})

test('nobody begins to bind a setup while a backfill brings it spans', async () => {
  const { one, db } = await withBackfill(['a'])
  const turn = await nextTurn(one)
  const free = await whileItReads(
    db,
    () => one.jobs.recordBackfill(turn, [decide(1, ['a'])]),
    () => db.all('SELECT 1 FROM setups FOR UPDATE SKIP LOCKED'),
  )
  assert.deepEqual(free, [])
})

/** Looks at the store while an operation waits in its middle, where it looks for batches. */
async function whileItReads<T>(
  db: PostgresDatabase,
  operate: () => Promise<unknown>,
  look: () => Promise<T>,
) {
  let going: Promise<unknown> | undefined
  const seen = await db.transaction(async (tx) => {
    await tx.run('LOCK TABLE span_batches IN ACCESS EXCLUSIVE MODE')
    going = operate()
    await isSomebodyWaiting(db)
    return look()
  })
  await going
  return seen
}

async function isSomebodyWaiting(db: PostgresDatabase): Promise<void> {
  const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND database = (
    SELECT oid FROM pg_database WHERE datname = current_database())`
  while (!(await db.get(waiting))) await setTimeout(5)
}
