import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithoutNats, startNats } from '../support/nats-server.ts'
import { openStream, queuedRequest, textOf, until } from '../support/queued-requests.ts'

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
    await assert.rejects(stream.publish(queuedRequest('meanwhile')), { kind: 'unavailable' })
    await servers.nodes[0]?.restart()
    const deadline = Date.now() + 300_000
    for (;;) {
      try {
        await stream.publish(queuedRequest('after'))
        break
      } catch (error) {
        if (Date.now() > deadline) throw error
      }
    }
  })

  test('publishes whole what was given to it while it was connecting', async (t) => {
    const servers = await startNats(1)
    t.after(() => servers.stop())
    const door = await openSlowDoor(servers.urls[0] ?? '')
    t.after(() => door.close())
    const { stream, consume } = await openStream([door.url])
    await door.cut()
    // Until the server has spoken, the client does not know how large a message may be.
    const published = stream.publish(queuedRequest('meanwhile'))
    await sleep(200)
    door.letIn()
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

/** A way to a server, where those who come again after a cut have to wait until they are let in. */
async function openSlowDoor(serverUrl: string) {
  const sockets: Socket[] = []
  let arrive: (() => void) | undefined
  let letIn = () => {}
  const server = createServer((client) => {
    const enter = () => {
      const upstream = connect(Number(new URL(serverUrl).port), '127.0.0.1')
      for (const socket of [client, upstream]) socket.on('error', () => {})
      client.on('close', () => upstream.destroy())
      client.pipe(upstream).pipe(client)
      sockets.push(client)
    }
    if (!arrive) return enter()
    letIn = enter
    arrive()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutOff = () => {
    for (const socket of sockets.splice(0)) socket.destroy()
  }
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Resolves when a client has connected again. */
    cut: () =>
      new Promise<void>((resolve) => {
        arrive = resolve
        cutOff()
      }),
    letIn: () => letIn(),
    close: () => {
      server.close()
      cutOff()
    },
  }
}
