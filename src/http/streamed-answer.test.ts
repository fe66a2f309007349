import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { recordingLogger } from '../../tests/support/recording-logger.ts'
import { eventually } from '../../tests/support/spans.ts'
import { defineRoute, type RouteDeps, StreamedAnswer } from './route.ts'
import { buildServer } from './server.ts'

const CHUNK = 'x'.repeat(65_536)
const CHUNKS = 2_000

/** A server with one endless-looking answer, and what has become of the last one. */
async function startServer(failAt = Number.POSITIVE_INFINITY) {
  const seen = { made: 0, isEnded: false }
  const logLines: string[] = []
  async function* chunks() {
    try {
      for (; seen.made < CHUNKS; seen.made++) {
        if (seen.made === failAt) throw new Error('the store is gone')
        yield CHUNK
      }
    } finally {
      seen.isEnded = true
    }
  }
  const route = defineRoute({
    method: 'GET',
    path: '/stream',
    operationId: 'stream',
    tag: 'Tests',
    summary: 'Streams',
    access: 'public',
    success: { status: 200, description: 'Much.', contentType: 'text/plain' },
    handle: async () => new StreamedAnswer('text/plain', chunks()),
  })
  const deps = {
    ids: { newId: () => 'id' },
    logger: recordingLogger(logLines),
    metrics: { countRequest() {} },
  } as unknown as RouteDeps
  const server = buildServer([route], deps, { bodyBytesMax: 1_024 })
  after(() => server.close())
  await server.listen({ port: 0, host: '127.0.0.1' })
  const { port } = server.server.address() as AddressInfo
  return { seen, logLines, url: `http://127.0.0.1:${port}/stream` }
}

async function request(url: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  const [response] = await once(get(url, { headers }), 'response')
  return response
}

test('a client that does not read keeps the answer from being made', async () => {
  const { seen, url } = await startServer()
  const response = await request(url)
  let before = -1
  await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const isStill = seen.made === before
    before = seen.made
    return isStill
  }, 'making stops')
  assert.ok(seen.made < CHUNKS / 2, `${seen.made} of ${CHUNKS} pieces were made for nobody`)
  let bytes = 0
  for await (const piece of response) bytes += piece.length
  assert.equal(bytes, CHUNKS * CHUNK.length)
})

test('making ends when the client goes away', async () => {
  const { seen, url, logLines } = await startServer()
  const response = await request(url)
  response.destroy()
  await eventually(async () => seen.isEnded, 'making ends')
  assert.ok(seen.made < CHUNKS)
  assert.deepEqual(logLines, [], 'which is nothing to be told of')
})

test('a fault in the middle breaks the answer off instead of ending it', async () => {
  const { url, logLines } = await startServer(100)
  const response = await request(url)
  await assert.rejects(async () => {
    for await (const piece of response) void piece
  }, /aborted/)
  assert.match(logLines.join(), /the store is gone/)
})

test('it is compressed when that is asked for', async () => {
  const { url } = await startServer()
  const response = await request(url, { 'accept-encoding': 'gzip' })
  assert.equal(response.headers['content-encoding'], 'gzip')
  assert.equal(response.headers['vary'], 'accept-encoding')
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece)
  assert.equal(gunzipSync(Buffer.concat(pieces)).length, CHUNKS * CHUNK.length)
})
