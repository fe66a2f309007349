import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService, type TestService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'
import { createSetup, readSetup, setupPath } from './setup-calls.ts'

const service = await startService()

/** A selector of its own for each setup, so that the tests of this file do not meet. */
const onlyTenant = (name: string) => [
  { key: 'tenant', value: name, source: 'span_attributes', operator: 'equals' },
]
const spanOf = (tenant: string, name: string, attributes: Record<string, string> = {}) =>
  chatSpan(`${tenant} ${name}`, { attributes: { tenant, ...attributes } })

interface Shown {
  status: string
  trace_id: string
  span_id: string
  output?: Record<string, unknown>
  error_message?: string
  monitor_id: string
}

async function evaluations(from: TestService, query: string, key?: string): Promise<Shown[]> {
  const answer = await from.call('GET', `/v2/evaluations?limit=1000&${query}`, key ? { key } : {})
  assert.equal(answer.status, 200, answer.text)
  return answer.json.evaluations
}

const untilEvaluated = (externalId: string, count: number) =>
  eventually(async () => {
    const found = await evaluations(service, `external_id=${externalId}`)
    return found.length >= count && found
  }, `${count} evaluations of ${externalId}`)

test('a new setup leaves pending by itself and waits for spans', async () => {
  await createSetup(service, { external_id: 'waits', selector: onlyTenant('waits') })
  const setup = await untilStatus(service, 'waits', 'waiting_for_spans')
  assert.deepEqual(
    setup.evaluators.map((entry: { status: string }) => entry.status),
    ['pending'],
  )
})

test('spans that match complete the setup, and every one of them is scored, also those before the monitor', async () => {
  await createSetup(service, {
    external_id: 'completes',
    evaluators: ['char-count', 'word-count'],
    selector: onlyTenant('completes'),
  })
  const answers = ['one', 'two words', 'and three words']
  const spans = answers.map((completion, at) =>
    chatSpan(`completes ${at}`, { completion, attributes: { tenant: 'completes' } }),
  )
  await sendSpans(service, spans)
  const setup = await untilStatus(service, 'completes', 'completed')
  for (const entry of setup.evaluators) {
    assert.equal(entry.status, 'completed')
    assert.ok(entry.binding_id)
    assert.match(entry.processed_at, /^\d{4}-.*Z$/)
  }
  await sendSpans(service, [
    chatSpan('completes 3', { completion: 'x', attributes: { tenant: 'completes' } }),
  ])
  const found = await untilEvaluated('completes', 8)
  assert.equal(found.length, 8)
  for (const [at, text] of [...answers, 'x'].entries()) {
    const ids = idsOf(`completes ${at}`)
    const outputs = found.filter(({ span_id }) => span_id === ids.span_id).map(({ output }) => output)
    assert.deepEqual(Object.assign({}, ...outputs), {
      char_count: text.length,
      word_count: text.split(' ').length,
    })
  }
})

test('the same batch sent five times gives one score per span', async () => {
  await createSetup(service, { external_id: 'repeats', selector: onlyTenant('repeats') })
  const spans = Array.from({ length: 20 }, (_, at) => spanOf('repeats', String(at)))
  for (let times = 0; times < 5; times++) await sendSpans(service, spans)
  // A later span is scored after all of them, so nothing is still on its way when it is there.
  await untilEvaluated('repeats', 20)
  await sendSpans(service, [spanOf('repeats', 'last')])
  const found = await untilEvaluated('repeats', 21)
  assert.equal(found.length, 21)
  assert.equal(new Set(found.map(({ span_id }) => span_id)).size, 21)
})

test('an input that no span can give fails its entry and says how to supply it; the others are bound', async () => {
  await createSetup(service, {
    external_id: 'partial',
    evaluators: ['char-count', 'answer-correctness'],
    selector: onlyTenant('partial'),
  })
  await sendSpans(service, [spanOf('partial', '1')])
  const setup = await untilStatus(service, 'partial', 'partial')
  const [bound, failed] = setup.evaluators
  assert.equal(bound.status, 'completed')
  assert.equal(failed.status, 'failed')
  assert.match(failed.error_message, /ground_truth.*evaluator_configs\[\]\.mapping/)
  assert.equal(failed.binding_id, undefined)
  await untilEvaluated('partial', 1)
})

test('a setup heals when a later span brings what was missing', async () => {
  await createSetup(service, {
    external_id: 'heals',
    selector: onlyTenant('heals'),
    evaluator_configs: [
      { slug: 'char-count', mapping: { text: { source: 'span_attributes', key: 'app.answer' } } },
    ],
  })
  await sendSpans(service, [spanOf('heals', 'without')])
  const failed = await untilStatus(service, 'heals', 'failed')
  assert.match(failed.evaluators[0].error_message, /app\.answer/)
  await sendSpans(service, [spanOf('heals', 'with', { 'app.answer': 'hello' })])
  const healed = await untilStatus(service, 'heals', 'completed')
  assert.equal(healed.evaluators[0].error_message, undefined)
  const found = await untilEvaluated('heals', 2)
  const statuses = Object.fromEntries(found.map((row) => [row.span_id, row]))
  assert.deepEqual(statuses[idsOf('heals with').span_id]?.output, { char_count: 5 })
  const without = statuses[idsOf('heals without').span_id]
  assert.deepEqual([without?.status, without?.output], ['missing_input', undefined])
})

test('a judged evaluator without any judge fails its entry and says how to get one', async () => {
  const judgeless = await startService({ ASSAY_EMBEDDED_JUDGE: 'off' })
  await createSetup(judgeless, { external_id: 'judged', evaluators: ['answer-relevancy'] })
  await sendSpans(judgeless, [chatSpan('judged')])
  const setup = await untilStatus(judgeless, 'judged', 'failed')
  assert.match(
    setup.evaluators[0].error_message,
    /needs a judge and none is configured: set ASSAY_JUDGE_MODEL/,
  )
})

test('PUT stops the old monitor at once and keeps its history; the same definition gives the same monitor', async () => {
  await createSetup(service, { external_id: 'put', selector: onlyTenant('put') })
  await sendSpans(service, [spanOf('put', '1')])
  const before = await untilStatus(service, 'put', 'completed')
  await untilEvaluated('put', 1)

  await service.call('PUT', setupPath('put'), { body: { evaluators: ['char-count'] } })
  const again = await untilStatus(service, 'put', 'completed')
  assert.equal(again.evaluators[0].binding_id, before.evaluators[0].binding_id)

  await service.call('PUT', setupPath('put'), { body: { evaluators: ['word-count'] } })
  await sendSpans(service, [spanOf('put', '2')])
  const after = await untilStatus(service, 'put', 'completed')
  assert.notEqual(after.evaluators[0].binding_id, before.evaluators[0].binding_id)
  const found = await untilEvaluated('put', 2)
  assert.deepEqual(
    found.map(({ output }) => output),
    [{ word_count: 2 }, { char_count: 13 }],
  )
})

test('a deleted setup scores nothing more', async () => {
  await createSetup(service, { external_id: 'deleted', selector: onlyTenant('deleted') })
  await createSetup(service, { external_id: 'stays', selector: onlyTenant('deleted') })
  await sendSpans(service, [spanOf('deleted', '1')])
  await untilStatus(service, 'deleted', 'completed')
  const { evaluators } = await readSetup(service, 'deleted')
  await eventually(async () => {
    const found = await evaluations(service, `monitor_id=${evaluators[0].binding_id}`)
    return found.length === 1
  }, 'the first span is scored')
  await service.call('DELETE', setupPath('deleted'))
  await sendSpans(service, [spanOf('deleted', '2')])
  await untilEvaluated('stays', 2)
  assert.equal((await evaluations(service, `monitor_id=${evaluators[0].binding_id}`)).length, 1)
})

test('a setup matches only spans of the environment that it was made in', async () => {
  const projects = await service.call('GET', '/v2/projects')
  const { id } = projects.json.projects[0]
  await service.call('POST', `/v2/projects/${id}/environments`, { body: { slug: 'stg' } })
  const made = await service.call('POST', '/v2/api-keys', {
    body: { name: 'stg', project_id: id, environment: 'stg' },
  })
  const key = made.json.api_key as string
  await createSetup(service, { external_id: 'here', selector: onlyTenant('environments') })
  await createSetup(service, { external_id: 'there', selector: onlyTenant('environments') }, key)
  await sendSpans(service, [spanOf('environments', 'there')], { key })
  await sendSpans(service, [spanOf('environments', 'here')])
  for (const name of ['here', 'there']) {
    const found = await untilEvaluated(name, 1)
    assert.deepEqual(
      found.map(({ span_id }) => span_id),
      [idsOf(`environments ${name}`).span_id],
    )
  }
})

test("a judge's own calls are never scored", async () => {
  await createSetup(service, { external_id: 'loop', selector: onlyTenant('loop') })
  await sendSpans(service, [
    spanOf('loop', 'judge', { 'assay.judge': 'answer-relevancy' }),
    spanOf('loop', 'plain'),
  ])
  await untilEvaluated('loop', 1)
  await sendSpans(service, [spanOf('loop', 'last')])
  const found = await untilEvaluated('loop', 2)
  assert.ok(!found.some(({ span_id }) => span_id === idsOf('loop judge').span_id))
})

test('sampling leaves whole traces out, always the same ones, and counts them', async () => {
  const config = { slug: 'char-count', sampling_rate: 0.5 }
  for (const externalId of ['sampled', 'sampled-again']) {
    await createSetup(service, {
      external_id: externalId,
      selector: onlyTenant('sampled'),
      evaluator_configs: [config],
    })
  }
  await sendSpans(
    service,
    Array.from({ length: 200 }, (_, at) => spanOf('sampled', String(at))),
  )
  const counts = async (externalId: string) => {
    const { json } = await service.call('GET', `/v2/monitors?external_id=${externalId}`)
    return json.monitors?.[0]?.counts as Record<string, number> | undefined
  }
  for (const externalId of ['sampled', 'sampled-again']) {
    await eventually(async () => {
      const { scored = 0, sampled_out = 0 } = (await counts(externalId)) ?? {}
      return scored + sampled_out === 200
    }, 'all spans are accounted for')
  }
  const spans = async (externalId: string) =>
    (await evaluations(service, `external_id=${externalId}`)).map(({ span_id }) => span_id).toSorted()
  const sampled = await spans('sampled')
  assert.ok(sampled.length > 60 && sampled.length < 140, String(sampled.length))
  assert.deepEqual(await spans('sampled-again'), sampled)
})

test('spans that come late and out of order are scored like any other', async () => {
  await createSetup(service, { external_id: 'late', selector: onlyTenant('late') })
  const dayNano = 86_400_000_000_000n
  const spans = [0n, 3n, 1n].map((days, at) => {
    const span = spanOf('late', String(at))
    const startUnixNano = (span.startUnixNano ?? 0n) - days * dayNano
    return { ...span, startUnixNano, endUnixNano: startUnixNano + 1_000n }
  })
  for (const span of spans) await sendSpans(service, [span])
  assert.equal((await untilEvaluated('late', 3)).length, 3)
})

test('a span of 5 MB is taken, stored and scored', async () => {
  await createSetup(service, { external_id: 'large', selector: onlyTenant('large') })
  const completion = 'a'.repeat(5_000_000)
  await sendSpans(service, [chatSpan('large', { completion, attributes: { tenant: 'large' } })])
  const [found] = await untilEvaluated('large', 1)
  assert.deepEqual(found?.output, { char_count: 5_000_000 })
})

test('as many spans as the setting asks for are awaited', async () => {
  const patient = await startService({ ASSAY_BINDING_SPANS_MIN: '3' })
  await createSetup(patient, { external_id: 'patient' })
  await sendSpans(patient, [spanOf('patient', '1'), spanOf('patient', '2')])
  await untilStatus(patient, 'patient', 'waiting_for_spans')
  await sendSpans(patient, [spanOf('patient', '3')])
  await untilStatus(patient, 'patient', 'completed')
  await eventually(
    async () => (await evaluations(patient, 'external_id=patient')).length === 3,
    'all three are scored',
  )
})
