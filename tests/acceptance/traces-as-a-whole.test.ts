import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { newSpan, sendSpans, until } from './result-calls.ts'
import { createSetup } from './setup-calls.ts'

const service = await startService({ ASSAY_SETUP_REST_MS: '0', ASSAY_TRACE_QUIET_MS: '0' })

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

test('200 shows results of a trace and of a session as a whole beside them, and finds traces by them', async () => {
  for (const scope of ['trace', 'session']) {
    const configs = [{ slug: 'char-count', scope }]
    await createSetup(service, {
      external_id: scope,
      evaluator_configs: configs,
      selector: { agent: 'shop' },
    })
  }
  const attributes = { agent: 'shop', 'session.id': 'talk', 'assay.trace.complete': true }
  const span = newSpan({ answer: 'Hello.', attributes })
  await sendSpans(service, [span])
  const { traceId } = span
  const isWhole = (json: Json) => json.evaluations.some((one: Json) => one.scope === 'trace')
  const path = '/v2/traces?session_id=talk'
  await until(service, path, ({ traces }) => traces.length === 1 && isWhole(traces[0]))
  const trace = await until(service, `/v2/traces/${traceId}`, isWhole)
  const found = trace.evaluations.find((one: Json) => one.scope === 'trace')
  assert.deepEqual([found.external_id, found.output, found.span_id], ['trace', { char_count: 6 }, undefined])
  assert.deepEqual(trace.spans[0].evaluations, [])
  const session = await until(service, '/v2/sessions/talk', (json) => json.evaluations.length > 0)
  assert.deepEqual(
    session.evaluations.map((one: Json) => [one.scope, one.external_id, one.output]),
    [['session', 'session', { char_count: 6 }]],
  )
  const { traces } = (await service.call('GET', '/v2/traces?evaluator_type=char-count&min_value=6')).json
  assert.deepEqual(
    traces.map((one: Json) => one.trace_id),
    [traceId],
  )
})
