import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import { after, test } from 'node:test'
import pg from 'pg'
import { type FakeModel, startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { encodeTraces } from '../otlp/encode-traces.ts'
import { call, FIRST_KEY } from '../support/call.ts'
import { skipWithoutNats, startNats } from '../support/nats-server.ts'
import { emptyDatabase } from '../support/postgres-store.ts'
import type { ServiceProcess } from '../support/process.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { callable, createPoliteness, createSetupOf, untilScored } from '../support/service-calls.ts'
import { chatSpan, eventually, sendSpans, untilStatus } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

/** The time for a few requests, and more of it for a machine that was too busy for them. */
const DRAINS_MS = [4_000, 20_000, 100_000]
/** Requests that are sent while a worker ends; a slow machine has to score them all. */
const REQUESTS_MAX = 200
const SETTINGS = { ASSAY_API_KEY: FIRST_KEY, ASSAY_SETUP_REST_MS: '0' }

for (const store of ['sqlite', 'postgres'] as const) {
  test(`a service that was told to end serves on while it says so, and loses nothing: ${store}`, async () => {
    for (const drainMs of DRAINS_MS) if (await drainsWithin(drainMs, store)) return
    assert.fail('a few requests took longer than the longest drain')
  })
}

/** False when the machine was so busy that the service had ended before a few requests were made. */
async function drainsWithin(drainMs: number, store: 'sqlite' | 'postgres'): Promise<boolean> {
  const env = {
    ...SETTINGS,
    ASSAY_DATA_DIR: temporaryDirectory(),
    ASSAY_DRAIN_MS: String(drainMs),
    // The request that is under way when it ends may take its time too.
    ASSAY_SHUTDOWN_MS: '300000',
    ...(store === 'postgres' ? { ASSAY_DATABASE_URL: await emptyDatabase() } : {}),
  }
  const first = await spawnTestService(env)
  await createSetupOf(first, 'all', 'char-count')
  await sendSpans(callable(first), [chatSpan('before')])
  await untilStatus(callable(first), 'all', 'completed')
  const slow = await beginSlowRequest(first)

  const toldAt = performance.now()
  const ended = first.end('SIGTERM')
  await eventually(async () => first.output().includes('shutting down'), 'it is told')
  const during = async () => [
    (await call(first.url, 'GET', '/readyz')).status,
    (await call(first.url, 'GET', '/healthz')).status,
    await sendSpans(callable(first), [chatSpan('during')]),
  ]
  const answers = await during().catch((error: Error) => error)
  if (performance.now() - toldAt >= drainMs) return false
  assert.deepEqual(answers, [503, 200, undefined])
  await eventually(() => refusesConnections(first), 'it takes nothing more')
  assert.ok(performance.now() - toldAt >= drainMs, 'it served for as long as it was told to')
  const answer = await slow.finish([chatSpan('slow')])
  assert.equal(answer.statusCode, 200)
  assert.equal(await ended, 0, first.output())

  const second = await spawnTestService({ ...env, ASSAY_DRAIN_MS: '0' })
  for (const name of ['before', 'during', 'slow']) await untilScored(second, name, ['all'])
  assert.equal(await second.end('SIGTERM'), 0)
  return true
}

test('a worker that was told to end gives back what it asks a judge about, and another goes on at once', async () => {
  const { url, env, api, model } = await startJudged()
  const worker = await spawnTestService({ ...env, ASSAY_ROLE: 'worker' })
  await untilStatus(callable(api), 'judged', 'completed')
  await eventually(async () => model.requests.length > 0, 'the judge is asked')

  assert.equal(await worker.end('SIGTERM'), 0, worker.output())
  assert.deepEqual(await heldWork(url), [{ held: 0, waiting: 1 }])

  model.script({ content: { is_polite: true } })
  await spawnTestService({ ...env, ASSAY_ROLE: 'worker' })
  // This does not wait for as long as a lease lasts.
  await untilScored(api, 'judged', ['judged'])
})

test('a worker that was told to end holds no batch when it is gone, and another scores the rest', async () => {
  const url = await emptyDatabase()
  const env = { ...SETTINGS, ASSAY_DATABASE_URL: url, ASSAY_DATA_DIR: temporaryDirectory() }
  const api = await spawnTestService({ ...env, ASSAY_ROLE: 'api' })
  const [ingest, worker] = await Promise.all([
    spawnTestService({ ...env, ASSAY_ROLE: 'ingest' }),
    spawnTestService({ ...env, ASSAY_ROLE: 'worker' }),
  ])
  await createSetupOf(api, 'all', 'char-count')
  await sendSpans(callable(ingest), [chatSpan('first')])
  await untilStatus(callable(api), 'all', 'completed')
  const names = Array.from({ length: 60 }, (_, at) => `span ${at}`)
  const sent = Promise.all(names.map((name) => sendSpans(callable(ingest), [chatSpan(name)])))
  await eventually(async () => (await evaluationCount(api)) > 1, 'it is in the middle of them')
  assert.equal(await worker.end('SIGTERM'), 0, worker.output())
  assert.equal((await heldWork(url))[0]?.held, 0)

  await sent
  await spawnTestService({ ...env, ASSAY_ROLE: 'worker' })
  for (const name of names) await untilScored(api, name, ['all'])
})

test('a worker that was told to end leaves nothing in the stream to wait for it', {
  skip: skipWithoutNats,
}, async () => {
  const servers = await startNats()
  after(() => servers.stop())
  const env = {
    ...SETTINGS,
    ASSAY_DATABASE_URL: await emptyDatabase(),
    ASSAY_DATA_DIR: temporaryDirectory(),
    ASSAY_NATS_URL: servers.urls.join(','),
    ASSAY_NATS_BYTES_MAX: '100000000',
  }
  const api = await spawnTestService({ ...env, ASSAY_ROLE: 'api' })
  const [ingest, worker] = await Promise.all([
    spawnTestService({ ...env, ASSAY_ROLE: 'ingest' }),
    spawnTestService({ ...env, ASSAY_ROLE: 'worker' }),
  ])
  await createSetupOf(api, 'all', 'char-count')
  await sendSpans(callable(ingest), [chatSpan('first')])
  await untilStatus(callable(api), 'all', 'completed')
  const sending = keepSending(ingest)
  await eventually(async () => (await evaluationCount(api)) > 1, 'it is in the middle of them')
  assert.equal(await worker.end('SIGTERM'), 0, worker.output())
  const sent = await sending.stop()
  const other = await spawnTestService({ ...env, ASSAY_ROLE: 'worker' })
  await eventually(
    async () => (await countRows(env.ASSAY_DATABASE_URL, 'evaluations')) === sent + 1,
    'each span is scored, once',
  )
  const { text } = await call(other.url, 'GET', '/metrics')
  assert.match(text, /^assay_stream_redelivered_total 0$/m)
})

/** A setup with a judge who is asked and does not answer, and a span that waits for that. */
async function startJudged() {
  const model: FakeModel = await startFakeModel({ answer: () => ({ delayMs: 600_000 }) })
  after(() => model.close())
  const url = await emptyDatabase()
  const env = {
    ...SETTINGS,
    ASSAY_DATABASE_URL: url,
    ASSAY_DATA_DIR: temporaryDirectory(),
    ASSAY_JUDGE_BASE_URL: model.url,
    ASSAY_JUDGE_API_KEY: 'sk-test',
  }
  const api = await spawnTestService({ ...env, ASSAY_ROLE: 'api' })
  await createPoliteness(api)
  await createSetupOf(api, 'judged', 'politeness')
  const ingest = await spawnTestService({ ...env, ASSAY_ROLE: 'ingest' })
  await sendSpans(callable(ingest), [chatSpan('judged')])
  return { url, env, api, model }
}

/** A request whose body is asked for and has not come yet. */
async function beginSlowRequest({ url }: ServiceProcess) {
  const request = http.request(`${url}/v1/traces`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${FIRST_KEY}`,
      'content-type': 'application/x-protobuf',
      expect: '100-continue',
    },
  })
  request.flushHeaders()
  await once(request, 'continue')
  return {
    async finish(spans: Parameters<typeof sendSpans>[1]): Promise<http.IncomingMessage> {
      request.end(encodeTraces([{ resource: { 'service.name': 'shop' }, scopes: [{ spans }] }]))
      const [response] = (await once(request, 'response')) as [http.IncomingMessage]
      response.resume()
      return response
    },
  }
}

async function refusesConnections({ url }: ServiceProcess): Promise<boolean> {
  return call(url, 'GET', '/healthz', { headers: { connection: 'close' } }).then(
    () => false,
    () => true,
  )
}

async function evaluationCount({ url }: ServiceProcess): Promise<number> {
  const { json } = await call(url, 'GET', '/v2/evaluations?limit=10')
  return json.evaluations.length
}

/** Sends requests, several at a time, so that there is always something under way. */
function keepSending(service: ServiceProcess) {
  let isStopped = false
  let sent = 0
  const senders = Array.from({ length: 8 }, async () => {
    while (!isStopped && sent < REQUESTS_MAX) await sendSpans(callable(service), [chatSpan(`span ${sent++}`)])
  })
  return {
    async stop(): Promise<number> {
      isStopped = true
      await Promise.all(senders)
      return sent
    },
  }
}

async function countRows(url: string, table: string): Promise<number> {
  const [row] = await query<{ count: number }>(url, `SELECT count(*)::int AS count FROM ${table}`)
  return row?.count ?? 0
}

/** How many pieces of work are leased, and how many wait. */
function heldWork(url: string) {
  return query<{ held: number; waiting: number }>(
    url,
    `SELECT count(*) FILTER (WHERE state = 1)::int AS held, count(*) FILTER (WHERE state = 0)::int AS waiting
     FROM work`,
  )
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
