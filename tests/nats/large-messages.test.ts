import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { LargeMessages } from '../../src/adapters/nats/large-messages.ts'
import { namesOf } from '../../src/adapters/nats/nats-options.ts'
import { type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import { largeRequest, openStream, until } from '../support/queued-requests.ts'

const HOURS_MS = 3_600_000

describe('parts of large messages', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  let connection: NatsConnection
  before(async () => {
    servers = await startNats(1)
    connection = await connect({ servers: [...servers.urls] })
  })
  after(async () => {
    await connection.close()
    await servers.stop()
  })

  test('are swept when no message stands for them any more, and not before', async () => {
    const prefix = 'swept'
    const { stream, consume } = await openStream(servers.urls, { prefix })
    const jsm = await jetstreamManager(connection)
    const names = namesOf(prefix)
    const large = new LargeMessages(jetstream(connection), jsm, names)
    const partsLeft = async () => (await jsm.streams.info(names.parts)).state.messages
    const later = Date.now() + 2 * HOURS_MS

    // One waits, one is parked, one was left behind by a publisher that died.
    const parkedRequest = largeRequest(2_000_000)
    await stream.publish(parkedRequest)
    const stop = consume(async () => ({ unreadable: 'to be parked' }))
    await until('parked', async () => (await stream.state()).parked === 1)
    await stop()
    await stream.publish(largeRequest(2_000_000))
    await large.storeParts(largeRequest(2_000_000).bytes, 900_000, 5_000)
    const all = await partsLeft()

    assert.equal(await large.sweep(Date.now()), 0)
    assert.equal(await partsLeft(), all)
    assert.equal(await large.sweep(later), 1)
    assert.equal(await partsLeft(), all - 3)

    const [parked] = await stream.parked.list(1)
    await stream.parked.drop(parked?.id ?? 0)
    consume(async () => 'done')
    await until('no parts left', async () => (await partsLeft()) === 0)
    assert.equal(await large.sweep(later), 0)
  })
})
