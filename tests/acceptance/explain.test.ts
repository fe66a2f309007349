import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService, startService } from '../support/service.ts'
import { chatSpan, eventually, idsOf, sendSpans, untilStatus } from '../support/spans.ts'
import { assertError, createSetup, setupPath } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

const service = await startService()
const equals = (key: string, value: string) => ({ key, source: 'span_attributes', operator: 'equals', value })
const named = (name: string) => equals('test.name', name)

function pathOf(name: string, query = ''): string {
  const { trace_id: trace, span_id: span } = idsOf(name)
  return `/v2/spans/${trace}/${span}/explain${query}`
}

async function explain(name: string, query = '', key = FIRST_KEY): Promise<Json> {
  const answer = await service.call('GET', pathOf(name, query), { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const explainSetup = async (name: string, externalId: string): Promise<Json> =>
  (await explain(name, `?external_id=${externalId}`)).setups[0]

const span = (name: string, attributes = {}) =>
  chatSpan(name, { attributes: { 'test.name': name, ...attributes } })

test('200 names the rule that failed, and what the span has instead', async () => {
  const rules = [named('mini'), equals('gen_ai.request.model', 'gpt-4o'), equals('shop', 'x')]
  await createSetup(service, { external_id: 'rules', selector: rules })
  await sendSpans(service, [span('mini', { 'gen_ai.request.model': 'gpt-4o-mini', shop: 4096 })])
  const setup = await explainSetup('mini', 'rules')
  assert.equal(
    setup.summary,
    'not scored: rule 2 of 3 failed: gen_ai.request.model is "gpt-4o-mini" but must equal "gpt-4o"; so did rule 3',
  )
  assert.deepEqual(
    [setup.matched, setup.standing, setup.version, setup.current_version],
    [false, 'decided', 1, 1],
  )
  assert.deepEqual(
    setup.rules.map(({ holds, found }: Json) => [holds, found]),
    [
      [true, [{ key: 'test.name', type: 'string', value: 'mini' }]],
      [false, [{ key: 'gen_ai.request.model', type: 'string', value: 'gpt-4o-mini' }]],
      [false, [{ key: 'shop', type: 'number', value: '4096' }]],
    ],
  )
  assert.equal(setup.rules[1].rule.value, 'gpt-4o')
  assert.deepEqual(
    setup.evaluators.map((one: Json) => [one.evaluator_type, one.outcome, one.work]),
    [['char-count', 'not_matched', undefined]],
  )
})

test('200 says when an attribute is absent, and under which of its names it was found', async () => {
  const absent = { external_id: 'absent', selector: [named('alias'), equals('customer', 'x')] }
  await createSetup(service, absent)
  await createSetup(service, {
    external_id: 'alias',
    selector: [named('alias'), equals('llm.vendor', 'Cohere')],
  })
  await sendSpans(service, [span('alias')])
  assert.match(
    (await explainSetup('alias', 'absent')).summary,
    /rule 2 of 2 failed: customer is absent but must equal "x"$/,
  )
  const setup = await explainSetup('alias', 'alias')
  assert.match(setup.summary, /gen_ai\.system is "openai" but must equal "Cohere"$/)
  assert.equal(setup.rules[1].found[0].key, 'gen_ai.system')
})

test('200 tells the score of a span, and why others of the same setup have none', async () => {
  const evaluator_configs = [{ slug: 'word-count', sampling_rate: 0 }, { slug: 'placeholder-regex' }]
  const body = { evaluators: ['char-count'], evaluator_configs, selector: [named('scored')] }
  await createSetup(service, { external_id: 'scored', ...body })
  await sendSpans(service, [span('scored'), span('bystander')])
  const setup = await eventually(async () => {
    const explained = await explainSetup('scored', 'scored')
    return explained.evaluators[0].outcome === 'scored' && explained
  }, 'the span is scored')
  const [counted, sampled, unbound] = setup.evaluators
  assert.deepEqual(counted.evaluation.output, { char_count: 'Fine, thanks.'.length })
  assert.deepEqual([counted.entry_status, counted.sampling_rate, counted.scope], ['completed', 1, 'span'])
  assert.equal(counted.work.state, 'done')
  const result = await service.call('GET', `/v2/evaluations/${counted.evaluation.id}`)
  assert.equal(result.json.monitor_id, counted.monitor_id)
  assert.deepEqual([sampled.outcome, sampled.sampling_rate], ['sampled_out', 0])
  assert.equal(unbound.outcome, 'binding_failed')
  assert.equal(unbound.entry_status, 'failed')
  assert.match(unbound.entry_error_message, /placeholder/)
  assert.match(
    setup.summary,
    /^matched and scored: char-count: scored at .*; word-count: the sampling number 0\.\d+/,
  )
  assert.match(setup.summary, /placeholder-regex: it has no monitor: /)
  const [other] = (await explainSetup('bystander', 'scored')).evaluators
  assert.deepEqual([other.outcome, other.work, other.evaluation], ['not_matched', undefined, undefined])
  const { sampling_number: number } = await explain('scored')
  assert.ok(number >= 0 && number < 1)
})

test('200 tells that an input is missing in the words of the evaluation', async () => {
  await createSetup(service, { external_id: 'missing', selector: [equals('test.group', 'missing')] })
  const group = { 'test.group': 'missing' }
  await sendSpans(service, [span('full', group)])
  await untilStatus(service, 'missing', 'completed')
  const bare = span('bare', group)
  await sendSpans(service, [{ ...bare, attributes: { 'test.name': 'bare', ...group } }])
  const setup = await eventually(async () => {
    const explained = await explainSetup('bare', 'missing')
    return explained.evaluators[0].outcome === 'missing_input' && explained
  }, 'the span is looked at')
  assert.match(setup.summary, /^matched and not scored: char-count: missing_input \(.*text.*\) at /)
})

test('200 explains spans by the version that decided, after the setup was changed or deleted', async () => {
  const resting = await startRestingService()
  const read = async (name: string, externalId: string) => {
    const answer = await resting.call('GET', pathOf(name, `?external_id=${externalId}`))
    assert.equal(answer.status, 200, answer.text)
    return answer.json.setups
  }
  await createSetup(resting, { external_id: 'moving', selector: [named('moving')] })
  await sendSpans(resting, [span('moving')])
  const [waiting] = await read('moving', 'moving')
  assert.equal(waiting.evaluators[0].outcome, 'not_bound')
  assert.match(
    waiting.summary,
    /^matched and not scored: char-count: it has no monitor yet, the setup is pending$/,
  )
  await resting.call('PUT', setupPath('moving'), { body: { selector: [named('else')] } })
  const [changed] = await read('moving', 'moving')
  assert.deepEqual([changed.matched, changed.version, changed.current_version], [true, 1, 2])
  assert.equal(changed.evaluators[0].outcome, 'cancelled')
  assert.match(
    changed.summary,
    /cancelled: the setup was changed.*Version 1 decided; the setup is at version 2 now$/,
  )
  await resting.call('DELETE', setupPath('moving'))
  const [deleted] = await read('moving', 'moving')
  assert.ok(deleted.deleted_at)
  assert.match(deleted.summary, /\. The setup was deleted at /)
  // Of the same name, one that came later and one that was gone already.
  await createSetup(resting, { external_id: 'moving', selector: [named('moving')] })
  const both = await read('moving', 'moving')
  assert.deepEqual(
    both.map((one: Json) => one.standing),
    ['decided', 'created_later'],
  )
  assert.match(both[1].summary, /^not scored: the setup was created after the span arrived/)
  await sendSpans(resting, [span('next')])
  const [gone] = await read('next', 'moving')
  assert.equal(gone.standing, 'deleted_before')
  assert.match(gone.summary, /^not scored: the setup was deleted at .*, before the span arrived/)
  const listed = await resting.call('GET', pathOf('next'))
  assert.deepEqual(
    listed.json.setups.map((one: Json) => one.standing),
    ['decided'],
  )
})

test('200 tells what a backfill has matched and scored long after the span arrived', async () => {
  await sendSpans(service, [span('backfilled')])
  await createSetup(service, { external_id: 'backfill', selector: [named('backfilled')] })
  const before = await explainSetup('backfilled', 'backfill')
  assert.deepEqual([before.standing, before.matched, before.backfilled], ['created_later', false, false])
  const started = await service.call('POST', `${setupPath('backfill')}/backfill`, { body: {} })
  assert.equal(started.status, 201, started.text)
  const setup = await eventually(async () => {
    const explained = await explainSetup('backfilled', 'backfill')
    return explained.evaluators[0]?.outcome === 'scored' && explained
  }, 'the span is scored')
  assert.deepEqual(
    [setup.standing, setup.matched, setup.backfilled, setup.version],
    ['decided', true, true, 1],
  )
  assert.match(setup.summary, /^matched by a backfill and scored: char-count: scored at /)
})

test('200 tells of an evaluator of traces whether the trace of the span is ready', async () => {
  const patient = await startService({ ASSAY_TRACE_QUIET_MS: '60000', ASSAY_SETUP_REST_MS: '0' })
  const evaluator_configs = [{ slug: 'char-count', scope: 'trace' }]
  await createSetup(patient, { external_id: 'traces', evaluator_configs, selector: [named('whole')] })
  await sendSpans(patient, [span('whole')])
  const entryOnce = (outcome: string) =>
    eventually(async () => {
      const { json } = await patient.call('GET', pathOf('whole', '?external_id=traces'))
      const [entry] = json.setups[0].evaluators
      return entry.outcome === outcome && { entry, summary: json.setups[0].summary }
    }, `the trace is ${outcome}`)
  const { entry, summary } = await entryOnce('not_ready')
  assert.deepEqual([entry.scope, entry.unit.scope, entry.unit.state], ['trace', 'trace', 'open'])
  assert.ok(entry.unit.look_at > entry.unit.changed_at)
  assert.match(
    summary,
    /^matched and not scored: char-count: its trace is looked at at .*, its newest span arrived at /,
  )
  const parentSpanId = Buffer.from(idsOf('whole').span_id, 'hex')
  const last = { ...span('last', { 'assay.trace.complete': true }), parentSpanId }
  await sendSpans(patient, [{ ...last, traceId: Buffer.from(idsOf('whole').trace_id, 'hex') }])
  const scored = await entryOnce('scored')
  assert.equal(scored.entry.unit.state, 'done')
  assert.ok(scored.entry.evaluation.output.char_count > 0)
  // The other span matches nothing itself.
  const { trace_id: trace } = idsOf('whole')
  const child = await patient.call('GET', `/v2/spans/${trace}/${idsOf('last').span_id}/explain`)
  const [other] = child.json.setups[0].evaluators
  assert.deepEqual([other.outcome, other.unit.state], ['not_matched', 'done'])
  assert.match(other.reason, /but other spans of its trace that are evaluated with it$/)
})

test('200 says that calls of our own judges are matched by no setup', async () => {
  await createSetup(service, { external_id: 'judge', selector: [named('judge')] })
  await sendSpans(service, [span('judge', { 'assay.judge': 'faithfulness' })])
  const explained = await explain('judge', '?external_id=judge')
  assert.equal(explained.is_judge_call, true)
  assert.equal(explained.setups[0].matched, false)
  assert.equal(explained.setups[0].rules[0].holds, true)
  assert.match(explained.setups[0].summary, /^not scored: the span is a call of our own judge/)
  assert.equal((await explain('mini')).is_judge_call, false)
})

test('200 explains a span that came again where it came first', async () => {
  await createSetup(service, { external_id: 'again', selector: [named('again')] })
  const first = span('again')
  await sendSpans(service, [first])
  const before = await explain('again', '?external_id=again')
  await sendSpans(service, [{ ...first, attributes: {} }, span('company')])
  const after = await explain('again', '?external_id=again')
  assert.equal(after.received_at, before.received_at)
  assert.equal(after.setups[0].matched, true)
})

test('200 pages through the setups of the environment of the span', async () => {
  await sendSpans(service, [span('paged')])
  const all = (await explain('paged')).setups.map((one: Json) => one.id)
  assert.ok(all.length > 3)
  const seen: string[] = []
  for (let query = '?limit=2'; ; ) {
    const page = await explain('paged', query)
    assert.ok(page.setups.length <= 2)
    seen.push(...page.setups.map((one: Json) => one.id))
    if (page.next_cursor === undefined) break
    query = `?limit=2&cursor=${page.next_cursor}`
  }
  assert.deepEqual(seen, all)
})

test('404 says what may have become of a span that is not stored', async () => {
  assertError(
    await service.call('GET', pathOf('never sent')),
    404,
    /^span not found: no span of this trace is stored: it never arrived, it was rejected .*, or it is no longer kept$/,
  )
  await sendSpans(service, [span('half')])
  const { trace_id: trace } = idsOf('half')
  await eventually(async () => {
    const answer = await service.call('GET', `/v2/spans/${trace}/00000000000000ff/explain`)
    assert.equal(answer.status, 404)
    return /the trace is stored with 1 span, but not this one/.test(answer.json.error)
  }, 'the trace is known')
  assertError(await service.call('GET', pathOf('half', '?external_id=nobody')), 404, 'setup not found')
})

test('400 names the id that is none', async () => {
  assertError(
    await service.call('GET', '/v2/spans/xyz/00000000000000ff/explain'),
    400,
    /trace_id must be 32 hex/,
  )
  const { trace_id: trace } = idsOf('half')
  assertError(await service.call('GET', `/v2/spans/${trace}/1/explain`), 400, /span_id must be 16 hex digits/)
  assertError(await service.call('GET', pathOf('half', '?limit=0')), 400, /limit must be an integer/)
})

test('404 for the spans of somebody else, and 200 says that a setup is of another environment', async () => {
  const owner = await service.call('POST', '/v2/organizations', {
    body: { org_name: 'Own', envs: ['prd', 'stg'] },
  })
  const [key, staging] = owner.json.environments.map((one: Json) => one.api_key)
  await createSetup(service, { external_id: 'staged' }, staging)
  await sendSpans(service, [span('theirs')], { key })
  assert.equal((await service.call('GET', pathOf('theirs'))).status, 404)
  const explained = await explain('theirs', '?external_id=staged', key)
  assert.equal(explained.setups[0].standing, 'other_environment')
  assert.equal(
    explained.setups[0].summary,
    'not scored: the setup belongs to environment stg, the span came to prd',
  )
  assert.deepEqual((await explain('theirs', '', key)).setups, [])
})
