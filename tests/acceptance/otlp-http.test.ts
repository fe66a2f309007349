import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import zlib from 'node:zlib'
import { WireReader } from '../../src/lib/otlp/wire-reader.ts'
import {
  encodeSpans,
  encodeTraces,
  type TestAttributes,
  type TestSpan,
  testId,
} from '../otlp/encode-traces.ts'
import { type Answer, FIRST_KEY } from '../support/call.ts'
import { startService, type TestService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'
import { createSetup, SETUPS, setupPath } from './setup-calls.ts'

const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const BODY_BYTES_MAX = 8 * 1024 * 1024

const service = await startService({ ASSAY_BODY_BYTES_MAX: String(BODY_BYTES_MAX) })

let spans = 0
/** A span with ids of its own. */
function span(attributes: TestAttributes = {}) {
  const at = ++spans
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  return { traceId: testId(16, at), spanId: testId(8, at), startUnixNano, attributes }
}

function send(body: Uint8Array, headers: Record<string, string> = {}, to: TestService = service) {
  return to.call('POST', '/v1/traces', { body, headers: { ...PROTOBUF, ...headers } })
}

async function stored({ spanId }: { spanId: Buffer }, from: TestService = service) {
  return (await readStoredSpans(from.store)).find((found) => found.spanId === spanId.toString('hex'))
}

function jsonSpan(sent: ReturnType<typeof span>, attributes: object[] = []) {
  return {
    traceId: sent.traceId.toString('hex'),
    spanId: sent.spanId.toString('hex'),
    startTimeUnixNano: String(sent.startUnixNano),
    attributes,
  }
}

const jsonRequest = (...list: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans: list }] }] })

/** Code and message of a google.rpc.Status in protobuf. */
function readStatus(bytes: Uint8Array): { code: number; message: string } {
  const reader = new WireReader(bytes)
  const status = { code: 0, message: '' }
  while (reader.at < bytes.length) {
    if (reader.tag(bytes.length) === 0x08) status.code = reader.int32(bytes.length)
    else {
      const end = reader.block(bytes.length)
      status.message = reader.bytes.toString('utf8', reader.at, end)
      reader.at = end
    }
  }
  return status
}

/** The bytes of an answer; `call` reads texts only. */
async function sendForBytes(body: Uint8Array, headers: Record<string, string>) {
  const response = await fetch(`${service.url}/v1/traces`, {
    method: 'POST',
    headers: { authorization: `Bearer ${FIRST_KEY}`, ...PROTOBUF, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  })
  return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
}

function assertStatusObject(answer: Answer, status: number, code: number, message: RegExp): void {
  assert.equal(answer.status, status, answer.text)
  assert.equal(answer.headers.get('content-type'), 'application/json')
  assert.deepEqual(Object.keys(answer.json), ['code', 'message', 'error'])
  assert.equal(answer.json.code, code)
  assert.match(answer.json.message, message)
  assert.equal(answer.json.error, answer.json.message)
}

describe('200', () => {
  test('for protobuf is an empty message, and the span is on disk as it was sent', async () => {
    const sent = { ...span({ 'gen_ai.system': 'openai', tokens: 7, ok: true }), name: 'chat' }
    const body = encodeTraces([
      { resource: { 'service.name': 'shop' }, scopes: [{ name: 'sdk', version: '1', spans: [sent] }] },
    ])
    const answer = await send(body)
    assert.equal(answer.status, 200)
    assert.equal(answer.headers.get('content-type'), 'application/x-protobuf')
    assert.equal(answer.text, '')
    const found = await stored(sent)
    assert.deepEqual(
      [found?.name, found?.scopeName, found?.resource.get('service.name'), [...(found?.attributes ?? [])]],
      [
        'chat',
        'sdk',
        'shop',
        [
          ['gen_ai.system', 'openai'],
          ['tokens', 7],
          ['ok', true],
        ],
      ],
    )
  })

  test('for JSON is an empty object', async () => {
    const sent = span()
    const attributes = [{ key: 'big', value: { intValue: '9223372036854775807' } }]
    const body = jsonRequest(jsonSpan(sent, attributes))
    for (const type of ['application/json', 'application/json; charset=utf-8', 'Application/JSON']) {
      const answer = await service.call('POST', '/v1/traces', { body, headers: { 'content-type': type } })
      assert.deepEqual([answer.status, answer.json], [200, {}])
      assert.equal(answer.headers.get('content-type'), 'application/json')
    }
    assert.equal((await stored(sent))?.attributes.get('big'), 9_223_372_036_854_775_807n)
  })

  for (const [encoding, compress] of [
    ['identity', (body: Buffer) => body],
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['zstd', zlib.zstdCompressSync],
  ] as const) {
    test(`for a body in ${encoding}`, async () => {
      const [small, large] = [span(), span({ text: 'long '.repeat(100_000) })]
      for (const sent of [small, large]) {
        const answer = await send(compress(encodeSpans(sent)), { 'content-encoding': encoding })
        assert.equal(answer.status, 200, answer.text)
        assert.ok(await stored(sent))
      }
    })
  }

  test('for a batch with a bad span tells which and why, and keeps its neighbours', async () => {
    const [first, last] = [span(), span()]
    const message = '1 of 3 spans rejected: span 1: trace id is 0 bytes long, not 16'
    const { response, bytes } = await sendForBytes(encodeSpans(first, {}, last), {})
    assert.equal(response.status, 200)
    assert.equal(Buffer.from(bytes).toString('latin1'), `\n${'\x43'}\b\x01\x12${'\x3f'}${message}`)
    assert.ok((await stored(first)) && (await stored(last)))

    const [one, two] = [span(), span()]
    const body = jsonRequest(jsonSpan(one), { ...jsonSpan(span()), spanId: 'xyz' }, jsonSpan(two))
    assert.deepEqual((await service.call('POST', '/v1/traces', { body })).json, {
      partialSuccess: {
        rejectedSpans: '1',
        errorMessage: '1 of 3 spans rejected: span 1: spanId must be hex digits',
      },
    })
    assert.ok((await stored(one)) && (await stored(two)))
  })

  test('for a request without spans, of which nothing is stored', async () => {
    const before = (await readStoredSpans(service.store)).length
    for (const body of [Buffer.alloc(0), encodeTraces([]), encodeSpans()])
      assert.equal((await send(body)).status, 200)
    assert.deepEqual((await service.call('POST', '/v1/traces', { body: {} })).json, {})
    assert.equal((await readStoredSpans(service.store)).length, before)
  })

  test('for a span of 5 MB', async () => {
    const sent = span({ prompt: 'x'.repeat(5_000_000) })
    assert.equal((await send(encodeSpans(sent))).status, 200)
    assert.equal(String((await stored(sent))?.attributes.get('prompt')).length, 5_000_000)
  })

  test('for the same batch five times, which is stored once', async () => {
    const batch = [span(), span(), span()]
    for (let time = 0; time < 5; time++) assert.equal((await send(encodeSpans(...batch))).status, 200)
    const ids = batch.map(({ spanId }) => spanId.toString('hex'))
    const found = (await readStoredSpans(service.store)).filter(({ spanId }) => ids.includes(spanId))
    assert.equal(found.length, 3)
  })

  test('for metrics, which are accepted and dropped', async () => {
    const json = await service.call('POST', '/v1/metrics', { body: {} })
    assert.deepEqual([json.status, json.json], [200, {}])
    const body = zlib.gzipSync(Buffer.alloc(100, 1))
    const headers = { ...PROTOBUF, 'content-encoding': 'gzip' }
    const protobuf = await service.call('POST', '/v1/metrics', { body, headers })
    assert.deepEqual([protobuf.status, protobuf.text], [200, ''])
    assert.equal(protobuf.headers.get('content-type'), 'application/x-protobuf')
    assert.equal((await service.call('POST', '/v1/metrics', { body: {}, key: null })).status, 401)
  })
})

describe('an error', () => {
  const good = () => encodeSpans(span())

  test('400 for a body that cannot be read, and nothing of it is stored', async () => {
    const sent = span()
    const { response, bytes } = await sendForBytes(encodeSpans(sent).subarray(0, -1), {})
    assert.equal(response.status, 400)
    assert.equal(response.headers.get('content-type'), 'application/x-protobuf')
    const { code, message } = readStatus(bytes)
    assert.equal(code, 3)
    assert.match(message, /^invalid input: body is not a valid OTLP protobuf message/)
    assert.equal(await stored(sent), undefined)
    const json = await service.call('POST', '/v1/traces', { body: '{"resourceSpans": 5}' })
    assertStatusObject(json, 400, 3, /resourceSpans must be an array/)
    assertStatusObject(await service.call('POST', '/v1/traces', { body: '' }), 400, 3, /not JSON/)
  })

  test('400 for a body that is not compressed as it says', async () => {
    const { response, bytes } = await sendForBytes(good(), { 'content-encoding': 'gzip' })
    assert.deepEqual(
      [response.status, readStatus(bytes)],
      [400, { code: 3, message: 'invalid input: body is not valid gzip' }],
    )
  })

  test('401 without a valid key, 403 with one that may not ingest', async () => {
    const { response, bytes } = await sendForBytes(good(), { authorization: 'Bearer none-of-the-keys-here' })
    assert.equal(response.status, 401)
    assert.equal(response.headers.get('www-authenticate'), 'Bearer')
    assert.deepEqual(readStatus(bytes), { code: 16, message: 'Unauthorized' })
    const json = await service.call('POST', '/v1/traces', { key: null, body: {} })
    assertStatusObject(json, 401, 16, /^Unauthorized$/)

    const made = await service.call('POST', '/v2/api-keys', {
      body: { name: 'r', scopes: ['read', 'write'] },
    })
    const refused = await service.call('POST', '/v1/traces', { key: made.json.api_key, body: {} })
    assertStatusObject(refused, 403, 7, /lacks the scope ingest/)
  })

  test('413 for a body that is too large, and for one that becomes so', async () => {
    const large = Buffer.alloc(BODY_BYTES_MAX + 1)
    for (const [body, headers] of [
      [large, {}],
      [zlib.gzipSync(large), { 'content-encoding': 'gzip' }],
      [zlib.deflateSync(large), { 'content-encoding': 'deflate' }],
      [zlib.zstdCompressSync(large), { 'content-encoding': 'zstd' }],
    ] as const) {
      const { response, bytes } = await sendForBytes(body, headers)
      assert.equal(response.status, 413)
      assert.deepEqual(readStatus(bytes), { code: 8, message: 'request body is too large' })
    }
    assertStatusObject(await service.call('POST', '/v1/traces', { body: large }), 413, 8, /too large/)
  })

  test('413 for more spans than one request may have', async () => {
    const body = encodeSpans(...Array<TestSpan>(100_001).fill({}))
    const { response, bytes } = await sendForBytes(body, {})
    assert.equal(response.status, 413)
    assert.match(readStatus(bytes).message, /more than 100000 spans/)
  })

  test('415 for any other content type, and for none', async () => {
    for (const type of ['text/plain', 'application/octet-stream', 'application/xml', 'application/jsonx']) {
      const answer = await send(good(), { 'content-type': type })
      assertStatusObject(
        answer,
        415,
        3,
        /^Content-Type must be application\/x-protobuf or application\/json$/,
      )
    }
    const { response } = await sendForBytes(good(), { 'content-type': '' })
    assert.equal(response.status, 415)
  })
})

describe('matching', () => {
  const selector = { 'gen_ai.system': 'openai' }
  const openai = () => span({ 'gen_ai.system': 'openai' })

  test('a setup sees the spans that come after it, without a restart, and none after it was deleted', async () => {
    const [before, during, after] = [openai(), openai(), openai()]
    await send(encodeSpans(before))
    await createSetup(service, { external_id: 'sees', selector })
    await send(encodeSpans(during))
    assert.equal((await service.call('DELETE', setupPath('sees'))).status, 204)
    await send(encodeSpans(after))
    assert.deepEqual(
      await Promise.all([before, during, after].map(async (sent) => (await stored(sent))?.matchedBy)),
      [[], ['sees'], []],
    )
  })

  test('a setup sees the spans of its own environment and tenant only', async () => {
    await createSetup(service, { external_id: 'mine', selector })
    const other = await service.call('POST', '/v2/organizations', {
      body: { org_name: 'other', envs: ['prd', 'stg'] },
    })
    const [prd, stg] = other.json.environments as { api_key: string }[]
    assert.ok(prd && stg)
    await createSetup(service, { external_id: 'theirs', selector }, prd.api_key)
    const inPrd = openai()
    const inStg = openai()
    const mine = openai()
    for (const [key, sent] of [
      [prd.api_key, inPrd],
      [stg.api_key, inStg],
    ] as const) {
      const answer = await service.call('POST', '/v1/traces', {
        key,
        body: encodeSpans(sent),
        headers: PROTOBUF,
      })
      assert.equal(answer.status, 200)
    }
    await send(encodeSpans(mine))
    assert.deepEqual(
      await Promise.all([inPrd, inStg, mine].map(async (sent) => (await stored(sent))?.matchedBy)),
      [['theirs'], [], ['mine']],
    )
    assert.equal((await stored(inPrd))?.orgId, other.json.org_id)
    assert.notEqual((await stored(mine))?.orgId, other.json.org_id)
  })

  test('10,000 setups: a span finds the few that are meant for it', async () => {
    const many = await startService()
    for (let from = 0; from < 10_000; from += 100) {
      const setups = Array.from({ length: 100 }, (_, at) => ({
        external_id: `team-${from + at}`,
        evaluators: ['char-count'],
        selector: { team: String(from + at) },
      }))
      assert.equal((await many.call('POST', `${SETUPS}/bulk`, { body: { setups } })).status, 200)
    }
    const [known, unknown] = [span({ team: '7777' }), span({ team: '10001' })]
    const answer = await send(encodeSpans(known, unknown), {}, many)
    assert.equal(answer.status, 200)
    assert.deepEqual((await stored(known, many))?.matchedBy, ['team-7777'])
    assert.deepEqual((await stored(unknown, many))?.matchedBy, [])
  })
})

test('/metrics counts spans, batches and what was rejected', async () => {
  const counted = await startService()
  await send(encodeSpans(span(), {}, span()), {}, counted)
  await send(encodeSpans(), {}, counted)
  const { text } = await counted.call('GET', '/metrics')
  for (const line of [
    'assay_ingest_spans_received_total 3',
    'assay_ingest_spans_rejected_total 1',
    'assay_ingest_batches_total 1',
    'assay_ingest_stale_retries_total 0',
  ])
    assert.ok(text.includes(`\n${line}\n`), line)
})
