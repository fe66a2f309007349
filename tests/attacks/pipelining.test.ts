import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { call, FIRST_KEY } from '../support/call.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { residentBytes } from '../support/process-usage.ts'
import { type RawConnection, rawConnection } from '../support/raw-connection.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const CONNECTIONS = 10
const REQUESTS = 1_600
const ROUNDS = 3
const PROBES = 8
/** A service that holds what it should not hold runs into this. */
const HEAP_MB = 160
/** The heap, and as much again for code, buffers and threads. */
const RESIDENT_BYTES_MAX = 512 * 1_048_576

const service = await spawnTestService({ ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_API_KEY: FIRST_KEY }, [
  process.execPath,
  `--max-old-space-size=${HEAP_MB}`,
  path.resolve(import.meta.dirname, '../../scripts/assay.ts'),
  'start',
])

const get = (address: string, headers = '') => `GET ${address} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`

/** Opens more and more connections that send requests and never read, and asks after each few how the service is. */
async function attackWith(requests: string, probe: () => Promise<void>): Promise<void> {
  const connections: RawConnection[] = []
  const open = () => rawConnection(service.url, requests, { reads: false })
  for (let round = 0; round < ROUNDS; round++) {
    connections.push(...(await Promise.all(Array.from({ length: CONNECTIONS }, open))))
    for (let at = 0; at < PROBES; at++) await probe()
  }
  for (const { socket } of connections) socket.destroy()
}

for (const [name, request, count] of [
  ['the description of the interface', get('/openapi.json'), REQUESTS],
  ['the reference page', get('/docs'), REQUESTS],
  ['metrics', get('/metrics'), REQUESTS],
  ['the dashboard', get('/'), REQUESTS],
  ['an address that does not exist', get('/nope'), REQUESTS],
  ['a list behind a key', get('/v2/evaluators', `Authorization: Bearer ${FIRST_KEY}\r\n`), REQUESTS],
  ['the shortest request there is', 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n', 3_000],
  ['few requests, so that no connection is closed for their number', get('/openapi.json'), 60],
] as const) {
  test(`pipelined requests for ${name} that nobody reads neither end the service nor silence it`, async () => {
    let answered = 0
    await attackWith(request.repeat(count), async () => {
      const { status } = await call(service.url, 'GET', '/healthz', { key: null })
      if (status === 200) answered++
    })
    assert.equal(answered, ROUNDS * PROBES)
    assert.equal(service.child.exitCode, null, service.output())
    const { peak } = residentBytes(service.child.pid)
    assert.ok(peak < RESIDENT_BYTES_MAX, `${peak} bytes`)
  })
}
