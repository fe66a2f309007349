import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const STATUS = '/v2/monitoring/status'
const service = await startService()

test('200 is an error without data as long as nothing was evaluated', async () => {
  const { json } = await service.call('GET', STATUS)
  const { organization_id: organization, project, ...rest } = json
  assert.ok(organization.length > 0 && project.length > 0)
  assert.deepEqual(rest, {
    lag_in_seconds: 0,
    lag_in_spans: 0,
    status: 'ERROR',
    reasons: ['NO_EVALUATION_DATA'],
  })
  await sendSpans(service, [newSpan({ answer: 'nobody wants it' })])
  const { latest_span_received: received, ...others } = (await service.call('GET', STATUS)).json
  assert.ok(Math.abs(Date.parse(received) - Date.now()) < 600_000)
  assert.deepEqual(others, json)
})

test('200 is fine when everything that some monitor wants is evaluated', async () => {
  await createGroupSetup(service, 's', { evaluators: ['char-count', 'word-count'] })
  await sendSpans(service, [newSpan({ answer: 'text', attributes: { [GROUP]: 's' } })])
  await resultsOf(service, 's', 2)
  await sendSpans(service, [newSpan({ answer: 'nobody wants it' })])
  const status = await until(service, STATUS, ({ lag_in_spans: waiting }) => waiting === 0)
  assert.equal(status.status, 'OK')
  assert.equal(status.lag_in_seconds, 0)
  assert.deepEqual(status.reasons, [])
  assert.equal(status.evaluated_up_to, status.latest_span_received)
  assert.ok(!('environment' in status))
})

test('200 tells one environment alone', async () => {
  const { json } = await service.call('GET', `${STATUS}?environment=prd`)
  assert.equal(json.environment, 'prd')
  assert.equal(json.status, 'OK')
})

test('400 names an environment that the project does not have', async () => {
  assertError(
    await service.call('GET', `${STATUS}?environment=nowhere`),
    400,
    'invalid input: environment must be one of prd',
  )
})
