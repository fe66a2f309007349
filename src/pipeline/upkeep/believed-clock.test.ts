import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { AT_MS, storeWithTenant } from '../../../tests/contract/contract-fixtures.ts'
import { admit, packed } from '../../../tests/contract/span-fixtures.ts'
import { emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import type { EnvironmentTenant } from '../../domain/tenant.ts'
import type { Storage } from '../../ports/storage.ts'
import { checkClock } from '../../stores/postgres/clock-operations.ts'
import { PostgresDatabase } from '../../stores/postgres/postgres-database.ts'
import { openPostgresStorage } from '../../stores/postgres/postgres-storage.ts'
import { openSqliteStorage } from '../../stores/sqlite/sqlite-storage.ts'
import { BelievedClock } from './believed-clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type CheckClock = Storage['work']['checkClock']

/** Each kind of store, with a look at a clock that the test sets. */
const STORES: Readonly<
  Record<string, () => Promise<{ storage: Storage; tenant: EnvironmentTenant; checkClock: CheckClock }>>
> = {
  async sqlite() {
    const opened = await openSqliteStorage({ dataDir: temporaryDirectory(), readerThreads: 1 })
    after(() => opened.close())
    const { storage, tenant } = await storeWithTenant({ open: async () => opened } as never)
    return { storage, tenant, checkClock: storage.work.checkClock }
  },
  async postgres() {
    const options = {
      url: await emptyDatabase(),
      connectionsMax: 4,
      statementMsMax: 30_000,
      logger: recordingLogger([]),
    }
    const opened = await openPostgresStorage(options)
    const db = new PostgresDatabase(options)
    after(async () => {
      await db.close()
      await opened.close()
    })
    const { storage, tenant } = await storeWithTenant({ open: async () => opened } as never)
    // Its own clock cannot be set, so the same look is given another one.
    return {
      storage,
      tenant,
      checkClock: (nowMs, elapsedMs) => db.transaction((tx) => checkClock(tx, elapsedMs, nowMs)),
    }
  },
}

for (const [name, open] of Object.entries(STORES)) {
  describe(`retention on ${name}`, () => {
    test('drops nothing for a clock that jumped ten years, until it has stood by that for a day', async () => {
      const { storage, tenant, checkClock } = await open()
      await admit(storage, tenant, await packed(storage, tenant, ['a']))
      let nowMs = AT_MS
      let steadyMs = 0
      const doubts: boolean[] = []
      const lines: string[] = []
      const clock = new BelievedClock({
        storage: { checkClock },
        clock: { nowMs: () => nowMs },
        steadyMs: () => steadyMs,
        logger: recordingLogger(lines),
        onLook: (isDoubted) => doubts.push(isDoubted),
      })
      const batches = async () => {
        while (await storage.work.dropExpired(await clock.nowMs(), 720));
        return (await storage.readBatches(tenant, [1])).length
      }
      const pass = (ms: number) => {
        nowMs += ms
        steadyMs += ms
      }
      assert.equal(await batches(), 1)
      pass(HOUR_MS)
      nowMs += 3_650 * DAY_MS
      for (let hour = 0; hour < 24; hour++) {
        assert.equal(await batches(), 1, `after ${hour} hours`)
        pass(HOUR_MS)
      }
      assert.equal(await batches(), 0)
      assert.deepEqual([doubts[0], doubts[1], doubts.at(-1)], [false, true, false])
      assert.equal(lines.filter((line) => line.includes('more than a day ahead')).length, 1)
    })

    test('goes by the newest batch in a store that has never looked at a clock', async () => {
      const { storage, tenant, checkClock } = await open()
      await admit(storage, tenant, await packed(storage, tenant, ['a']))
      const jumped = await checkClock(AT_MS + 60 * DAY_MS, 0)
      assert.deepEqual([jumped.believedAtMs, jumped.doubtedSinceMs], [AT_MS, AT_MS + 60 * DAY_MS])
    })

    test('drops in its usual time what has grown old while the service ran', async () => {
      const { storage, tenant, checkClock } = await open()
      await admit(storage, tenant, await packed(storage, tenant, ['a']))
      await checkClock(AT_MS, 0)
      const { believedAtMs } = await checkClock(AT_MS + 31 * DAY_MS, 31 * DAY_MS)
      while (await storage.work.dropExpired(believedAtMs, 720));
      assert.deepEqual(await storage.readBatches(tenant, [1]), [])
    })
  })
}

test('between two looks time goes on steadily, whatever the clock shows', async () => {
  let nowMs = AT_MS
  let steadyMs = 0
  let looks = 0
  const clock = new BelievedClock({
    storage: {
      async checkClock(now) {
        looks++
        return { believedAtMs: now, seenAtMs: now }
      },
    },
    clock: { nowMs: () => nowMs },
    steadyMs: () => steadyMs,
    logger: recordingLogger([]),
    onLook() {},
  })
  await clock.nowMs()
  nowMs += 3_650 * DAY_MS
  steadyMs += 5_000
  assert.equal(await clock.nowMs(), AT_MS + 5_000)
  assert.equal(looks, 1)
})
