import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createTenant } from '../../../tests/contract/contract-fixtures.ts'
import { spanIdOf, spanWith, store } from '../../../tests/contract/deletion-fixtures.ts'
import { openRows } from '../../../tests/support/postgres-rows.ts'
import { type PostgresServer, startPostgres } from '../../../tests/support/postgres-server.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Hint } from '../../ports/storage.ts'
import { openPostgresStorage } from './postgres-storage.ts'

const WAIT_MS_MAX = 300_000

let server: PostgresServer

before(async () => {
  server = await startPostgres({ isDurable: true })
})

after(() => server?.stop())

async function open() {
  const storage = await openPostgresStorage({
    ...{
      url: server.url,
      connectionsMax: 4,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
  })
  after(() => storage.close())
  return storage
}

async function until(isTrue: () => boolean): Promise<void> {
  const untilMs = Date.now() + WAIT_MS_MAX
  while (!isTrue()) {
    assert.ok(Date.now() < untilMs, 'waited for too long')
    await sleep(10)
  }
}

describe('a store whose database is restarted', () => {
  test('loses no span that was acknowledged, refuses what it cannot take, and goes on', async () => {
    const [one, two] = [await open(), await open()]
    const tenant = await createTenant(one, 'one')
    const heard: Hint[] = []
    two.onHint((hint) => heard.push(hint))
    const acknowledged: string[] = []
    const faults: unknown[] = []
    let isOver = false
    let next = 0
    const send = async () => {
      while (!isOver) {
        const name = `span ${next++}`
        try {
          const { newSpans } = await store(one, tenant, [spanWith(name, name, randomBytes(8))])
          assert.equal(newSpans, 1)
          acknowledged.push(name)
        } catch (error) {
          faults.push(error)
        }
      }
    }
    const senders = Array.from({ length: 4 }, send)
    await until(() => acknowledged.length > 20)
    await server.restart()
    const before = acknowledged.length
    await until(() => acknowledged.length > before + 20)
    isOver = true
    await Promise.all(senders)
    for (const fault of faults) {
      assert.ok(fault instanceof PublicError, String(fault))
      assert.equal(fault.kind, 'unavailable')
    }
    const rows = await openRows(server.url).all<{ id: string }>(
      "SELECT encode(span_id, 'hex') AS id FROM spans",
    )
    const stored = new Set(rows.map(({ id }) => id))
    assert.deepEqual(
      acknowledged.filter((name) => !stored.has(spanIdOf(name))),
      [],
    )
    // Only who has opened its session again hears of everything at once.
    await until(() => heard.includes('jobs'))
    heard.length = 0
    await store(one, tenant, [spanWith('last', 'last', randomBytes(8))])
    await until(() => heard.includes('spans'))
  })
})
