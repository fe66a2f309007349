import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { TestAttributes, TestSpan } from '../otlp/encode-traces.ts'
import { startService, type TestService } from '../support/service.ts'
import { eventually, sendSpans, untilStatus } from '../support/spans.ts'

const QUICK = { ASSAY_SETUP_REST_MS: '0', ASSAY_TRACE_QUIET_MS: '0' }
const SELECTOR = [{ key: 'agent', value: 'shop', source: 'span_attributes', operator: 'equals' }]

const idOf = (name: string, bytes: number) => createHash('sha256').update(name).digest().subarray(0, bytes)

/** A span of a trace; the selector of these tests matches only spans that say so. */
function spanOf(
  trace: string,
  name: string,
  { parent, attributes = {} }: { parent?: string; attributes?: TestAttributes } = {},
): TestSpan {
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  return {
    traceId: idOf(trace, 16),
    spanId: idOf(`${trace} ${name}`, 8),
    ...(parent === undefined ? {} : { parentSpanId: idOf(`${trace} ${parent}`, 8) }),
    name,
    startUnixNano,
    endUnixNano: startUnixNano + 1_000_000n,
    attributes,
  }
}

const talk = (prompt: string, completion: string): TestAttributes => ({
  'gen_ai.prompt.0.role': 'user',
  'gen_ai.prompt.0.content': prompt,
  'gen_ai.completion.0.role': 'assistant',
  'gen_ai.completion.0.content': completion,
})

const root = (trace: string, attributes: TestAttributes = {}) =>
  spanOf(trace, 'root', { attributes: { agent: 'shop', ...attributes } })

async function monitor(service: TestService, scope: string, evaluator = 'char-count'): Promise<void> {
  const body = {
    external_id: 'whole',
    evaluators: [evaluator],
    selector: SELECTOR,
    evaluator_configs: [{ slug: evaluator, scope }],
  }
  const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
  assert.equal(answer.status, 201, answer.text)
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
function evaluations(service: TestService, isEnough: (found: any[]) => boolean, query = ''): Promise<any[]> {
  return eventually(async () => {
    const { json } = await service.call('GET', `/v2/evaluations?limit=100${query}`)
    return isEnough(json.evaluations) && json.evaluations
  }, 'the evaluations are there')
}

test('a trace is evaluated once as a whole, with what all of its spans say', async () => {
  const service = await startService(QUICK)
  await monitor(service, 'trace')
  await sendSpans(service, [
    root('t'),
    spanOf('t', 'first', { parent: 'root', attributes: talk('Hello?', 'Hi.') }),
    spanOf('t', 'second', { parent: 'root', attributes: talk('And?', 'Goodbye.') }),
  ])
  await untilStatus(service, 'whole', 'completed')
  const [found] = await evaluations(service, (list) => list.length > 0)
  assert.deepEqual([found.scope, found.status, found.output], ['trace', 'scored', { char_count: 8 }])
  assert.equal(found.trace_id, idOf('t', 16).toString('hex'))
  assert.ok(!('span_id' in found))
})

test('a trace waits for its root and for parents that are missing', async () => {
  const service = await startService(QUICK)
  await monitor(service, 'trace')
  const attributes = { agent: 'shop', ...talk('Hello?', 'Hi.') }
  await sendSpans(service, [spanOf('t', 'child', { parent: 'root', attributes })])
  // Units are looked at in the order of their time: when this one is evaluated, the other one has been looked at.
  await sendSpans(service, [root('whole', talk('Hello?', 'Hello.'))])
  const found = await evaluations(service, (list) => list.length > 0)
  assert.deepEqual(
    found.map(({ output }) => output),
    [{ char_count: 6 }],
  )
  await sendSpans(service, [root('t')])
  const all = await evaluations(service, (list) => list.length > 1, '&history=true')
  assert.deepEqual(
    all.map(({ status, output }) => [status, output]),
    [
      ['scored', { char_count: 3 }],
      ['scored', { char_count: 6 }],
    ],
  )
})

test('a mark of completeness ends the wait', async () => {
  const service = await startService({ ...QUICK, ASSAY_TRACE_QUIET_MS: '60000' })
  await monitor(service, 'trace')
  const attributes = { agent: 'shop', 'assay.trace.complete': true, ...talk('Hello?', 'Hi.') }
  await sendSpans(service, [spanOf('t', 'child', { parent: 'nobody', attributes })])
  const [found] = await evaluations(service, (list) => list.length > 0)
  assert.equal(found.status, 'scored')
})

test('a trace that never becomes complete is evaluated after the longest wait, and says so', async () => {
  const service = await startService({ ...QUICK, ASSAY_TRACE_WAIT_MS: '500' })
  await monitor(service, 'trace')
  const attributes = { agent: 'shop', ...talk('Hello?', 'Hi.') }
  await sendSpans(service, [spanOf('t', 'child', { parent: 'nobody', attributes })])
  const [found] = await evaluations(service, (list) => list.length > 0)
  assert.equal(found.status, 'scored')
  const { json } = await service.call('GET', `/v2/evaluations/${found.id}`)
  assert.deepEqual(json.judgement.evidence, { incomplete: 'its root has not arrived' })
})

test('a late span opens the trace again: the new score supersedes, history stays, charts show the newest', async () => {
  const service = await startService(QUICK)
  await monitor(service, 'trace')
  await sendSpans(service, [
    root('t'),
    spanOf('t', 'first', { parent: 'root', attributes: talk('Hello?', 'Hi.') }),
  ])
  await evaluations(service, (list) => list.length > 0)
  const attributes = { 'assay.trace.complete': true, ...talk('And?', 'Goodbye.') }
  await sendSpans(service, [spanOf('t', 'late', { parent: 'root', attributes })])
  const [newest, ...others] = await evaluations(service, ([first]) => first?.output?.char_count === 8)
  assert.deepEqual(others, [])
  const history = await evaluations(service, (list) => list.length === 2, '&history=true')
  assert.deepEqual(
    history.map(({ status, output }) => [status, output]),
    [
      ['scored', { char_count: 8 }],
      ['superseded', { char_count: 3 }],
    ],
  )
  const [listed] = (await service.call('GET', '/v2/monitors')).json.monitors
  assert.deepEqual(listed.counts, { scored: 1 })
  const { json } = await service.call('GET', `/v2/evaluations/${newest.id}`)
  assert.equal(json.generation, 2)
})

test('a session is evaluated over all of its traces, and a trace without one as a trace', async () => {
  const service = await startService(QUICK)
  await monitor(service, 'session', 'conversation-quality')
  const session = { 'session.id': 'talk' }
  await sendSpans(service, [root('one', { ...session, ...talk('Hello, who are you?', 'The shop.') })])
  await sendSpans(service, [root('two', { ...session, ...talk('Are you open?', 'Yes, until six.') })])
  await sendSpans(service, [root('alone', talk('Hello?', 'Hi.'))])
  await untilStatus(service, 'whole', 'completed')
  const found = await evaluations(
    service,
    (list) => list.length === 2 && list.some(({ session_id }) => session_id === 'talk'),
  )
  const whole = found.find(({ session_id }) => session_id === 'talk')
  assert.ok(!('span_id' in whole))
  assert.ok(['scored', 'abstained'].includes(whole.status), whole.error_message)
})

test('evaluators of agents look at traces by themselves, and at sessions where spans name them', async () => {
  const service = await startService({ ...QUICK, ASSAY_EMBEDDED_JUDGE: 'always' })
  const body = {
    external_id: 'agents',
    evaluators: ['action-advancement', 'intent-change'],
    selector: SELECTOR,
  }
  assert.equal((await service.call('POST', '/v2/auto-monitor-setups', { body })).status, 201)
  await sendSpans(service, [
    root('t'),
    spanOf('t', 'a', { parent: 'root', attributes: talk('Book a table for two.', 'For when?') }),
    spanOf('t', 'b', {
      parent: 'root',
      attributes: talk('Tonight at eight.', 'Your table is booked for eight.'),
    }),
  ])
  const setup = await untilStatus(service, 'agents', 'completed')
  assert.ok(setup.evaluators.every(({ status }: { status: string }) => status === 'completed'))
  const found = await evaluations(service, (list) => list.length === 2)
  assert.deepEqual(
    found.map(({ scope, status, judge }) => [scope, status, judge]),
    [
      ['trace', 'scored', 'embedded'],
      ['trace', 'scored', 'embedded'],
    ],
  )
})
