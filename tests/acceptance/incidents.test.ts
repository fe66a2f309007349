import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FALLING_SETUP, sendFallingSpans, untilIncident } from '../support/falling-spans.ts'
import { startService } from '../support/service.ts'
import { eventually, idsOf } from '../support/spans.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function ask(method: string, path: string, body?: Json, options = {}): Promise<Json> {
  const answer = await service.call(method, path, { ...(body ? { body } : {}), ...options })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

assert.equal((await service.call('POST', '/v2/auto-monitor-setups', { body: FALLING_SETUP })).status, 201)
const fallMs = await sendFallingSpans(service)
const { id } = await untilIncident(service)

test('200 an incident says when the pass rate fell, by how much, and what changed then', async () => {
  const incident = await ask('GET', `/v2/incidents/${id}`)
  assert.equal(incident.application, 'shop')
  assert.equal(incident.state, 'open')
  const onsetMs = Date.parse(incident.onset_at)
  assert.ok(Math.abs(onsetMs - fallMs) <= 15 * 60_000, incident.onset_at)
  const [monitor] = incident.monitors
  assert.equal(monitor.evaluator_type, 'pii-detector')
  assert.ok(monitor.before.pass_rate > 0.9 && monitor.after.pass_rate < 0.6, JSON.stringify(monitor))
  assert.ok(monitor.false_chance <= 0.01)
  const values = incident.changes.values.map(({ property, value }: Json) => `${property} ${value}`)
  assert.ok(values.includes('service_version 2.0.0') && values.includes('model gpt-mini'), values.join())
  assert.deepEqual(
    incident.changes.deployments.map(({ version }: Json) => version),
    ['2.0.0'],
  )
  assert.ok(incident.examples.length > 0)
  for (const example of incident.examples) {
    assert.equal(example.verdict, 'fail')
    assert.equal(example.preview.input, 'Where is my parcel?')
  }
  assert.ok(incident.points.length > 20)
  assert.deepEqual(
    incident.events.map(({ kind }: Json) => kind),
    ['opened'],
  )
})

test('200 an application has its pass rate, what fails and why, and no rate where nothing was judged', async () => {
  const { applications } = await ask('GET', '/v2/applications')
  const [shop, ...others] = applications
  assert.deepEqual(others, [])
  assert.equal(shop.name, 'shop')
  assert.equal(shop.open_incidents, 1)
  assert.ok(shop.judged.pass > 0 && shop.judged.fail > 30, JSON.stringify(shop.judged))
  assert.equal(shop.judged.pass_rate, shop.judged.pass / (shop.judged.pass + shop.judged.fail))
  assert.equal(shop.evaluations, shop.judged.pass + shop.judged.fail)
  assert.ok(shop.previous.pass > 0)
  const empty = shop.points.filter(({ pass, fail }: Json) => pass + fail === 0)
  assert.ok(empty.every((point: Json) => point.pass_rate === null))
  const [reason] = shop.reasons
  assert.equal(reason.evaluator_type, 'pii-detector')
  assert.equal(reason.verdict_label, 'Personal data found')
  assert.equal(reason.count, shop.reasons_sampled)
  assert.equal(shop.failing_monitors[0].fail, shop.judged.fail)
  const later = await ask('GET', '/v2/applications?from=2000-01-01T00:00:00Z&to=2000-01-02T00:00:00Z')
  assert.equal(later.applications[0].judged.pass_rate, null)
})

test('400 names the parameter that is wrong', async () => {
  assertError(await service.call('GET', '/v2/incidents?state=gone'), 400, /state/)
  assertError(await service.call('GET', '/v2/incidents?limit=0'), 400, /limit/)
  assertError(await service.call('GET', '/v2/incidents?cursor=x'), 400, /cursor/)
  assertError(await service.call('GET', '/v2/applications?limit=1000'), 400, /limit/)
  assertError(
    await service.call('GET', '/v2/applications?from=2026-01-01T00:00:00Z&to=2026-06-01T00:00:00Z'),
    400,
    /from/,
  )
  const reason = 'x'.repeat(2_001)
  assertError(await service.call('POST', `/v2/incidents/${id}/dismiss`, { body: { reason } }), 400, /reason/)
})

test('404 for an incident that is not there', async () => {
  assertError(await service.call('GET', '/v2/incidents/none'), 404, /incident not found/)
  assertError(await service.call('POST', '/v2/incidents/none/dismiss', { body: {} }), 404, /not found/)
})

test('200 a deleted trace leaves the examples', async () => {
  const { examples } = await ask('GET', `/v2/incidents/${id}`)
  const traceId = examples[0].trace_id
  assert.notEqual(traceId, idsOf('nothing').trace_id)
  const deleted = await service.call('DELETE', `/v2/traces/${traceId}`)
  assert.ok(deleted.status >= 200 && deleted.status < 300, deleted.text)
  await eventually(async () => {
    const left = (await ask('GET', `/v2/incidents/${id}`)).examples
    return !left.some((example: Json) => example.trace_id === traceId)
  }, 'the example is gone')
})

test('200 a person dismisses an incident and opens it again', async () => {
  const body = { actor: 'Ada', reason: 'A planned test' }
  const dismissed = await ask('POST', `/v2/incidents/${id}/dismiss`, body)
  assert.equal(dismissed.state, 'dismissed')
  const { kind, actor, reason } = dismissed.events.at(-1)
  assert.deepEqual({ kind, actor, reason }, { kind: 'dismissed', ...body })
  assert.deepEqual((await ask('GET', '/v2/incidents?state=open')).incidents, [])
  assert.equal((await ask('GET', '/v2/incidents?state=dismissed&application=shop')).incidents.length, 1)
  assert.equal((await ask('POST', `/v2/incidents/${id}/reopen`, {})).state, 'open')
})
