import assert from 'node:assert/strict'
import path from 'node:path'
import { after, test } from 'node:test'
import { call, FIRST_KEY } from '../support/call.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { openDescriptors } from '../support/process-usage.ts'
import { type RawConnection, rawConnection } from '../support/raw-connection.ts'
import { eventually } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const DESCRIPTORS = 1_024
const SOCKETS = 1_200
const OPENED_AT_ONCE = 50
const PROBES = 20

const assay = path.resolve(import.meta.dirname, '../../scripts/assay.ts')
const start = (env: Record<string, string> = {}) =>
  spawnTestService(
    { ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_API_KEY: FIRST_KEY, ...env },
    // Both limits: Node.js raises the soft one to the hard one.
    ['bash', '-c', `ulimit -n ${DESCRIPTORS}; exec "${process.execPath}" "${assay}" start`],
  )

const opened: RawConnection[] = []
after(() => {
  for (const { socket } of opened) socket.destroy()
})

/** Opens sockets from several addresses, so that the limit per address is not what saves the service. */
async function openSockets(url: string, count: number, text: string): Promise<void> {
  for (let at = 0; at < count; at += OPENED_AT_ONCE) {
    const localAddress = `127.0.0.${2 + ((at / OPENED_AT_ONCE) % 20)}`
    const open = () => rawConnection(url, text, { reads: false, localAddress })
    opened.push(...(await Promise.all(Array.from({ length: OPENED_AT_ONCE }, open))))
  }
}

for (const [name, text] of [
  ['say nothing', ''],
  ['begin a request', 'GET / HTTP/1.1\r\nHost: x\r\n'],
  ['had an answer and keep the connection', 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['begin a body without a key', 'POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Length: 99999\r\n\r\nabc'],
] as const) {
  test(`${SOCKETS} sockets that ${name} cannot silence /readyz of a process with ${DESCRIPTORS} descriptors`, async () => {
    const service = await start()
    await openSockets(service.url, SOCKETS, text)
    let answered = 0
    for (let at = 0; at < PROBES; at++) {
      // A connection of its own each time, as a health check has.
      const { status } = await call(service.url, 'GET', '/readyz', { headers: { connection: 'close' } })
      if (status === 200) answered++
    }
    assert.equal(answered, PROBES)
    assert.ok(openDescriptors(service.child.pid) < DESCRIPTORS)
    service.abandon()
  })
}

test('sockets whose headers do not come in time are freed, though their clients keep their side open', async () => {
  const service = await start({ ASSAY_HEADERS_MS_MAX: '500' })
  const before = openDescriptors(service.child.pid)
  await openSockets(service.url, 200, 'GET / HTTP/1.1\r\nHo')
  // Threads that read the store open their files when they are first asked, which may be after the first look.
  await eventually(async () => openDescriptors(service.child.pid) <= before + 40, 'descriptors are freed')
  service.abandon()
})
