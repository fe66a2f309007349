import assert from 'node:assert/strict'
import { once } from 'node:events'
import http2 from 'node:http2'
import { after, test } from 'node:test'
import { framed, grpcCall } from '../../../tests/support/grpc-call.ts'
import { rawConnection } from '../../../tests/support/raw-connection.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { eventually } from '../../../tests/support/spans.ts'
import { BodyBudget } from '../body-budget.ts'
import { ConnectionTable } from '../connections/connection-table.ts'
import { LISTENER_TIMES, type ListenerTimes } from '../connections/create-listener.ts'
import { type GrpcDeps, GrpcServer } from './grpc-server.ts'

const BUDGET_BYTES = 1_000

async function listen(times: Partial<ListenerTimes> = {}) {
  const connections = new ConnectionTable({
    connectionsMax: 10,
    connectionsPerAddressMax: 10,
    trustedProxies: [],
  })
  const bodies = new BodyBudget(BUDGET_BYTES)
  const deps = {
    senders: {
      system: {
        findPrincipal: async (secretHash: string) => ({
          principal: { orgId: 'org', permissions: ['ingest'] },
          secretHash,
        }),
      },
    },
    logger: recordingLogger([]),
    metrics: { countGrpcCall() {} },
    bodies,
    listener: { connections, ...LISTENER_TIMES, ...times },
  } as unknown as GrpcDeps
  const server = new GrpcServer(new Map([['/it', async () => Buffer.alloc(0)]]), deps, 1_024)
  const address = await server.listen(0, '127.0.0.1')
  const url = `http://127.0.0.1:${address?.port}`
  const connect = () => {
    const session = http2.connect(url)
    session.on('error', () => {})
    after(() => session.destroy())
    return session
  }
  after(() => server.close(0))
  return { url, connect, connections, bodies }
}

const until = (happens: () => boolean, what: string) => eventually(async () => happens(), what)
/** The beginning of a message of 400 bytes. */
const HALF = framed(Buffer.alloc(400)).subarray(0, 100)

test('announced messages beyond the memory for bodies are refused before they are sent, with the time to try again', async () => {
  const { connect, bodies } = await listen()
  const session = connect()
  const half = grpcCall(session, '/it', { parts: [HALF, 'open'] })
  half.catch(() => {})
  await until(() => bodies.bytes === 400, 'the first message is announced')
  const refused = await grpcCall(session, '/it', { parts: [HALF, 'open'] })
  assert.equal(refused.status, 14)
  const details = Buffer.from(String(refused.headers['grpc-status-details-bin']), 'base64').toString('latin1')
  assert.match(details, /google\.rpc\.RetryInfo/)
  session.destroy()
  await until(() => bodies.bytes === 0, 'the memory is given back')
})

test('a message that does not arrive in time ends with status 4 and gives its memory back', async () => {
  const { connect, bodies } = await listen({ bodyMsMax: 100 })
  const answer = await grpcCall(connect(), '/it', { parts: [HALF, 'open'] })
  assert.equal(answer.status, 4)
  await until(() => bodies.bytes === 0, 'the memory is given back')
})

test('a connection without calls is closed, though its client keeps its side open', async () => {
  const { url, connections } = await listen({ headersMsMax: 50 })
  await rawConnection(url, '')
  await rawConnection(url, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', { reads: false })
  await until(() => connections.size === 0, 'both are gone')
})

test('an idle connection is told to go', async () => {
  const { connect, connections } = await listen({ idleMsMax: 20 })
  const session = connect()
  assert.equal((await grpcCall(session, '/it')).status, 0)
  await once(session, 'goaway')
  await until(() => connections.size === 0, 'it is gone')
})

test('headers that are too large are refused', async () => {
  const { connect } = await listen()
  await assert.rejects(grpcCall(connect(), '/it', { headers: { 'x-long': 'x'.repeat(100_000) } }))
  assert.equal((await grpcCall(connect(), '/it')).status, 0)
})
