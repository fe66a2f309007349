import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { databaseWithMonitors, RESULTS_SCOPE as tenant } from '../../../tests/support/postgres-results.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { addAnnotations } from '../shared/annotation-operations.ts'
import { openPostgresStorage } from './postgres-storage.ts'

const TRACE = 'aa'.repeat(16)

describe('annotations', () => {
  test('that come while all data of the project is deleted do not stay behind under its old number', async () => {
    const { url, db } = await databaseWithMonitors(1)
    const storage = await openPostgresStorage({
      ...{
        url,
        connectionsMax: 4,
        statementMsMax: 300_000,
        connectMsMax: 300_000,
        logger: recordingLogger([]),
      },
    })
    after(async () => {
      await storage.close()
      await db.close()
    })
    const annotation = { traceId: TRACE, name: 'helpful', value: true, source: 'human' } as const
    const deletion = Promise.withResolvers<void>()
    await db.transaction(async (tx) => {
      await addAnnotations(tx, tenant, [annotation], 1)
      const erased = storage.deleteProjectData(tenant, 2).then(async () => {
        while (await storage.erasure.eraseDeleted(Date.now()));
      })
      erased.then(deletion.resolve, deletion.reject)
      // Long enough for everything to be erased, if nothing makes it wait.
      await tx.run('SELECT pg_sleep(0.5)')
    })
    await deletion.promise
    await storage.addAnnotations(tenant, [{ ...annotation, name: 'later' }], 3)
    const { annotations } = await storage.listAnnotations(tenant, {}, { limit: 10 })
    assert.deepEqual(
      annotations.map(({ name }) => name),
      ['later'],
    )
    const rows = await db.all('SELECT 1 FROM scores')
    assert.equal(rows.length, 1, 'the other one is erased')
  })

  test('are numbered in the order in which they were given', async () => {
    const { db } = await databaseWithMonitors(1)
    after(() => db.close())
    const given = Array.from({ length: 500 }, (_, at) => ({
      ...{ traceId: TRACE, name: `n${at}`, value: at, source: 'api' },
    })) as Parameters<typeof addAnnotations>[2]
    const stored = await db.transaction((tx) => addAnnotations(tx, tenant, given, 1))
    const rows = await db.all<{ number: number; name: string }>(
      'SELECT number, name FROM scores ORDER BY number',
    )
    assert.deepEqual(
      rows.map(({ number, name }) => ({ number, name })),
      stored.map(({ number, name }) => ({ number, name })),
    )
  })
})
