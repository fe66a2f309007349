import assert from 'node:assert/strict'
import net from 'node:net'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { SETUPS } from './setup-calls.ts'

const service = await startRestingService()

/** Sends bytes that no HTTP client would send and reads until the service closes the connection. */
function exchange(request: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(service.url)
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = net.connect(Number(port), hostname, () => socket.write(request))
    socket.setEncoding('utf8').on('data', (part) => {
      received += part
    })
    socket.setTimeout(300_000, () => socket.destroy(new Error('no answer')))
    socket.on('error', reject).on('close', () => {
      const [head = '', body = ''] = received.split('\r\n\r\n')
      resolve({ status: Number(head.split(' ')[1]), body })
    })
  })
}

const headers = `Host: x\r\nAuthorization: Bearer ${FIRST_KEY}\r\nConnection: close\r\n`

for (const [name, status, request] of [
  ['text that is not HTTP', 400, 'hello\r\n\r\n'],
  ['a request without a Host', 400, `GET ${SETUPS} HTTP/1.1\r\n\r\n`],
  ['a method that nobody knows', 400, `BREW ${SETUPS} HTTP/1.1\r\n${headers}\r\n`],
  [
    'a length beside chunks',
    400,
    `POST ${SETUPS} HTTP/1.1\r\n${headers}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  [
    'headers that are too large',
    431,
    `GET ${SETUPS} HTTP/1.1\r\n${headers}X-Long: ${'x'.repeat(40_000)}\r\n\r\n`,
  ],
] as const) {
  test(`${status} for ${name} is the error object and nothing beside it`, async () => {
    const answer = await exchange(request)
    assert.equal(answer.status, status)
    assert.match(answer.body, /^\{/, 'the body is an object')
    assert.deepEqual(Object.keys(JSON.parse(answer.body)), ['error'])
  })
}

test('200 after every malformed request', async () => {
  assert.equal((await service.call('GET', SETUPS)).status, 200)
})

test('417 for an expectation that nobody knows', async () => {
  const answer = await exchange(`GET ${SETUPS} HTTP/1.1\r\n${headers}Expect: nonsense\r\n\r\n`)
  assert.equal(answer.status, 417)
  assert.match(answer.body, /"error":"invalid input: Expect/)
})

test('400 for a path that cannot be decoded is counted like every request', async () => {
  await service.call('GET', `${SETUPS}/%zz`)
  const { text } = await service.call('GET', '/metrics')
  assert.match(text, /assay_http_requests_total\{route="unknown",method="GET",status="400"\} \d/)
})
