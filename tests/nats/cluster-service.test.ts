import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeTraces } from '../otlp/encode-traces.ts'
import { type NatsServers, skipWithoutNats, startNats } from '../support/nats-server.ts'
import { emptyDatabase } from '../support/postgres-store.ts'
import { startService, type TestService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts'

const SETUP = {
  external_id: 'cluster',
  selector: [{ key: 'gen_ai.system', operator: 'equals', value: 'openai', source: 'span_attributes' }],
  evaluators: ['char-count'],
}

describe('a service of several processes with a stream and a database', { skip: skipWithoutNats }, () => {
  let servers: NatsServers
  let database: TcpProxy
  let ingest: TestService
  let workers: TestService[]
  let api: TestService

  before(async () => {
    servers = await startNats(3)
  })
  after(() => servers.stop())

  test('spans that were answered 200 are stored and evaluated once, through every kind of trouble', async () => {
    database = await openTcpProxy(await emptyDatabase())
    const start = (role: string) =>
      startService({
        ASSAY_DATABASE_URL: database.url,
        ASSAY_NATS_URL: servers.urls.join(','),
        ASSAY_NATS_SYNC: 'always',
        ASSAY_NATS_BYTES_MAX: '100000000',
        ASSAY_SETUP_REST_MS: '0',
        ASSAY_ROLE: role,
      })
    api = await start('api')
    ingest = await start('ingest')
    workers = [await start('worker'), await start('worker')]
    const created = await api.call('POST', '/v2/auto-monitor-setups', { body: SETUP })
    assert.equal(created.status, 201, created.text)

    await sendSpans(ingest, [chatSpan('first')])
    await untilStatus(api, 'cluster', 'completed')
    await untilEvaluated(['first'])

    // The same request again is stored once.
    const request = encodeTraces([{ scopes: [{ spans: [chatSpan('again')] }] }])
    for (let time = 0; time < 3; time++) {
      const sent = await ingest.call('POST', '/v1/traces', {
        body: request,
        headers: { 'content-type': 'application/x-protobuf' },
      })
      assert.equal(sent.status, 200)
    }
    await untilEvaluated(['again', 'first'])

    // The database is away, and a server of the stream dies meanwhile.
    database.cut()
    for (let number = 0; number < 5; number++) await sendWithRetries(`meanwhile ${number}`)
    assert.equal((await ingest.call('GET', '/readyz')).status, 200)
    await servers.nodes[0]?.kill()
    await sendWithRetries('without a server')
    database.mend()
    await servers.nodes[0]?.restart()
    const all = [
      'again',
      'first',
      ...[0, 1, 2, 3, 4].map((number) => `meanwhile ${number}`),
      'without a server',
    ]
    await untilEvaluated(all)

    let metrics = ''
    await eventually(async () => {
      metrics = (await workers[0]?.call('GET', '/metrics'))?.text ?? ''
      return /^assay_stream_lag_messages 0$/m.test(metrics)
    }, 'nothing waits')
    assert.match(metrics, /^assay_stream_parked 0$/m)
    assert.match(metrics, /^assay_stream_redelivered_total \d+$/m)
  })

  async function sendWithRetries(name: string): Promise<void> {
    await eventually(
      () =>
        sendSpans(ingest, [chatSpan(name)]).then(
          () => true,
          () => false,
        ),
      `${name} is taken`,
    )
  }

  /** Waits for exactly these spans, each evaluated once. */
  async function untilEvaluated(names: readonly string[]): Promise<void> {
    const wanted = names.map((name) => idsOf(name).span_id).sort()
    await eventually(
      async () => {
        const { json } = await api.call('GET', '/v2/evaluations?external_id=cluster&limit=100')
        const found: string[] = (json?.evaluations ?? []).map((each: { span_id: string }) => each.span_id)
        return JSON.stringify(found.sort()) === JSON.stringify(wanted)
      },
      `evaluated: ${names.join(', ')}`,
    )
  }
})
