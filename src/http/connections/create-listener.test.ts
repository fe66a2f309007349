import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { rawConnection } from '../../../tests/support/raw-connection.ts'
import { eventually } from '../../../tests/support/spans.ts'
import { ConnectionTable } from './connection-table.ts'
import { createListener, LISTENER_TIMES, type ListenerTimes } from './create-listener.ts'

const GET = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

async function listen(
  serve: (request: IncomingMessage, response: ServerResponse) => void,
  times: Partial<ListenerTimes> = {},
  connectionsMax = 100,
) {
  const connections = new ConnectionTable({
    connectionsMax,
    connectionsPerAddressMax: 100,
    trustedProxies: [],
  })
  const server = createListener(serve, { connections, ...LISTENER_TIMES, ...times })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, connections, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const until = (happens: () => boolean, what: string) => eventually(async () => happens(), what)

test('pipelined requests are answered in order, only a few at a time', async () => {
  let served = 0
  let servedMax = 0
  let arrived = 0
  const { url } = await listen((_request, response) => {
    const at = arrived++
    // Before the listener hears of it, and serves the next one.
    response.prependOnceListener('close', () => served--)
    servedMax = Math.max(servedMax, ++served)
    // The later ones of a few are done first.
    setTimeout(() => response.end(`<${at}>`), 5 - (at % 5)).unref()
  })
  const { received } = await rawConnection(url, GET.repeat(90))
  await until(() => received().includes('<89>'), 'all are answered')
  assert.deepEqual(
    [...received().matchAll(/<(\d+)>/g)].map(([, at]) => Number(at)),
    Array.from({ length: 90 }, (_, at) => at),
  )
  assert.equal(servedMax, 8)
})

test('a connection that sends too many requests ahead is closed', async () => {
  let served = 0
  const { url } = await listen(() => served++)
  const { isClosed } = await rawConnection(url, GET.repeat(200))
  await until(isClosed, 'it is closed')
  assert.equal(served, 8)
})

test('requests that come later in time wait at the client, however many there are', async () => {
  const release: (() => void)[] = []
  let isHeld = true
  const { url } = await listen((request, response) => {
    const answer = () => request.resume().on('end', () => response.end('.'))
    if (isHeld) release.push(answer)
    else answer()
  })
  const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc'
  const { socket, received, isClosed } = await rawConnection(url, post.repeat(20))
  await until(() => release.length === 8, 'the first few are served')
  for (let at = 0; at < 50; at++) socket.write(post.repeat(20))
  isHeld = false
  for (const each of release) each()
  await until(() => received().split('HTTP/1.1 200').length - 1 === 20 + 50 * 20, 'all are answered')
  assert.equal(isClosed(), false)
})

test('every answer under way hears that its connection has gone', async () => {
  let served = 0
  let told = 0
  const { url } = await listen((_request, response) => {
    served++
    response.once('close', () => told++)
  })
  const { socket } = await rawConnection(url, GET.repeat(8))
  await until(() => served === 8, 'a few are served')
  socket.destroy()
  await until(() => told === 8, 'all of them are told')
  assert.equal(served, 8)
})

test('nothing more is served to a connection that has too much to read', async () => {
  const big = Buffer.alloc(8_388_608)
  let served = 0
  const { url } = await listen((_request, response) => {
    served++
    response.end(big)
  })
  const { socket } = await rawConnection(url, GET.repeat(50), { reads: false })
  const other = await rawConnection(url, GET)
  await until(() => other.received().length > big.length, 'another one is answered')
  assert.equal(served, 2)
  socket.destroy()
})

test('a client that reads nothing is dropped, one whose answer takes long is not', async () => {
  let timeouts = 0
  let isBigServed = false
  const { url, server, connections } = await listen(
    (request, response) => {
      if (request.url === '/big') {
        isBigServed = true
        response.end(Buffer.alloc(33_554_432))
      } else until(() => timeouts >= 2, 'time passes').then(() => response.end('late'))
    },
    // Long enough for a request to arrive on a busy machine.
    { unreadMsMax: 2_000 },
  )
  server.on('timeout', () => timeouts++)
  const slow = await rawConnection(url, GET)
  await rawConnection(url, GET.replace('/', '/big'), { reads: false })
  await until(() => isBigServed, 'the big answer is sent')
  await until(() => slow.received().includes('late'), 'the slow answer has come')
  slow.socket.destroy()
  await until(() => connections.size === 0, 'the other one is dropped')
})

test('a client whose headers do not come in time gets 408, and its socket is freed though it keeps its side open', async () => {
  const { url, connections } = await listen(() => {}, { headersMsMax: 50 })
  const half = await rawConnection(url, 'GET / HTTP/1.1\r\nHo')
  const silent = await rawConnection(url, '')
  await until(() => connections.size === 0, 'both are gone')
  for (const { received } of [half, silent]) assert.match(received(), /^HTTP\/1.1 408 /)
})

test('a malformed request is answered with 400, and its socket is freed though the client keeps its side open', async () => {
  const { url, connections } = await listen(() => {})
  const { received } = await rawConnection(url, 'nonsense\r\n\r\n')
  await until(() => connections.size === 0, 'it is gone')
  assert.match(received(), /^HTTP\/1.1 400 /)
})

test('a body that does not end in time is answered with 408', async () => {
  const { url, connections } = await listen((request) => void request.resume(), {
    headersMsMax: 50,
    bodyMsMax: 50,
  })
  const { received } = await rawConnection(url, 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc')
  await until(() => connections.size === 0, 'it is gone')
  assert.match(received(), /^HTTP\/1.1 408 /)
})

test('an idle connection is closed', async () => {
  const { url, connections } = await listen((_request, response) => void response.end('.'), { idleMsMax: 50 })
  const { isClosed } = await rawConnection(url, GET)
  await until(isClosed, 'it is closed')
  await until(() => connections.size === 0, 'it is gone')
})

test('when every connection is busy health checks are answered and everything else is told to try again', async () => {
  let busy = 0
  const { url, connections } = await listen(
    (request, response) => {
      if (request.url === '/readyz') return void response.end('ready')
      connections.showKey(request.socket)
      busy++
    },
    {},
    3,
  )
  for (let at = 0; at < 3; at++) await rawConnection(url, GET)
  await until(() => busy === 3, 'they are served')
  const check = await rawConnection(url, GET.replace('/', '/readyz'))
  await until(() => check.received().includes('ready'), 'the health check is answered')
  const other = await rawConnection(url, GET)
  await until(other.isClosed, 'the other one is refused')
  assert.match(other.received(), /^HTTP\/1.1 503 .*retry-after: 1\r\n.*too many connections/s)
})
