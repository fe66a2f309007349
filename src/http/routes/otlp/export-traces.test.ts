import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../../../tests/support/recording-logger.ts'
import { PublicError } from '../../../lib/public-error.ts'
import type { RouteDeps } from '../../route.ts'
import { buildServer } from '../../server.ts'
import { exportLogsRoute } from './export-logs.ts'
import { exportMetricsRoute } from './export-metrics.ts'
import { exportTracesRoute } from './export-traces.ts'

const KEY = 'a-key-of-enough-letters'

/** A server in front of something that takes spans, or does not. */
function serverThat(receive: () => Promise<unknown>, findPrincipal = principalOf) {
  const logLines: string[] = []
  const deps = {
    storage: { system: { findPrincipal } },
    ids: { newId: () => 'id' },
    logger: recordingLogger(logLines),
    metrics: { countRequest() {} },
    ingest: { receive },
  } as unknown as RouteDeps
  const server = buildServer([exportTracesRoute, exportMetricsRoute, exportLogsRoute], deps, {
    bodyBytesMax: 1_024,
  })
  const post = (url: string, contentType: string) =>
    server.inject({
      method: 'POST',
      url,
      headers: { authorization: `Bearer ${KEY}`, 'content-type': contentType },
      payload: '{}',
    })
  return { post, logLines }
}

async function principalOf(secretHash: string) {
  return { principal: { permissions: ['ingest'] }, secretHash }
}

const failing = (error: Error) => () => Promise.reject(error)

for (const [kind, status, code] of [
  ['overloaded', 429, 14],
  ['unavailable', 503, 14],
] as const) {
  test(`${status} when spans are ${kind === 'overloaded' ? 'too many' : 'not storable'} says when to try again`, async () => {
    const { post } = serverThat(failing(new PublicError(kind, 'try again')))
    const json = await post('/v1/traces', 'application/json')
    assert.equal(json.statusCode, status)
    assert.equal(json.headers['retry-after'], '1')
    assert.deepEqual(json.json(), { code, message: 'try again', error: 'try again' })
    const protobuf = await post('/v1/traces', 'application/x-protobuf')
    assert.equal(protobuf.statusCode, status)
    assert.equal(protobuf.headers['retry-after'], '1')
    assert.equal(protobuf.headers['content-type'], 'application/x-protobuf')
    assert.equal(protobuf.rawPayload.toString('latin1'), `\b${String.fromCharCode(code)}\x12\ttry again`)
  })
}

test('500 for a fault of ours tells nothing but that, and is not to be tried again', async () => {
  const { post, logLines } = serverThat(failing(new Error('a secret of the inside')))
  const answer = await post('/v1/traces', 'application/json')
  assert.equal(answer.statusCode, 500)
  assert.equal(answer.headers['retry-after'], undefined)
  assert.deepEqual(answer.json(), {
    code: 13,
    message: 'internal server error',
    error: 'internal server error',
  })
  assert.ok(logLines.some((line) => line.includes('a secret of the inside')))
})

test('503 when the key cannot be checked, for every signal, because senders drop what gets a 500', async () => {
  const { post, logLines } = serverThat(
    async () => ({}),
    failing(new Error('no store')) as typeof principalOf,
  )
  for (const signal of ['traces', 'metrics', 'logs']) {
    const answer = await post(`/v1/${signal}`, 'application/json')
    assert.equal(answer.statusCode, 503)
    assert.equal(answer.headers['retry-after'], '1')
    assert.equal(answer.json().code, 14)
  }
  assert.ok(logLines.some((line) => line.includes('no store')))
})
