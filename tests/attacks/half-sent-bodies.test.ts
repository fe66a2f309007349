import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { call, FIRST_KEY } from '../support/call.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { residentBytes } from '../support/process-usage.ts'
import { type RawConnection, rawConnection } from '../support/raw-connection.ts'
import { callable } from '../support/service-calls.ts'
import { chatSpan, eventually, sendSpans } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const MIB = 1_048_576
const BODIES = 80
const BODY_BYTES = 15 * MIB
/** The default of a container with 1 GiB. */
const REQUEST_MEMORY_BYTES = 128 * MIB
const RESIDENT_BYTES_MAX = 1_024 * MIB

const service = await spawnTestService(
  {
    ASSAY_DATA_DIR: temporaryDirectory(),
    ASSAY_API_KEY: FIRST_KEY,
    ASSAY_REQUEST_MEMORY_BYTES: String(REQUEST_MEMORY_BYTES),
  },
  [
    process.execPath,
    '--max-old-space-size=512',
    path.resolve(import.meta.dirname, '../../scripts/assay.ts'),
    'start',
  ],
)
const { url } = service
const quiet = await call(url, 'POST', '/v2/organizations', { body: { org_name: 'quiet' } })
const quietKey: string = quiet.json.environments[0].api_key

const head = (extra: string) =>
  `POST /v1/traces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${FIRST_KEY}\r\nContent-Type: application/x-protobuf\r\n${extra}\r\n\r\n`
const almostAll = Buffer.alloc(BODY_BYTES - 1)

/** The bodies of the noisy tenant that were refused so far, by status. */
function refusals(connections: readonly RawConnection[]): string[] {
  return connections.flatMap(({ received }) => /^HTTP\/1\.1 (\d+)/.exec(received())?.[1] ?? [])
}

async function attack(bytes: Buffer): Promise<RawConnection[]> {
  const connections: RawConnection[] = []
  for (let at = 0; at < BODIES; at++) connections.push(await rawConnection(url, bytes))
  return connections
}

function release(connections: readonly RawConnection[]): void {
  for (const { socket } of connections) socket.destroy()
}

const announced = Buffer.concat([Buffer.from(head(`Content-Length: ${BODY_BYTES}`)), almostAll])
const chunked = Buffer.concat([
  Buffer.from(head('Transfer-Encoding: chunked')),
  Buffer.from(`${BODY_BYTES.toString(16)}\r\n`),
  almostAll,
])

for (const [name, bytes] of [
  ['of announced length', announced],
  ['in chunks', chunked],
] as const) {
  test(`${BODIES} half-sent bodies of 15 MiB ${name} neither fill the memory nor keep another tenant out`, async (t) => {
    const connections = await attack(bytes)
    await eventually(async () => refusals(connections).length >= BODIES / 2, 'bodies are refused')
    assert.deepEqual([...new Set(refusals(connections))], ['429'])
    const refused = connections.find(({ received }) => received() !== '')
    assert.match(refused?.received() ?? '', /retry-after: \d+\r\n/)
    for (let at = 0; at < 5; at++) {
      await sendSpans(callable(service), [chatSpan(`quiet ${name} ${at}`)], { key: quietKey })
      assert.equal((await call(url, 'GET', '/healthz', { key: null })).status, 200)
    }
    const { peak } = residentBytes(service.child.pid)
    t.diagnostic(`${Math.round(peak / MIB)} MiB resident at most`)
    assert.ok(peak < RESIDENT_BYTES_MAX, `${Math.round(peak / MIB)} MiB`)
    release(connections)
    // Everything is given back: the noisy tenant can send its largest body again.
    await eventually(async () => {
      const { status } = await call(url, 'POST', '/v1/metrics', {
        body: Buffer.alloc(BODY_BYTES),
        headers: { 'content-type': 'application/x-protobuf' },
      })
      return status === 200
    }, 'the memory is free again')
  })
}

test('small bodies that become large are counted as what they become', async (t) => {
  const bomb = gzipSync(Buffer.alloc(BODY_BYTES))
  const answers = await Promise.all(
    Array.from({ length: BODIES }, () =>
      call(url, 'POST', '/v1/traces', {
        body: bomb,
        headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'gzip' },
      }),
    ),
  )
  const statuses = new Set(answers.map(({ status }) => status))
  for (const status of statuses) assert.ok([400, 429].includes(status), `${status}`)
  const { peak } = residentBytes(service.child.pid)
  t.diagnostic(`${Math.round(peak / MIB)} MiB resident at most`)
  assert.ok(peak < RESIDENT_BYTES_MAX, `${Math.round(peak / MIB)} MiB`)
  assert.equal(service.child.exitCode, null)
})
