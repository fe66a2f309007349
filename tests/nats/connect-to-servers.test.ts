import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipWithoutNats, startNats } from '../support/nats-server.ts'
import { openStream, publishWithRetries, queuedRequest, textOf, until } from '../support/queued-requests.ts'

describe('connecting to NATS', { skip: skipWithoutNats }, () => {
  for (const [settings, credentials] of [
    ['authorization { user: assay, password: "p@ss:word" }', 'assay:p%40ss%3Aword'],
    ['authorization { token: "only-a-token" }', 'only-a-token'],
  ] as const) {
    test(`takes the credentials in the address: ${credentials}`, async (t) => {
      const servers = await startNats(1, { settings })
      t.after(() => servers.stop())
      const url = servers.urls[0] ?? ''
      const { stream } = await openStream([url.replace('nats://', `nats://${credentials}@`)])
      await stream.publish(queuedRequest('hello'))
      await assert.rejects(
        openStream([url]),
        /cannot connect to the servers of ASSAY_NATS_URL: .*Authorization/i,
      )
      await assert.rejects(
        openStream([url.replace('nats://', 'nats://assay:s3cret@')]),
        ({ message }: Error) => !message.includes('s3cret'),
      )
    })
  }

  test('insists on TLS where the address does', async (t) => {
    const servers = await startNats(1)
    t.after(() => servers.stop())
    await assert.rejects(openStream([(servers.urls[0] ?? '').replace('nats://', 'tls://')]), /tls/i)
  })

  test('finds its way back when all servers were away', async (t) => {
    const servers = await startNats(1)
    t.after(() => servers.stop())
    const { stream } = await openStream(servers.urls)
    await servers.nodes[0]?.kill()
    const startedAt = performance.now()
    await assert.rejects(stream.publish(queuedRequest('meanwhile')), { kind: 'unavailable' })
    assert.ok(performance.now() - startedAt < 8_000)
    await servers.nodes[0]?.restart()
    const deadline = Date.now() + 20_000
    for (;;) {
      try {
        await stream.publish(queuedRequest('after'))
        break
      } catch (error) {
        if (Date.now() > deadline) throw error
      }
    }
  })

  test('publishes whole what was given to it while there was no connection', async (t) => {
    const servers = await startNats(1)
    t.after(() => servers.stop())
    const { stream, consume, lines } = await openStream(servers.urls)
    await servers.nodes[0]?.kill()
    await until('noticed', () => lines.some((line) => line.includes('the connection to NATS has ended')))
    const published = publishWithRetries(stream, queuedRequest('meanwhile'))
    await servers.nodes[0]?.restart()
    await published
    const taken: string[] = []
    const stop = consume(async (message) => {
      taken.push(textOf(message))
      return 'done'
    })
    await until('off the stream', async () => (await stream.state()).lagMessages === 0)
    await stop()
    assert.deepEqual([taken, await stream.parked.list(1)], [['meanwhile'], []])
  })
})
