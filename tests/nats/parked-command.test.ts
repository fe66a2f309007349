import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { runParkedCommand } from '../../src/cli/parked.ts'
import { type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import { openStream, queuedRequest, textOf, until } from '../support/queued-requests.ts'

describe('assay parked', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  before(async () => {
    servers = await startNats(1)
  })
  after(() => servers.stop())

  test('shows what is parked, replays it and throws it away', async (t) => {
    const { stream, consume } = await openStream(servers.urls)
    let isCured = false
    const taken: string[] = []
    consume(async (message) => {
      if (!isCured) return { unreadable: 'not now' }
      taken.push(textOf(message))
      return 'done'
    })
    for (const text of ['one', 'two', 'three', 'four']) await stream.publish(queuedRequest(text))
    await until('parked', async () => (await stream.state()).parked === 4)
    isCured = true

    const run = async (...args: string[]) => {
      const printed: string[] = []
      const write = t.mock.method(process.stdout, 'write', (text: string) => printed.push(text) > 0)
      await runParkedCommand(args, environment()).finally(() => write.mock.restore())
      return printed.join('')
    }
    const listed = (await run('list')).trim().split('\n')
    assert.equal(listed.length, 4)
    for (const line of listed) assert.match(line, /^\d+ {2}\S+Z {2}\d+ bytes {2}not now$/)
    const ids = listed.map((line) => line.split(' ')[0] ?? '')

    const shown = await run('show', ids[0] ?? '')
    assert.match(shown, /project {7}project\n/)
    assert.match(shown, /received {6}2023-11-14T22:13:20.000Z\n/)
    assert.equal(await run('drop', ids[0] ?? ''), 'dropped\n')
    assert.equal(await run('replay', ids[1] ?? ''), 'replayed\n')
    assert.equal(await run('replay', '--all'), 'replayed 2\n')
    await until('taken', () => taken.length === 3)
    assert.equal(await run('list'), '')
    await assert.rejects(run('show', ids[0] ?? ''), /no request \d+ is parked/)
  })

  test('says what is wrong with its arguments', async () => {
    for (const [args, message] of [
      [[], /parked needs list, show, replay, drop/],
      [['burn'], /unknown command parked burn/],
      [['show'], /parked show needs the id/],
      [['drop', '--all'], /parked drop takes no --all/],
      [['drop', 'x'], /parked drop needs the id/],
      [['list', '1'], /too much/],
    ] as const) {
      await assert.rejects(runParkedCommand(args, environment()), message)
    }
    await assert.rejects(runParkedCommand(['list'], {}), /parked needs ASSAY_NATS_URL/)
  })

  // The database is not asked: what is parked lies in the stream.
  function environment(): Record<string, string> {
    return {
      ASSAY_NATS_URL: servers.urls.join(','),
      ASSAY_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      ASSAY_LOG_LEVEL: 'silent',
    }
  }
})
