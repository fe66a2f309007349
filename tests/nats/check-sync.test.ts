import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { checkSync } from '../../src/adapters/nats/check-sync.ts'
import { freePorts } from '../support/free-ports.ts'
import { type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import { recordingLogger } from '../support/recording-logger.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** Servers before 2.10 do not know the setting at all. */
function knowsSyncAlways(): boolean {
  const file = path.join(temporaryDirectory(), 'server.conf')
  writeFileSync(file, 'jetstream { sync_interval: always }')
  return spawnSync('nats-server', ['-c', file, '-t']).status === 0
}

async function check(monitorUrls: readonly string[], said?: 'always' | 'interval'): Promise<string[]> {
  const lines: string[] = []
  await checkSync({ monitorUrls, logger: recordingLogger(lines), ...(said ? { said } : {}) })
  return lines
}

describe('the look for sync_interval: always', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  let monitorUrl = ''
  before(async () => {
    const [port] = await freePorts(1)
    monitorUrl = `http://127.0.0.1:${port}`
    servers = await startNats(1, { settings: `http: "127.0.0.1:${port}"` })
  })
  after(() => servers.stop())

  test('warns loudly where it cannot be seen, unless the operator has checked', async () => {
    const [warning = ''] = await check([])
    assert.match(warning, /^warn ACKNOWLEDGED SPANS MAY BE LOST .*sync_interval: always.*docs\/cluster\.md/)
    assert.deepEqual(await check([], 'always'), [])
    const silent = await check(['http://127.0.0.1:1'])
    assert.match(silent.at(-1) ?? '', /ACKNOWLEDGED SPANS MAY BE LOST/)
  })

  test('refuses a server that is seen without it, unless somebody accepts that', async () => {
    await assert.rejects(check([monitorUrl]), (error: Error) => {
      assert.match(error.message, /sync_interval: always/)
      assert.ok(error.message.includes(monitorUrl))
      return true
    })
    await assert.rejects(check([monitorUrl], 'always'), /sync_interval: always/)
    assert.match((await check([monitorUrl], 'interval'))[0] ?? '', /ACKNOWLEDGED SPANS MAY BE LOST/)
  })

  test('is content with a server that has it', async (t) => {
    if (!knowsSyncAlways()) return t.skip('this nats-server is older than 2.10 and does not know the setting')
    const [port] = await freePorts(1)
    const always = await startNats(1, {
      settings: `http: "127.0.0.1:${port}"`,
      jetstream: 'sync_interval: always',
    })
    t.after(() => always.stop())
    assert.deepEqual(await check([`http://127.0.0.1:${port}`]), [])
  })
})
