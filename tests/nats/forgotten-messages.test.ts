import assert from 'node:assert/strict'
import { cpSync, rmSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { type NatsNode, type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import { openStream, queuedRequest, textOf, until } from '../support/queued-requests.ts'

/** Messages are looked for every second. */
const ACK_WAIT_MS = 500

describe('messages that the servers count as done and still have', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  before(async () => {
    servers = await startNats(1)
  })
  after(() => servers.stop())

  /** A stream with three messages, whose consumer knows that the first so many of its messages were done. */
  async function openForgetful(prefix: string, doneCount: number) {
    const [node] = servers.nodes as [NatsNode]
    const messages = path.join(node.home, 'jetstream/$G/streams', `${prefix}-spans`, 'msgs')
    const open = () => openStream(servers.urls, { prefix, ackWaitMs: ACK_WAIT_MS })
    const first = await open()
    for (const text of ['one', 'two', 'three']) await first.stream.publish(queuedRequest(text))
    await node.end()
    cpSync(messages, `${messages}-then`, { recursive: true })
    await node.restart()
    const second = await open()
    for (let more = 3; more < doneCount; more++) await second.stream.publish(queuedRequest('more'))
    const stop = second.consume(async () => 'done')
    await until('all done', async () => (await second.stream.state()).lagMessages === 0)
    await stop()
    // As a server does that comes back after a crash with an older copy of the stream than of its consumer.
    await node.end()
    rmSync(messages, { recursive: true })
    cpSync(`${messages}-then`, messages, { recursive: true })
    await node.restart()
    await withManager(async (jsm) => {
      const { ack_floor: done, num_pending: waiting } = await jsm.consumers.info(`${prefix}-spans`, 'workers')
      assert.deepEqual([done.stream_seq, waiting], [doneCount, 0])
    })
    return open()
  }

  async function withManager<Result>(
    use: (jsm: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<Result>,
  ): Promise<Result> {
    const connection = await connect({ servers: [...servers.urls] })
    try {
      return await use(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }

  test('are handed out again', async () => {
    const { stream, consume, lines } = await openForgetful('still-there', 3)
    const taken = new Set<string>()
    consume(async (message) => {
      taken.add(textOf(message))
      return 'done'
    })
    await until('all taken', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual([...taken].sort(), ['one', 'three', 'two'])
    assert.equal(lines.filter((line) => line.includes('count messages as done')).length, 1)
  })

  test('do not keep those back that are published after them', async () => {
    const { stream, consume } = await openForgetful('far-ahead', 20)
    const taken = new Set<string>()
    consume(async (message) => {
      taken.add(textOf(message))
      return 'done'
    })
    await stream.publish(queuedRequest('after'))
    await until('all taken', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual([...taken].sort(), ['after', 'one', 'three', 'two'])
  })

  test('are not looked for among those in hand, nor in an empty stream', async () => {
    const { stream, consume, lines } = await openStream(servers.urls, {
      prefix: 'well',
      ackWaitMs: ACK_WAIT_MS,
    })
    await stream.publish(queuedRequest('first'))
    await stream.publish(queuedRequest('second'))
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    consume(async (message) => {
      if (textOf(message) === 'first') await released
      return 'done'
    })
    await sleep(ACK_WAIT_MS * 7)
    assert.equal((await stream.state()).lagMessages, 1)
    release()
    await until('all done', async () => (await stream.state()).lagMessages === 0)
    await sleep(ACK_WAIT_MS * 7)
    assert.deepEqual(
      lines.filter((line) => line.includes('count messages as done')),
      [],
    )
  })

  test('a consumer that somebody has removed is made again', async () => {
    const { stream, consume } = await openStream(servers.urls, {
      prefix: 'removed',
      ackWaitMs: ACK_WAIT_MS,
    })
    const taken: string[] = []
    consume(async (message) => {
      taken.push(textOf(message))
      return 'done'
    })
    await stream.publish(queuedRequest('before'))
    await until('taken', () => taken.includes('before'))
    await withManager((jsm) => jsm.consumers.delete('removed-spans', 'workers'))
    await stream.publish(queuedRequest('after'))
    await until('taken', () => taken.includes('after'))
  })

  test('a consumer that was made for another time in hand gets that of now', async () => {
    for (const ackWaitMs of [30_000, 8_000]) {
      await openStream(servers.urls, { prefix: 'upgraded', ackWaitMs })
      await withManager(async (jsm) => {
        const { config } = await jsm.consumers.info('upgraded-spans', 'workers')
        assert.equal(config.ack_wait, ackWaitMs * 1_000_000)
      })
    }
  })
})
