import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { TestAttributes, TestSpan } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans, untilStatus } from '../support/spans.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startService({ ASSAY_SETUP_REST_MS: '0', ASSAY_TRACE_QUIET_MS: '0' })
const idOf = (name: string, bytes: number) => createHash('sha256').update(name).digest().subarray(0, bytes)
const traceIdOf = (name: string) => idOf(name, 16).toString('hex')

function spanOf(trace: string, name: string, attributes: TestAttributes, parent?: string): TestSpan {
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  return {
    ...{ traceId: idOf(trace, 16), spanId: idOf(`${trace} ${name}`, 8), name, attributes },
    ...{ startUnixNano, endUnixNano: startUnixNano + 1_000_000n },
    ...(parent === undefined ? {} : { parentSpanId: idOf(`${trace} ${parent}`, 8) }),
  }
}

const talk = (prompt: string, completion: string): TestAttributes => ({
  ...{ 'gen_ai.prompt.0.role': 'user', 'gen_ai.prompt.0.content': prompt },
  ...{ 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': completion },
})

async function createSetup(name: string, override: { slug: string; scope: string }) {
  const selector = [{ key: 'group', value: name, source: 'span_attributes' }]
  const body = { external_id: name, selector, evaluator_configs: [override] }
  const answer = await service.call('POST', '/v2/auto-monitor-setups', { body })
  assert.equal(answer.status, 201, answer.text)
}

function resultsOf(query: string, isEnough: (found: Json[]) => boolean): Promise<Json[]> {
  return eventually(async () => {
    const { json } = await service.call('GET', `/v2/evaluations?limit=100&${query}`)
    return isEnough(json.evaluations) && json.evaluations
  }, 'the evaluations are there')
}

async function detailOf({ id }: Json): Promise<Json> {
  const { status, json } = await service.call('GET', `/v2/evaluations/${id}`)
  assert.equal(status, 200)
  return json
}

test('200 shows the input of a trace, each time as it was when it was evaluated', async () => {
  await createSetup('trace', { slug: 'char-count', scope: 'trace' })
  await sendSpans(service, [
    spanOf('t', 'root', { group: 'trace' }),
    spanOf('t', 'first', talk('Hello?', 'Hi.'), 'root'),
  ])
  await untilStatus(service, 'trace', 'completed')
  const query = `trace_id=${traceIdOf('t')}`
  const [first] = await resultsOf(query, (found) => found.length > 0)
  assert.deepEqual((await detailOf(first)).input, { text: 'Hi.' })

  await sendSpans(service, [spanOf('t', 'late', talk('And?', 'Goodbye.'), 'root')])
  const [newest] = await resultsOf(query, ([found]) => found?.output?.char_count === 8)
  assert.deepEqual((await detailOf(newest)).input, { text: 'Goodbye.' })
  const superseded = await detailOf(first)
  assert.deepEqual([superseded.status, superseded.input], ['superseded', { text: 'Hi.' }])
})

test('200 shows the input of a session over all of its traces', async () => {
  await createSetup('session', { slug: 'conversation-quality', scope: 'session' })
  const session = { group: 'session', 'session.id': 'talk' }
  await sendSpans(service, [spanOf('s1', 'root', { ...session, ...talk('Who are you?', 'The shop.') })])
  await sendSpans(service, [spanOf('s2', 'root', { ...session, ...talk('Are you open?', 'Until six.') })])
  await untilStatus(service, 'session', 'completed')
  const input = await eventually(async () => {
    const [newest] = await resultsOf('external_id=session', (found) => found.length > 0)
    const shown = await detailOf(newest)
    return shown.input?.prompts === '["Who are you?","Are you open?"]' && shown.input
  }, 'the session is evaluated as a whole')
  assert.equal(input.completions, '["The shop.","Until six."]')
})

test('200 says that the input of a very large trace cannot be shown', async () => {
  await createSetup('large', { slug: 'char-count', scope: 'trace' })
  await sendSpans(service, [spanOf('g', 'root', { group: 'large', ...talk('Hello?', 'Hi.') })])
  const [found] = await resultsOf(`trace_id=${traceIdOf('g')}`, (list) => list.length > 0)
  assert.ok((await detailOf(found)).input)

  const spans = Array.from({ length: 1_001 }, (_, at) => spanOf('l', `step ${at}`, {}, 'root'))
  await sendSpans(service, [spanOf('l', 'root', { group: 'large', ...talk('A?', 'Much.') }), ...spans])
  const [large] = await resultsOf(`trace_id=${traceIdOf('l')}`, (list) => list.length > 0)
  const shown = await detailOf(large)
  assert.deepEqual([shown.input, large.output], [undefined, { char_count: 5 }])
  assert.match(shown.input_unavailable, /^the trace is too large to be read again/)
})
