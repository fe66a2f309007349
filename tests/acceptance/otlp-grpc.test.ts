import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import net from 'node:net'
import { after, describe, test } from 'node:test'
import zlib from 'node:zlib'
import { encodeSpans, testId } from '../otlp/encode-traces.ts'
import { framed, type GrpcCallOptions, grpcCall, TRACES } from '../support/grpc-call.ts'
import { startService, type TestService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'

const BODY_BYTES_MAX = 4 * 1024 * 1024
const service = await startService({ ASSAY_BODY_BYTES_MAX: String(BODY_BYTES_MAX) }, { withGrpc: true })
const session = connect(service)

function connect({ grpcAddress }: TestService): http2.ClientHttp2Session {
  const client = http2.connect(`http://${grpcAddress}`)
  client.on('error', () => {})
  after(() => client.destroy())
  return client
}

let spans = 0
function span(attributes = {}) {
  const at = ++spans
  return {
    traceId: testId(16, at),
    spanId: testId(8, at),
    startUnixNano: BigInt(Date.now()) * 1_000_000n,
    attributes,
  }
}

const call = (options?: GrpcCallOptions, path = TRACES) => grpcCall(session, path, options)

async function isStored({ spanId }: { spanId: Buffer }, from = service): Promise<boolean> {
  return (await readStoredSpans(from.store)).some((found) => found.spanId === spanId.toString('hex'))
}

describe('a call that is taken', () => {
  test('is answered with an empty message and status 0, and its spans are on disk', async () => {
    const sent = span()
    const answer = await call({ parts: [framed(encodeSpans(sent))] })
    assert.equal(answer.httpStatus, 200)
    assert.equal(answer.headers['content-type'], 'application/grpc')
    assert.deepEqual([answer.status, answer.message?.length, answer.isTrailersOnly], [0, 0, false])
    assert.ok(await isStored(sent))
  })

  test('may come in many pieces, cut anywhere', async () => {
    const sent = span({ text: 'x'.repeat(2_000) })
    const bytes = framed(encodeSpans(sent))
    const parts = Array.from({ length: bytes.length }, (_, at) => bytes.subarray(at, at + 1))
    assert.equal((await call({ parts })).status, 0)
    assert.ok(await isStored(sent))
  })

  test('may be as large as a body may be', async () => {
    const sent = span({ text: 'x'.repeat(BODY_BYTES_MAX - 1_000) })
    assert.equal((await call({ parts: [framed(encodeSpans(sent))] })).status, 0)
    assert.ok(await isStored(sent))
  })

  for (const [encoding, compress] of [
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
  ] as const) {
    test(`may be compressed with ${encoding}, or say so and not be`, async () => {
      const [compressed, plain] = [span(), span()]
      const headers = { 'grpc-encoding': encoding }
      assert.equal((await call({ headers, parts: [framed(compress(encodeSpans(compressed)), 1)] })).status, 0)
      assert.equal((await call({ headers, parts: [framed(encodeSpans(plain))] })).status, 0)
      assert.ok((await isStored(compressed)) && (await isStored(plain)))
    })
  }

  test('tells about a bad span and keeps its neighbours', async () => {
    const sent = span()
    const { status, message } = await call({ parts: [framed(encodeSpans({}, sent))] })
    assert.equal(status, 0)
    assert.match(
      message?.toString('latin1') ?? '',
      /1 of 2 spans rejected: span 0: trace id is 0 bytes long, not 16$/,
    )
    assert.ok(await isStored(sent))
  })

  for (const name of ['metrics.v1.MetricsService', 'logs.v1.LogsService']) {
    test(`of ${name} is dropped politely`, async () => {
      const answer = await call({}, `/opentelemetry.proto.collector.${name}/Export`)
      assert.deepEqual([answer.status, answer.message?.length], [0, 0])
    })
  }

  test('shares its connection with others', async () => {
    const sent = Array.from({ length: 50 }, () => span())
    const answers = await Promise.all(sent.map((one) => call({ parts: [framed(encodeSpans(one))] })))
    for (const { status } of answers) assert.equal(status, 0)
    for (const one of sent) assert.ok(await isStored(one))
  })
})

describe('a call that is refused', () => {
  const good = () => [framed(encodeSpans(span()))]
  const gzip = { 'grpc-encoding': 'gzip' }
  const zeros = zlib.gzipSync(Buffer.alloc(BODY_BYTES_MAX + 1))

  for (const [name, status, message, options, path] of [
    ['without a key', 16, /^Unauthorized$/, { key: null, parts: good() }],
    ['with a key that nobody made', 16, /^Unauthorized$/, { key: 'none-of-the-keys-here' }],
    [
      'for a method that does not exist',
      12,
      /no such method/,
      {},
      '/opentelemetry.proto.collector.trace.v1.TraceService/Import',
    ],
    [
      'for a message that is no request',
      3,
      /not a valid OTLP protobuf/,
      { parts: [framed(Buffer.from('x'))] },
    ],
    ['for a message that is cut off', 3, /cut off/, { parts: [framed(Buffer.alloc(9)).subarray(0, 12)] }],
    ['for no message', 3, /cut off/, { parts: [] }],
    ['for no message in a request with a body', 3, /cut off/, { parts: [Buffer.alloc(0)] }],
    ['for two messages', 3, /more than one message/, { parts: [...good(), ...good()] }],
    ['for a prefix that means nothing', 3, /begin with 0 or 1/, { parts: [framed(Buffer.alloc(0), 2)] }],
    [
      'for a message that is too large',
      8,
      /too large/,
      { parts: [framed(Buffer.alloc(BODY_BYTES_MAX + 1))] },
    ],
    ['for a message that becomes too large', 8, /too large/, { headers: gzip, parts: [framed(zeros, 1)] }],
    [
      'for a message that is not compressed as it says',
      3,
      /not valid gzip/,
      { headers: gzip, parts: [framed(Buffer.from('x'), 1)] },
    ],
    [
      'for a compression that is not named',
      13,
      /does not say how/,
      { parts: [framed(zlib.gzipSync('x'), 1)] },
    ],
    [
      'for a compression that nobody knows',
      12,
      /one of identity, gzip, deflate/,
      { headers: { 'grpc-encoding': 'snappy' }, parts: good() },
    ],
  ] as [string, number, RegExp, GrpcCallOptions, string?][]) {
    test(`${name} has status ${status} and nothing but headers`, async () => {
      const answer = await call(options, path)
      assert.equal(answer.httpStatus, 200)
      assert.equal(answer.status, status)
      assert.match(answer.errorMessage ?? '', message)
      assert.ok(answer.isTrailersOnly)
      assert.equal(answer.headers['grpc-accept-encoding'], 'identity,gzip,deflate')
    })
  }

  test('is refused before its message has arrived where that is known before', async () => {
    for (const [status, options] of [
      [16, { key: null, parts: ['open'] }],
      [8, { parts: [framed(Buffer.alloc(BODY_BYTES_MAX + 1)).subarray(0, 5), 'open'] }],
      [12, { headers: { 'grpc-encoding': 'br' }, parts: ['open'] }],
    ] as [number, GrpcCallOptions][])
      assert.equal((await call(options)).status, status)
  })

  test('for a key that may not ingest has status 7', async () => {
    const made = await service.call('POST', '/v2/api-keys', { body: { name: 'r', scopes: ['read'] } })
    const answer = await call({ key: made.json.api_key, parts: good() })
    assert.deepEqual(
      [answer.status, answer.errorMessage],
      [7, 'forbidden: this API key lacks the scope ingest'],
    )
  })

  test('that is no gRPC call has an HTTP status', async () => {
    assert.equal((await call({ headers: { 'content-type': 'application/json' } })).httpStatus, 415)
    assert.equal((await call({ headers: { ':method': 'GET' }, parts: [] })).httpStatus, 405)
  })

  test('is counted, with its method and status', async () => {
    const { text } = await service.call('GET', '/metrics')
    assert.match(text, /assay_grpc_calls_total\{method="unknown",status="12"\} \d/)
    assert.ok(text.includes(`assay_grpc_calls_total{method="${TRACES}",status="0"}`))
  })
})

test('what is not HTTP/2 and callers that go away do no harm', async () => {
  const { hostname, port } = new URL(`http://${service.grpcAddress}`)
  const socket = net.connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.end('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  socket.resume()
  await once(socket, 'close')
  const leaving = connect(service)
  await once(leaving, 'connect')
  const gone = grpcCall(leaving, TRACES, { parts: [framed(Buffer.alloc(100)).subarray(0, 50), 'open'] })
  setImmediate(() => leaving.destroy())
  await gone.catch(() => {})
  assert.equal((await call({ parts: [framed(encodeSpans(span()))] })).status, 0)
})

test('closing the service lets a call under way finish and takes no more', async () => {
  const other = await startService({}, { withGrpc: true })
  const client = connect(other)
  await once(client, 'connect')
  const sent = span()
  const bytes = framed(encodeSpans(sent))
  const stream = client.request({
    ':method': 'POST',
    ':path': TRACES,
    'content-type': 'application/grpc',
    authorization: 'Bearer test-key-0123456789abcdef',
  })
  stream.write(bytes.subarray(0, 10))
  // The service has seen the call once the connection has answered a ping behind it.
  await new Promise<void>((resolve) => client.ping(() => resolve()))
  const goingAway = once(client, 'goaway')
  const closed = other.close()
  await goingAway
  stream.end(bytes.subarray(10))
  const [trailers] = await once(stream.resume(), 'trailers')
  assert.equal(trailers['grpc-status'], '0')
  await closed
  assert.ok(await isStored(sent, other))
  const late = http2.connect(`http://${other.grpcAddress}`)
  const [error] = await once(late, 'error')
  assert.equal(error.code, 'ECONNREFUSED')
})

test('closing the service does not wait forever for a call that never ends', async () => {
  const other = await startService({ ASSAY_SHUTDOWN_MS: '200' }, { withGrpc: true })
  const client = connect(other)
  await once(client, 'connect')
  const endless = grpcCall(client, TRACES, { parts: ['open'] })
  await new Promise<void>((resolve) => client.ping(() => resolve()))
  await other.close()
  await endless.catch(() => {})
})

test('a port that is taken is a warning, and HTTP goes on', async () => {
  const { port } = new URL(`http://${service.grpcAddress}`)
  const other = await startService({ ASSAY_OTLP_GRPC_PORT: port })
  assert.equal(other.grpcAddress, undefined)
  assert.ok(other.logLines.some((line) => line.startsWith('warn') && line.includes('EADDRINUSE')))
  assert.equal((await other.call('GET', '/healthz')).status, 200)
})

test('0 turns it off, a number is the port', async () => {
  assert.equal((await startService()).grpcAddress, undefined)
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  const other = await startService({ ASSAY_OTLP_GRPC_PORT: String(port) })
  assert.equal(other.grpcAddress, `127.0.0.1:${port}`)
  assert.equal((await grpcCall(connect(other), TRACES)).status, 0)
})
