import assert from 'node:assert/strict'
import { once } from 'node:events'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { PublicError } from '../../src/lib/public-error.ts'
import type { QueuedRequest } from '../../src/ports/span-stream.ts'
import { spawnGuarded } from '../support/guarded-process.ts'
import { type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import { largeRequest, openStream, queuedRequest, textOf, until } from '../support/queued-requests.ts'

describe('a stream of spans on one NATS server', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  let count = 0
  const open = async (changes: Parameters<typeof openStream>[1] = {}) => {
    const prefix = `test-${++count}`
    return { prefix, ...(await openStream(servers.urls, { prefix, ...changes })) }
  }

  before(async () => {
    servers = await startNats(1)
  })
  after(() => servers.stop())

  test('hands out what was published, whole and once', async () => {
    const { stream, consume } = await open()
    const request = queuedRequest('hello')
    await stream.publish(request)
    assert.equal((await stream.state()).lagMessages, 1)
    const taken: QueuedRequest[] = []
    consume(async (message) => {
      taken.push({ ...message, bytes: Buffer.from(message.bytes) })
      return 'done'
    })
    await until('acknowledged', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual(taken, [request])
  })

  test('says at the start that there is one copy only', async () => {
    const { lines } = await open()
    assert.equal(lines.filter((line) => line.startsWith('warn spans wait in 1 copy only')).length, 1)
  })

  test('is there after a restart of the server, however often it was opened before', async () => {
    const { stream, prefix } = await open()
    await openStream(servers.urls, { prefix })
    await stream.publish(queuedRequest('kept'))
    await servers.nodes[0]?.restart()
    const connection = await connect({ servers: [...servers.urls] })
    const { state } = await (await jetstreamManager(connection)).streams.info(`${prefix}-spans`)
    await connection.close()
    assert.equal(state.messages, 1)
  })

  test('has the servers recognise nothing, because what they take for a duplicate they may not have', async () => {
    const { stream, prefix } = await open()
    await stream.publish(queuedRequest('twice'))
    await stream.publish(queuedRequest('twice'))
    assert.equal((await stream.state()).lagMessages, 2)
    const connection = await connect({ servers: [...servers.urls] })
    const stored = await (await jetstreamManager(connection)).streams.getMessage(`${prefix}-spans`, {
      seq: 1,
    })
    assert.equal(stored?.header.has('Nats-Msg-Id') ?? true, false)
    await connection.close()
  })

  test('carries a request of 12 MB and leaves nothing of it behind', async () => {
    const { stream, consume, prefix } = await open()
    const request = largeRequest(12_000_000)
    await stream.publish(request)
    assert.equal((await stream.state()).lagMessages, 1)
    let attempts = 0
    let taken: Uint8Array | undefined
    consume(async ({ bytes }) => {
      if (++attempts === 1) throw new Error('not yet')
      taken = Buffer.from(bytes)
      return 'done'
    })
    await until('acknowledged', async () => (await stream.state()).lagMessages === 0)
    assert.ok(taken && Buffer.compare(taken, request.bytes) === 0)
    await until('no parts left', async () => (await messagesIn(`${prefix}-parts`)) === 0)
  })

  test('gives each of two consumers messages of its own', async () => {
    const one = await open()
    const two = await openStream(servers.urls, { prefix: one.prefix })
    const taken: [number, string][] = []
    // Each keeps what it has until the other has something too.
    const both = Promise.withResolvers<void>()
    for (const [who, { consume }] of [
      [1, one],
      [2, two],
    ] as const) {
      consume(async (message) => {
        taken.push([who, textOf(message)])
        if (new Set(taken.map(([taker]) => taker)).size === 2) both.resolve()
        await both.promise
        return 'done'
      })
    }
    const texts = Array.from({ length: 60 }, (_, number) => `message ${number}`)
    await Promise.all(texts.map((text) => one.stream.publish(queuedRequest(text))))
    await until('all taken', async () => (await one.stream.state()).lagMessages === 0)
    assert.deepEqual(taken.map(([, text]) => text).sort(), texts.sort())
    assert.deepEqual([...new Set(taken.map(([who]) => who))].sort(), [1, 2])
  })

  test('has no more under way than it may', async () => {
    const { stream, consume } = await open()
    await Promise.all(
      Array.from({ length: 12 }, (_, at) => stream.publish(queuedRequest(`${at}`.repeat(600)))),
    )
    let underWay = 0
    let most = 0
    const two = Promise.withResolvers<void>()
    consume(
      async () => {
        most = Math.max(most, ++underWay)
        if (underWay === 2) two.resolve()
        await two.promise
        await new Promise((resolve) => setTimeout(resolve, 10))
        underWay--
        return 'done'
      },
      // Two of them have room.
      { messagesMax: 4, bytesMax: 2_000 },
    )
    await until('all taken', async () => (await stream.state()).lagMessages === 0)
    assert.equal(most, 2)
  })

  test('brings a message again whose attempt failed', async () => {
    const { stream, consume, told } = await open()
    await stream.publish(queuedRequest('again'))
    let attempts = 0
    consume(async () => {
      if (++attempts === 1) throw new Error('a fault')
      return 'done'
    })
    await until('acknowledged', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual({ attempts, told }, { attempts: 2, told: { redelivered: 1, parked: 0 } })
  })

  test('parks nothing while the store is away, however often it was tried', async () => {
    const { stream, consume, told } = await open({ attemptsMax: 1 })
    await stream.publish(queuedRequest('patient'))
    let attempts = 0
    consume(async () => (++attempts < 4 ? 'unavailable' : 'done'), { messagesMax: 1 })
    await until('acknowledged', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual([attempts, told.parked, (await stream.state()).parked], [4, 0, 0])
  })

  test('does not run through the stream while the store is away', async () => {
    const { stream, consume } = await open()
    await Promise.all(Array.from({ length: 50 }, (_, at) => stream.publish(queuedRequest(`${at}`))))
    let attempts = 0
    const stop = consume(
      async () => {
        attempts++
        return 'unavailable'
      },
      { messagesMax: 2 },
    )
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await stop()
    assert.ok(attempts <= 8, `${attempts} attempts`)
    assert.equal((await stream.state()).lagMessages, 50)
  })

  test('pauses shortly after a short outage, however much was under way', async () => {
    const { stream, consume } = await open()
    await Promise.all(Array.from({ length: 8 }, (_, at) => stream.publish(queuedRequest(`${at}`))))
    let attempts = 0
    let outageAt = Number.POSITIVE_INFINITY
    let firstPauseMs = 0
    consume(
      async () => {
        if (++attempts <= 8) {
          outageAt = performance.now()
          return 'unavailable'
        }
        firstPauseMs ||= performance.now() - outageAt
        return 'done'
      },
      { messagesMax: 8 },
    )
    await until('all taken', async () => (await stream.state()).lagMessages === 0)
    // Eight pauses in a row, each twice as long, would be 15 seconds.
    assert.ok(firstPauseMs < 12_000, `${firstPauseMs} ms`)
  })

  test('parks a message that fails as often as it may, and replays it', async () => {
    const { stream, consume, told } = await open({ attemptsMax: 2 })
    await stream.publish(queuedRequest('poison'))
    let attempts = 0
    let isCured = false
    const taken: string[] = []
    consume(async (message) => {
      if (textOf(message) !== 'poison') return 'done'
      attempts++
      if (!isCured) throw new Error('cannot\nbe stored')
      taken.push(textOf(message))
      return 'done'
    })
    await until('tried', () => attempts === 1)
    await stream.publish(queuedRequest('another'))
    await until('parked', async () => (await stream.state()).parked === 1)
    await until('off the stream', async () => (await stream.state()).lagMessages === 0)
    assert.equal(attempts, 2)
    const [parked] = await stream.parked.list(10)
    assert.equal(parked?.reason, 'failed 2 times: cannot be stored')
    const detail = await stream.parked.read(parked?.id ?? 0)
    assert.equal(detail?.request && textOf(detail.request), 'poison')
    isCured = true
    assert.equal(await stream.parked.replay(parked?.id ?? 0), true)
    await until('replayed', () => taken.length === 1)
    assert.deepEqual([taken, told.parked, await stream.parked.list(10)], [['poison'], 1, []])
    assert.equal(await stream.parked.replay(parked?.id ?? 0), false)
  })

  test('parks nothing while nothing at all can be stored, whatever the store says', async () => {
    const { stream, consume, told, lines } = await open({ attemptsMax: 2 })
    await Promise.all(['one', 'two'].map((text) => stream.publish(queuedRequest(text))))
    let attempts = 0
    let isCured = false
    consume(async () => {
      attempts++
      if (!isCured) throw new Error('no such table')
      return 'done'
    })
    await until('tried', () => attempts >= 6)
    isCured = true
    await until('acknowledged', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual([told.parked, lines.filter((line) => line.includes('was parked'))], [0, []])
  })

  test('parks a message that ends the process of whoever takes it, and nothing besides', async () => {
    const { stream, consume, prefix } = await open({ attemptsMax: 2, ackWaitMs: 1_000 })
    await stream.publish(queuedRequest('deadly'))
    await stream.publish(queuedRequest('neighbour'))
    for (let deaths = 0; deaths < 4; deaths++) {
      assert.equal((await stream.state()).parked, 0)
      await runWorker('mortal-consumer.ts', prefix)
    }
    consume(async (message) => {
      assert.equal(textOf(message), 'neighbour')
      return 'done'
    })
    await until('off the stream', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual(
      (await stream.parked.list(10)).map(({ reason }) => reason),
      ['ended 2 times whoever took it'],
    )
    await until('no marks left', async () => (await messagesIn(`${prefix}-parts`)) === 0)
  })

  test('does not take outages for ends, however often a message came', async () => {
    const { stream, consume, told } = await open({ attemptsMax: 1 })
    await stream.publish(queuedRequest('patient'))
    let attempts = 0
    consume(async () => (++attempts < 5 ? 'unavailable' : 'done'), { messagesMax: 2 })
    await until('acknowledged', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual([attempts, told.parked, (await stream.state()).parked], [5, 0, 0])
  })

  test('parks what nobody can read at once, and goes on with the rest', async () => {
    const { stream, consume, prefix } = await open()
    await publishRaw(`${prefix}.spans.whole`, 'this is no envelope')
    await publishRaw(`${prefix}.spans.whole`, '')
    await publishRaw(`${prefix}.spans.large.nowhere`, 'no reference')
    await publishRaw(`${prefix}.spans.large.lost`, '{"parts":2,"bytes":10}')
    await stream.publish(queuedRequest('behind'))
    const taken: string[] = []
    consume(
      async (message) => {
        taken.push(textOf(message))
        return textOf(message) === 'behind' ? 'done' : { unreadable: 'not a request' }
      },
      { messagesMax: 1 },
    )
    await until('all off the stream', async () => (await stream.state()).lagMessages === 0)
    assert.deepEqual(taken, ['behind'])
    const parked = await stream.parked.list(10)
    assert.deepEqual(
      parked.map(({ reason }) => reason),
      [
        'the message has the form 116, which this version does not know',
        'the message is cut off',
        `Unexpected token 'o', "no reference" is not valid JSON`,
        'parts of the message are missing',
      ],
    )
    assert.equal((await stream.parked.read(parked[0]?.id ?? 0))?.request, undefined)
    assert.deepEqual(
      (await stream.parked.list(1, parked[1]?.id)).map(({ id }) => id),
      [parked[2]?.id],
    )
    for (const { id } of parked) assert.equal(await stream.parked.drop(id), true)
    assert.equal((await stream.state()).parked, 0)
  })

  test('keeps the parts of a large message that was parked, for a replay', async () => {
    const { stream, consume, prefix } = await open({ attemptsMax: 1 })
    const request = largeRequest(2_000_000)
    await stream.publish(request)
    let taken: Uint8Array | undefined
    let isCured = false
    consume(async ({ bytes }) => {
      if (!isCured) return { unreadable: 'not yet' }
      taken = Buffer.from(bytes)
      return 'done'
    })
    await until('parked', async () => (await stream.state()).parked === 1)
    const [parked] = await stream.parked.list(1)
    assert.equal((await stream.parked.read(parked?.id ?? 0))?.request?.bytes.length, 2_000_000)
    isCured = true
    await stream.parked.replay(parked?.id ?? 0)
    await until('taken', () => taken !== undefined)
    assert.equal(Buffer.compare(taken ?? Buffer.alloc(0), request.bytes), 0)
    await until('no parts left', async () => (await messagesIn(`${prefix}-parts`)) === 0)
  })

  test('refuses what comes when it is full, and loses nothing of what it has', async () => {
    const { stream } = await open({ bytesMax: 200_000 })
    let kept = 0
    const refusal = await (async () => {
      for (;;) {
        await stream.publish(largeRequest(50_000))
        kept++
      }
    })().catch((error) => error)
    assert.ok(refusal instanceof PublicError)
    assert.deepEqual([refusal.kind, refusal.retryAfterMs], ['unavailable', 10_000])
    assert.match(refusal.message, /full/)
    assert.ok(kept >= 3)
    assert.equal((await stream.state()).lagMessages, kept)
    const large = await stream.publish(largeRequest(2_000_000)).catch((error) => error)
    assert.match(large.message, /full/)
  })

  test('leaves a message with a worker that takes long over it', async () => {
    const ackWaitMs = 4_000
    const one = await open({ ackWaitMs })
    const two = await openStream(servers.urls, { prefix: one.prefix, ackWaitMs })
    await one.stream.publish(queuedRequest('slow'))
    let begun = 0
    for (const { consume } of [one, two]) {
      consume(async () => {
        begun++
        await new Promise((resolve) => setTimeout(resolve, 2.5 * ackWaitMs))
        return 'done'
      })
    }
    await until('acknowledged', async () => (await one.stream.state()).lagMessages === 0)
    assert.equal(begun, 1)
  })

  test('a stopped consumer has finished what it had in hand', async () => {
    const { stream, consume } = await open()
    await stream.publish(queuedRequest('last'))
    let isDone = false
    let hasBegun = false
    const stop = consume(async () => {
      hasBegun = true
      await new Promise((resolve) => setTimeout(resolve, 200))
      isDone = true
      return 'done'
    })
    await until('begun', () => hasBegun)
    await stop()
    assert.equal(isDone, true)
    assert.equal((await stream.state()).lagMessages, 0)
  })

  /** Runs a worker until its process ends. */
  async function runWorker(file: string, prefix: string): Promise<void> {
    const program = path.join(import.meta.dirname, '../support', file)
    const worker = spawnGuarded(process.execPath, [program, prefix, ...servers.urls], {
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    await once(worker, 'exit')
  }

  async function publishRaw(subject: string, text: string): Promise<void> {
    const connection = await connect({ servers: [...servers.urls] })
    await jetstream(connection).publish(subject, text)
    await connection.close()
  }

  async function messagesIn(stream: string): Promise<number> {
    const connection = await connect({ servers: [...servers.urls] })
    const { state } = await (await jetstreamManager(connection)).streams.info(stream)
    await connection.close()
    return state.messages
  }
})
