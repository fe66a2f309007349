import assert from 'node:assert/strict'
import http2 from 'node:http2'
import { after, test } from 'node:test'
import { framed, grpcCall } from '../../../tests/support/grpc-call.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PublicError } from '../../lib/public-error.ts'
import { BodyBudget } from '../body-budget.ts'
import { ConnectionTable } from '../connections/connection-table.ts'
import { LISTENER_TIMES } from '../connections/create-listener.ts'
import { type GrpcDeps, GrpcServer } from './grpc-server.ts'
import type { GrpcCall } from './otlp-methods.ts'

/** Calls a server that has one method. */
async function callThe(call: GrpcCall, findPrincipal = principalOf) {
  const logLines: string[] = []
  const deps = {
    senders: { system: { findPrincipal } },
    logger: recordingLogger(logLines),
    metrics: { countGrpcCall() {} },
    bodies: new BodyBudget(1_048_576),
    listener: {
      connections: new ConnectionTable({
        connectionsMax: 10,
        connectionsPerAddressMax: 10,
        trustedProxies: [],
      }),
      ...LISTENER_TIMES,
    },
  } as unknown as GrpcDeps
  const server = new GrpcServer(new Map([['/it', { call }]]), deps, 1_024)
  const address = await server.listen(0, '127.0.0.1')
  const session = http2.connect(`http://127.0.0.1:${address?.port}`)
  after(async () => {
    session.close()
    await server.close(1_000)
  })
  return { answer: await grpcCall(session, '/it', { parts: [framed(Buffer.from('question'))] }), logLines }
}

async function principalOf(secretHash: string) {
  return { principal: { permissions: ['ingest'] }, secretHash }
}

const failing = (error: Error) => () => Promise.reject(error)

test('hands the message to the method and its answer back', async () => {
  const { answer } = await callThe(async (_principal, message) => Buffer.from(`${message} answered`))
  assert.deepEqual([answer.status, answer.message?.toString()], [0, 'question answered'])
})

for (const kind of ['overloaded', 'unavailable'] as const) {
  test(`${kind} is status 14, which senders try again`, async () => {
    const { answer } = await callThe(failing(new PublicError(kind, 'später, 100%\n')))
    assert.deepEqual([answer.status, answer.errorMessage], [14, 'später, 100%\n'])
    assert.equal(answer.headers['grpc-message'], 'sp%C3%A4ter, 100%25%0A')
    assert.ok(answer.isTrailersOnly)
  })
}

test('a store that does not answer when the key is checked is status 14 too', async () => {
  const broken = failing(new Error('no store')) as typeof principalOf
  const { answer, logLines } = await callThe(async () => Buffer.alloc(0), broken)
  assert.equal(answer.status, 14)
  assert.ok(logLines.some((line) => line.includes('no store')))
})

test('a fault of ours is status 13 and tells nothing but that', async () => {
  const { answer, logLines } = await callThe(failing(new Error('a secret of the inside')))
  assert.deepEqual([answer.status, answer.errorMessage], [13, 'internal server error'])
  assert.ok(logLines.some((line) => line.includes('a secret of the inside')))
})

test('a rate limit is status 8 with the time to wait, in both places that exporters read', async () => {
  const { answer } = await callThe(failing(new PublicError('rate_limited', 'wait', 2_500)))
  assert.equal(answer.status, 8)
  // RetryInfo { retry_delay { seconds: 2, nanos: 500000000 } }
  const retryInfo = Buffer.from('0a08080210' + '80cab5ee01', 'hex')
  assert.equal(answer.headers['google.rpc.retryinfo-bin'], retryInfo.toString('base64').replace(/=+$/, ''))
  const details = Buffer.from(String(answer.headers['grpc-status-details-bin']), 'base64')
  const anyOf = Buffer.from('type.googleapis.com/google.rpc.RetryInfo')
  assert.ok(details.includes(anyOf) && details.includes(retryInfo))
  assert.deepEqual([...details.subarray(0, 8)], [8, 8, 18, 4, ...Buffer.from('wait')])
})

test('a limit that waiting does not help against is status 8 without a time, which is final', async () => {
  const { answer } = await callThe(failing(new PublicError('limit_reached', 'full')))
  assert.deepEqual([answer.status, answer.errorMessage], [8, 'full'])
  assert.equal(answer.headers['grpc-status-details-bin'], undefined)
})
