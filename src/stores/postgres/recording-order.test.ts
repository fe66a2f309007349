import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  databaseWithMonitors,
  recordEvaluations,
  RESULTS_SCOPE as tenant,
} from '../../../tests/support/postgres-results.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import type { Storage } from '../../ports/storage.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { LAST_NUMBER, settledThrough } from './recording-order.ts'

/** A store, the database below it, and a way to record one evaluation in a transaction that stays open until it is ended. */
async function openStore(): Promise<{
  readonly storage: Storage
  readonly db: PostgresDatabase
  readonly recordSlowly: () => Promise<() => Promise<void>>
}> {
  const { url, db } = await databaseWithMonitors(2)
  const storage = await openPostgresStorage({
    ...{
      url,
      connectionsMax: 4,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
  })
  const closing = Promise.withResolvers<void>()
  after(async () => {
    closing.resolve()
    await storage.close()
    await db.close()
  })
  const recordSlowly = async () => {
    const recorded = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const ended = db.transaction(async (tx) => {
      await recordEvaluations(tx, 1)
      recorded.resolve()
      await Promise.race([released.promise, closing.promise])
    })
    await recorded.promise
    return () => {
      released.resolve()
      return ended
    }
  }
  return { storage, db, recordSlowly }
}

const record = (db: PostgresDatabase, count: number) => db.transaction((tx) => recordEvaluations(tx, count))

describe('the order of recording', () => {
  for (const filter of [{}, { monitorId: 'monitor-1' }]) {
    test(`waits for a smaller number that is still under way, filter ${JSON.stringify(filter)}`, async () => {
      const { storage, db, recordSlowly } = await openStore()
      await record(db, 2)
      const end = await recordSlowly()
      await record(db, 2)
      const oldest = { order: 'oldest', limit: 10 } as const
      const before = await storage.listEvaluations(tenant, filter, oldest)
      const numbers = before.evaluations.map(({ number }) => number)
      assert.deepEqual([numbers, before.nextAfter], [[1, 2], 2])
      const again = await storage.listEvaluations(tenant, filter, { ...oldest, afterNumber: 2 })
      assert.deepEqual(again, { evaluations: [], nextAfter: 2 })
      await end()
      const behind = await storage.listEvaluations(tenant, filter, { ...oldest, afterNumber: 2 })
      assert.deepEqual(
        [behind.evaluations.map(({ number }) => number), behind.nextAfter],
        [[3, 4, 5], undefined],
      )
    })
  }

  test('the newest first shows everything, and what is settled only where that is asked for', async () => {
    const { storage, db, recordSlowly } = await openStore()
    await record(db, 1)
    const end = await recordSlowly()
    await record(db, 1)
    const newest = async (isSettled: boolean) =>
      (await storage.listEvaluations(tenant, {}, { order: 'newest', limit: 10, isSettled })).evaluations
    assert.deepEqual(
      (await newest(false)).map(({ number }) => number),
      [3, 1],
    )
    const [mark] = await newest(true)
    assert.equal(mark?.number, 1)
    await end()
    const [late] = (await newest(false)).filter(({ number }) => number === 2)
    assert.ok(late && late.createdAtMs >= mark.createdAtMs, 'nothing becomes visible before the mark')
    assert.equal((await newest(true))[0]?.number, 3)
  })

  test('a recording that is given up does not hold anybody up', async () => {
    const { storage, db } = await openStore()
    await assert.rejects(
      db.transaction(async (tx) => {
        await recordEvaluations(tx, 5)
        throw new Error('given up')
      }),
      /given up/,
    )
    await record(db, 1)
    assert.equal(await settledThrough(db), 6)
    const page = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 10 })
    assert.deepEqual([page.evaluations.length, page.nextAfter], [1, undefined])
  })

  test('is known across the end of what fits into a lock', async () => {
    const { db, recordSlowly } = await openStore()
    await db.run("SELECT setval('evaluation_numbers', $1)", 2 ** 31 - 2)
    const end = await recordSlowly()
    await record(db, 5)
    assert.equal(await settledThrough(db), 2 ** 31 - 2)
    await end()
    assert.equal(await settledThrough(db), 2 ** 31 + 4)
  })

  test('never counts a number that was not drawn yet', async () => {
    const { db } = await openStore()
    const drawing = db.run("SELECT count(nextval('evaluation_numbers')) FROM generate_series(1, 1000000)")
    await db.exec(`DO $$
      DECLARE before BIGINT := 0; seen BIGINT;
      BEGIN
        FOR look IN 1..100000 LOOP
          seen := ${LAST_NUMBER};
          IF seen < before THEN RAISE 'it was % after %', seen, before; END IF;
          before := seen;
        END LOOP;
      END $$`)
    await drawing
  })

  test('whoever follows it while several record misses nothing and sees nothing twice', async () => {
    const { storage, db } = await openStore()
    let isRecording = true
    const recorder = async (first: number) => {
      for (let turn = first; turn < first + 40; turn++) {
        await db.transaction(async (tx) => {
          await recordEvaluations(tx, 1 + (turn % 3))
          // The others overtake it now and then.
          await tx.run('SELECT pg_sleep($1)', (turn % 4) / 100)
          await recordEvaluations(tx, 1)
        })
      }
    }
    const recording = Promise.all([recorder(0), recorder(1), recorder(2), recorder(3)]).then(() => {
      isRecording = false
    })
    const seen: number[] = []
    for (let afterNumber = 0, isLast = false; ; ) {
      const page = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 20, afterNumber })
      seen.push(...page.evaluations.map(({ number }) => number))
      afterNumber = Math.max(afterNumber, page.nextAfter ?? 0, seen.at(-1) ?? 0)
      if (isLast && page.nextAfter === undefined) break
      isLast = !isRecording
    }
    await recording
    const rows = await db.all<{ number: number }>('SELECT number FROM evaluations ORDER BY number')
    assert.deepEqual(
      seen,
      rows.map(({ number }) => number),
    )
  })
})
