import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertError, SETUPS, setupPath } from '../acceptance/setup-calls.ts'
import { emptyDatabase } from '../support/postgres-store.ts'
import { startService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'

const url = await emptyDatabase()
const start = (role: string) =>
  startService({ ASSAY_DATABASE_URL: url, ASSAY_ROLE: role, ASSAY_SETUP_REST_MS: '0' })
const api = await start('api')
const [ingest, otherIngest, worker] = await Promise.all([start('ingest'), start('ingest'), start('worker')])

const evaluationsOf = async (name: string) => {
  const { json } = await api.call('GET', `/v2/evaluations?trace_id=${idsOf(name).trace_id}`)
  return json.evaluations as { external_id: string; output: unknown }[]
}

test('each role serves its part and tells how it is', async () => {
  for (const service of [api, ingest, worker]) {
    assert.equal((await service.call('GET', '/healthz')).status, 200)
    assert.equal((await service.call('GET', '/readyz')).status, 200)
    assert.equal((await service.call('GET', '/metrics')).status, 200)
  }
  assert.equal((await api.call('GET', SETUPS)).status, 200)
  assertError(await ingest.call('GET', SETUPS), 404)
  assertError(await worker.call('GET', SETUPS), 404)
  for (const service of [api, worker])
    assertError(await service.call('POST', '/v1/traces', { body: '{}' }), 404)
})

test('spans that one process takes in are evaluated by another and shown by a third', async () => {
  await api.call('POST', SETUPS, { body: { external_id: 'all', evaluators: ['char-count'] } })
  await sendSpans(ingest, [chatSpan('first', { completion: 'four' })])
  await untilStatus(api, 'all', 'completed')
  await sendSpans(otherIngest, [chatSpan('second', { completion: 'seventy' })])
  for (const [name, count] of [
    ['first', 4],
    ['second', 7],
  ] as const) {
    const found = await eventually(async () => {
      const evaluations = await evaluationsOf(name)
      return evaluations.length > 0 && evaluations
    }, `${name} is scored`)
    assert.deepEqual(
      found.map(({ output }) => output),
      [{ char_count: count }],
    )
  }
})

test('a setup that was acknowledged is known to every process that takes spans in', async () => {
  const wanted = new Map<string, string>()
  for (let at = 0; at < 30; at++) {
    const value = `value-${at}`
    const body = { external_id: 'changing', evaluators: ['word-count'], selector: { turn: value } }
    const answer =
      at === 0
        ? await api.call('POST', SETUPS, { body })
        : await api.call('PUT', setupPath('changing'), { body })
    assert.ok(answer.status < 300, answer.text)
    const name = `turn ${at}`
    await sendSpans(at % 2 ? ingest : otherIngest, [chatSpan(name, { attributes: { turn: value } })])
    wanted.set(name, value)
  }
  // Every span is matched by exactly the version that was acknowledged before it was sent.
  await eventually(async () => {
    const explained = await Promise.all([...wanted.keys()].map((name) => isMatched(name, 'changing')))
    return explained.every(Boolean)
  }, 'every span was matched by the version of its turn')
})

async function isMatched(name: string, externalId: string): Promise<boolean> {
  const { trace_id: traceId, span_id: spanId } = idsOf(name)
  const { json } = await api.call('GET', `/v2/spans/${traceId}/${spanId}/explain?external_id=${externalId}`)
  return JSON.stringify(json).includes('"matched":true')
}

test('a key that was revoked is refused by every process at once', async () => {
  const { json: projects } = await api.call('GET', '/v2/projects')
  const { json: made } = await api.call('POST', '/v2/api-keys', {
    body: { project_id: projects.projects[0].id, scopes: ['ingest'] },
  })
  const key = made.api_key as string
  await sendSpans(ingest, [chatSpan('with a key')], { key })
  assert.equal((await api.call('DELETE', `/v2/api-keys/${made.id}`)).status, 204)
  await assert.rejects(sendSpans(ingest, [chatSpan('without')], { key }), /Unauthorized/)
})

test('what waits is told in seconds and spans', async () => {
  const { text } = await worker.call('GET', '/metrics')
  for (const name of ['assay_work_ready', 'assay_work_lag_spans', 'assay_work_lag_seconds']) {
    for (const kind of ['local', 'judged'])
      assert.match(text, new RegExp(`^${name}{kind="${kind}"} \\d`, 'm'))
  }
  assert.match(text, /^assay_digest_lag_batches \d/m)
})
