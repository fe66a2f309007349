import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { PublicError } from '../../src/lib/public-error.ts'
import { spawnGuarded } from '../support/guarded-process.ts'
import { type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import {
  answered,
  largeRequest,
  openStream,
  publishWithRetries,
  queuedRequest,
  textOf,
  until,
} from '../support/queued-requests.ts'

describe('a stream of spans on three NATS servers', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  before(async () => {
    servers = await startNats(3)
  })
  after(() => servers.stop())

  test('has every acknowledged message after any one server was killed', async () => {
    const { stream, consume, lines } = await openStream(servers.urls, { prefix: 'killed' })
    assert.deepEqual(
      lines.filter((line) => line.includes('copy only')),
      [],
    )
    const acknowledged: string[] = []
    const taken = new Set<string>()
    for (const [at, node] of servers.nodes.entries()) {
      for (let number = 0; number < 20; number++) {
        const text = `message ${at}.${number}`
        if (number === 10) await node.kill()
        await publishWithRetries(stream, queuedRequest(text))
        acknowledged.push(text)
      }
      await node.restart()
      await answered(() => stream.ping())
    }
    consume(async (message) => {
      taken.add(textOf(message))
      return 'done'
    })
    const missing = () => acknowledged.filter((text) => !taken.has(text))
    await until('all taken', () => missing().length === 0).catch(async (error) => {
      const { lagMessages, parked } = await stream.state()
      assert.fail(
        `${error.message}; missing: ${missing().join(', ')}; waiting: ${lagMessages}; parked: ${parked}; log: ${lines.join(' | ')}`,
      )
    })
    assert.equal((await answered(() => stream.state())).parked, 0)
  })

  test('gives copies to streams that were made when there was one server only', async () => {
    const connection = await connect({ servers: [...servers.urls] })
    const jsm = await jetstreamManager(connection)
    await jsm.streams.add({ name: 'grown-spans', subjects: ['grown.spans.>'], retention: 'workqueue' })
    await openStream(servers.urls.slice(0, 1), { prefix: 'grown' })
    for (const name of ['grown-spans', 'grown-parts', 'grown-parked']) {
      assert.equal((await jsm.streams.info(name)).config.num_replicas, 3, name)
    }
    await connection.close()
  })

  test('carries a large message over the loss of a server', async () => {
    // A consumer that gets the message while its parts cannot be read gets it again after this time.
    const { stream, consume } = await openStream(servers.urls, { prefix: 'large', ackWaitMs: 3_000 })
    const request = largeRequest(5_000_000)
    await publishWithRetries(stream, request)
    await servers.nodes[1]?.kill()
    let taken: Uint8Array | undefined
    consume(async ({ bytes }) => {
      taken = Buffer.from(bytes)
      return 'done'
    })
    await until('taken', () => taken !== undefined)
    assert.equal(Buffer.compare(taken ?? Buffer.alloc(0), request.bytes), 0)
    await servers.nodes[1]?.restart()
  })

  test('brings to another what a worker had in hand when it was killed', async () => {
    const { stream, consume, told } = await openStream(servers.urls, {
      prefix: 'dead-worker',
      ackWaitMs: 3_000,
    })
    await publishWithRetries(stream, queuedRequest('in hand'))
    const worker = spawnGuarded(
      process.execPath,
      [
        path.join(import.meta.dirname, '../support/endless-consumer.ts'),
        'dead-worker',
        '3000',
        ...servers.urls,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await new Promise((resolve) => worker.stdout?.once('data', resolve))
    worker.kill('SIGKILL')
    const taken: string[] = []
    consume(async (message) => {
      taken.push(textOf(message))
      return 'done'
    })
    // A request that was sent twice is there twice, and the other one of them comes for the first time.
    await until('brought again', () => told.redelivered > 0 && taken.length > 0)
    assert.deepEqual([[...new Set(taken)], told.redelivered], [['in hand'], 1])
  })

  test('refuses while there is no quorum, and goes on after that', async () => {
    const { stream } = await openStream(servers.urls, { prefix: 'quorum' })
    await publishWithRetries(stream, queuedRequest('before'))
    await Promise.all([servers.nodes[0]?.kill(), servers.nodes[1]?.kill()])
    const refusal = await stream.publish(queuedRequest('meanwhile')).catch((error) => error)
    assert.ok(refusal instanceof PublicError, String(refusal))
    assert.equal(refusal.kind, 'unavailable')
    await Promise.all([servers.nodes[0]?.restart(), servers.nodes[1]?.restart()])
    await publishWithRetries(stream, queuedRequest('after'))
  })
})
