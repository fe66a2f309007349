import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { TestAttributes, TestSpan } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans } from '../support/spans.ts'
import { resultsOf } from './result-calls.ts'
import { assertError, createSetup } from './setup-calls.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type Json = any

const service = await startService()
const owner = await post('/v2/organizations', { org_name: 'Owner', envs: ['prd', 'stg'] })
const [key, stagingKey]: string[] = owner.environments.map(({ api_key: secret }: Json) => secret)
const foreigner = await post('/v2/organizations', { org_name: 'Foreigner' })
const strangerKey: string = foreigner.environments[0].api_key

const START_MS = Math.floor(Date.now() / 1_000) * 1_000 - 60_000
const bytesOf = (name: string, length: number) =>
  createHash('sha256').update(name).digest().subarray(0, length)
const traceId = (name: string) => bytesOf(name, 16).toString('hex')
const spanId = (name: string) => bytesOf(`span ${name}`, 8).toString('hex')

async function post(path: string, body: object, secret?: string): Promise<Json> {
  const answer = await service.call('POST', path, { body, ...(secret === undefined ? {} : { key: secret }) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json
}

/** A span of a trace; times are milliseconds after the beginning of all traces here. */
function span(
  trace: string,
  name: string,
  [fromMs, toMs]: [number, number],
  attributes: TestAttributes = {},
  rest: Partial<TestSpan> = {},
): TestSpan {
  return {
    traceId: bytesOf(trace, 16),
    spanId: bytesOf(`span ${name}`, 8),
    name,
    kind: 3,
    startUnixNano: BigInt(START_MS + fromMs) * 1_000_000n,
    endUnixNano: BigInt(START_MS + toMs) * 1_000_000n,
    attributes,
    ...rest,
  }
}

const under = (parent: string): Partial<TestSpan> => ({ parentSpanId: bytesOf(`span ${parent}`, 8) })
const chat = (model: string, prompt: string, completion: string, tokens: [number, number] | undefined) => ({
  'gen_ai.request.model': model,
  'gen_ai.prompt.0.role': 'user',
  'gen_ai.prompt.0.content': prompt,
  'gen_ai.completion.0.role': 'assistant',
  'gen_ai.completion.0.content': completion,
  ...(tokens && { 'gen_ai.usage.input_tokens': tokens[0], 'gen_ai.usage.output_tokens': tokens[1] }),
})

await createSetup(service, { external_id: 'counted', selector: { 'test.counted': 'yes' } }, key)
const options = { key: key ?? '' }
// Three traces of the service `shop`, the second in a session, and one of another service in staging.
await sendSpans(
  service,
  [
    span('one', 'ask', [0, 900], { 'session.id': 'talk' }),
    span(
      'one',
      'answer',
      [100, 800],
      { ...chat('gpt-4o', 'Where is my PARCEL?', 'On its way.', [1_000, 100]), 'test.counted': 'yes' },
      under('ask'),
    ),
    span('two', 'ask two', [1_000, 1_050], { 'session.id': 'talk', tier: 'gold', region: 'eu' }),
    span(
      'two',
      'try',
      [1_010, 1_020],
      { tier: 'silver', region: 'us' },
      { ...under('ask two'), status: { code: 2 } },
    ),
    span('three', 'own model', [2_000, 2_010], chat('our-llama', 'Hello', 'Straße is long', [5, 5])),
  ],
  options,
)
await sendSpans(service, [span('four', 'staged', [3_000, 3_001], chat('gpt-4o', 'Hi', 'Ho', undefined))], {
  key: stagingKey ?? '',
  resource: { 'service.name': 'lab' },
})
await eventually(async () => (await find('')).length === 4, 'all traces are summed up')
const [result] = await resultsOf(service, 'counted', 1, key)

async function get(path: string, secret = key): Promise<Json> {
  const answer = await service.call('GET', path, { key: secret ?? '' })
  assert.equal(answer.status, 200, `${path}: ${answer.text}`)
  return answer.json
}

/** The names of the traces that a query finds, page after page. */
async function find(query: string, secret = key): Promise<string[]> {
  const names: string[] = []
  for (let cursor = ''; ; ) {
    const json = await get(`/v2/traces?${query}${cursor && `&cursor=${cursor}`}`, secret)
    names.push(...json.traces.map(({ trace_id: id }: Json) => nameOf(id)))
    if (json.next_cursor === undefined) return names
    cursor = json.next_cursor
  }
}

function nameOf(id: string): string {
  return ['one', 'two', 'three', 'four'].find((name) => traceId(name) === id) ?? id
}

test('200 tells what a trace is about, what it cost and what was found', async () => {
  const { traces } = await get('/v2/traces?model=gpt-4o&service=shop')
  const [{ evaluations, ...trace }] = traces
  assert.deepEqual(trace, {
    ...{ trace_id: traceId('one'), name: 'ask', environment: 'prd', service: 'shop', model: 'gpt-4o' },
    ...{ session_id: 'talk', status: 'ok', started_at: new Date(START_MS).toISOString(), duration_ms: 900 },
    ...{ span_count: 2, error_count: 0, model_calls: 1, prompt_tokens: 1_000, completion_tokens: 100 },
    // 1,000 tokens at 2.5 and 100 tokens at 10 dollars per million.
    ...{ cost_usd: 0.0035, unpriced_calls: 0, scores: [] },
  })
  assert.deepEqual(evaluations, [
    {
      ...{ id: result.id, evaluator_type: 'char-count', external_id: 'counted', scope: 'span' },
      ...{ span_id: spanId('answer'), status: 'scored', output: { char_count: 11 }, verdict: 'neutral' },
    },
  ])
})

test('200 leaves out a cost that is not known', async () => {
  const [three] = (await get('/v2/traces?model=our-llama')).traces
  assert.deepEqual([three.cost_usd, three.unpriced_calls, three.prompt_tokens], [undefined, 1, 5])
  const [four] = (await get('/v2/traces?service=lab')).traces
  assert.deepEqual([four.cost_usd, four.unpriced_calls, four.environment], [undefined, 1, 'stg'])
  const [two] = (await get('/v2/traces?status=error')).traces
  assert.deepEqual([two.cost_usd, two.unpriced_calls, two.model], [0, 0, undefined])
})

const iso = (ms: number) => encodeURIComponent(new Date(START_MS + ms).toISOString())
const filters = (...list: object[]) => `filters=${encodeURIComponent(JSON.stringify(list))}`
for (const [query, expected] of [
  ['', ['four', 'three', 'two', 'one']],
  ['limit=1', ['four', 'three', 'two', 'one']],
  [`from=${iso(1_000)}&to=${iso(2_000)}`, ['two']],
  ['environment=prd', ['three', 'two', 'one']],
  ['environment=prd&environment=stg', ['four', 'three', 'two', 'one']],
  ['environment=nowhere', []],
  ['service=lab', ['four']],
  ['model=gpt-4o', ['four', 'one']],
  ['session_id=talk', ['two', 'one']],
  ['status=error', ['two']],
  ['status=ok', ['four', 'three', 'one']],
  ['min_duration_ms=50', ['two', 'one']],
  ['max_duration_ms=50', ['four', 'three', 'two']],
  ['attributes[tier]=gold', ['two']],
  ['attributes[tier]=gold&limit=1', ['two']],
  ['attributes[tier]=gold&attributes[region]=us', []],
  ['attributes[tier]=silver&attributes[region]=us', ['two']],
  ['attributes[service.name]=lab', ['four']],
  [filters({ id: 'span_name', operator: 'starts_with', value: 'ans' }), ['one']],
  [filters({ id: 'tier', operator: 'exists' }), ['two']],
  [
    `${filters({ id: 'tier', operator: 'equals', value: 'gold' }, { id: 'llm.request.model', operator: 'equals', value: 'gpt-4o' })}&logical_operator=or`,
    ['four', 'two', 'one'],
  ],
  ['q=parcel', ['one']],
  ['q=ON%20ITS%20WAY', ['one']],
  [`q=${encodeURIComponent('STRASSE')}`, []],
  [`q=${encodeURIComponent('STRAßE')}`, ['three']],
  ['q=gpt-4o', []],
  ['q=h&service=shop&limit=1', ['three', 'one']],
  ['q=parcel&attributes[tier]=gold', []],
  ['evaluator_type=char-count', ['one']],
  ['evaluator_type=char-count&min_value=11&max_value=11', ['one']],
  ['evaluator_type=char-count&min_value=12', []],
  ['evaluator_type=char-count&max_value=10', []],
  ['evaluation_status=scored', ['one']],
  ['evaluation_status=error', []],
  ['evaluator_type=word-count', []],
  ['evaluator_type=char-count&q=parcel', ['one']],
] as const) {
  test(`200 finds ${expected.join(', ') || 'nothing'} by ${decodeURIComponent(query) || 'nothing'}`, async () => {
    assert.deepEqual(await find(query), expected)
  })
}

for (const [query, message] of [
  ['from=yesterday', /from must be an ISO 8601 time/],
  ['from=20&to=10', /from must be before to/],
  ['min_duration_ms=2&max_duration_ms=1', /min_duration_ms must be at most max_duration_ms/],
  ['min_value=1', /evaluator_type is required with min_value and max_value/],
  ['status=fine', /status/],
  ['q=', /q is required/],
  ['filters=x', /filters must be JSON/],
  ['cursor=x', /cursor must be the next_cursor of the page before/],
  ['limit=201', /limit must be an integer from 1 to 200/],
  ['include=spans', /include must be one of preview/],
  ['include=preview&include=preview', /include must be one of preview/],
] as const) {
  test(`400 names the fault of ${query}`, async () => {
    assertError(await service.call('GET', `/v2/traces?${query}`, options), 400, message)
  })
}

test('200 has the question and the answer of each trace and session when they are asked for', async () => {
  const { traces } = await get('/v2/traces?include=preview')
  const shown = Object.fromEntries(
    traces.map(({ trace_id: id, preview }: Json): [string, Json] => [nameOf(id), preview]),
  )
  assert.deepEqual(shown, {
    one: { input: 'Where is my PARCEL?', output: 'On its way.' },
    two: {},
    three: { input: 'Hello', output: 'Straße is long' },
    four: { input: 'Hi', output: 'Ho' },
  })
  const { sessions } = await get('/v2/sessions?include=preview')
  assert.deepEqual(sessions[0].preview, { input: 'Where is my PARCEL?' })
  const { evaluations } = await get('/v2/evaluations?include=preview')
  assert.deepEqual(evaluations[0].preview, { input: 'Where is my PARCEL?', output: 'On its way.' })
  for (const path of ['/v2/traces', '/v2/sessions', '/v2/evaluations']) {
    const [item] = Object.values<Json>(await get(path))[0]
    assert.equal('preview' in item, false, path)
  }
  const refused = /include must be (one|a list) of preview/
  for (const path of ['/v2/sessions', '/v2/evaluations'])
    assertError(await service.call('GET', `${path}?include=all`, options), 400, refused)
})

test('200 shows a trace with its spans in order, and what was found about each', async () => {
  const {
    spans,
    evaluations,
    spans_cut: isCut,
    ...trace
  } = await get(`/v2/traces/${traceId('one').toUpperCase()}`)
  assert.deepEqual(
    [trace.trace_id, trace.name, trace.next_cursor, isCut],
    [traceId('one'), 'ask', undefined, false],
  )
  assert.deepEqual(evaluations, [], 'nothing was found about the trace as a whole')
  assert.deepEqual(
    spans.map((one: Json) => [one.span_name, one.parent_span_id, one.timestamp, one.evaluations.length]),
    [
      ['ask', undefined, START_MS, 0],
      ['answer', spanId('ask'), START_MS + 100, 1],
    ],
  )
  assert.deepEqual(spans[1].evaluations[0].output, { char_count: 11 })
  assert.equal(spans[1].completions['llm.completions.0.content'], 'On its way.')
})

test('200 shows a long trace page by page', async () => {
  const names = Array.from({ length: 25 }, (_, at) => `step ${at}`)
  // Sent in two requests and out of order; those in the middle begin at the same moment.
  const steps = names.map((name, at) => span('long', name, [10_000 + (at < 10 ? at : 10), 11_000]))
  await sendSpans(service, steps.filter((_, at) => at % 2 === 1).reverse(), options)
  await sendSpans(
    service,
    steps.filter((_, at) => at % 2 === 0),
    options,
  )
  const path = `/v2/traces/${traceId('long')}`
  await eventually(async () => {
    const { status, json } = await service.call('GET', path, options)
    return status === 200 && json.span_count === 25
  }, 'the long trace is summed up')
  const seen: string[] = []
  const sizes: number[] = []
  for (let cursor = ''; ; ) {
    const json = await get(`${path}?limit=10${cursor && `&cursor=${cursor}`}`)
    seen.push(...json.spans.map((one: Json) => one.span_name))
    sizes.push(json.spans.length)
    if (json.next_cursor === undefined) break
    cursor = json.next_cursor
  }
  assert.deepEqual(sizes, [10, 10, 5])
  assert.deepEqual(seen.slice(0, 10), names.slice(0, 10))
  assert.deepEqual(seen.toSorted(), names.toSorted())
})

test('404 for a trace that is not there', async () => {
  for (const id of ['00'.repeat(16), 'nonsense']) {
    assertError(await service.call('GET', `/v2/traces/${id}`, options), 404, 'trace not found')
  }
})

test('200 lists sessions and shows the traces of one in order', async () => {
  const { sessions } = await get('/v2/sessions')
  assert.deepEqual(sessions, [
    {
      session_id: 'talk',
      started_at: new Date(START_MS).toISOString(),
      ended_at: new Date(START_MS + 1_050).toISOString(),
      ...{ trace_count: 2, span_count: 4, error_count: 1, model_calls: 1, prompt_tokens: 1_000 },
      ...{ completion_tokens: 100, cost_usd: 0.0035, unpriced_calls: 0 },
    },
  ])
  const first = await get('/v2/sessions/talk?limit=1')
  const second = await get(`/v2/sessions/talk?limit=1&cursor=${first.next_cursor}`)
  assert.deepEqual(
    [first, second].map(({ traces }) => traces.map((one: Json) => nameOf(one.trace_id))),
    [['one'], ['two']],
  )
  assert.deepEqual([first.trace_count, second.next_cursor], [2, undefined])
  assert.deepEqual((await get('/v2/sessions?environment=stg')).sessions, [])
  assertError(await service.call('GET', '/v2/sessions/silence', options), 404, 'session not found')
})

test('200 pages through sessions', async () => {
  const ids = ['a', 'b/c', 'd:e']
  await sendSpans(
    service,
    ids.map((id, at) => span(`session ${id}`, `in ${id}`, [20_000 + at, 20_010 + at], { 'session.id': id })),
    { key: strangerKey },
  )
  await eventually(
    async () => (await get('/v2/sessions', strangerKey)).sessions.length === 3,
    'three sessions',
  )
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const json = await get(`/v2/sessions?limit=1${cursor && `&cursor=${cursor}`}`, strangerKey)
    seen.push(...json.sessions.map((one: Json) => one.session_id))
    if (json.next_cursor === undefined) break
    cursor = json.next_cursor
  }
  assert.deepEqual(seen, ids.toReversed())
  const { traces } = await get(`/v2/sessions/${encodeURIComponent('b/c')}`, strangerKey)
  assert.equal(traces.length, 1)
})

test('200 adds up what models were used for', async () => {
  const range = `from=${iso(-3_600_000)}&to=${iso(3_600_000)}&bucket=1d`
  const lines = async (query: string) =>
    (await get(`/v2/usage?${range}&${query}`)).usage.map(({ time: _, ...line }: Json) => line)
  const sum = (list: Json[], name: string) => list.reduce((total, line) => total + (line[name] ?? 0), 0)
  const byModel = await lines('group_by=model')
  const ours = byModel.filter(({ model }: Json) => model === 'our-llama')
  assert.deepEqual(
    [sum(ours, 'model_calls'), sum(ours, 'unpriced_calls'), ours[0].cost_usd],
    [1, 1, undefined],
  )
  const theirs = byModel.filter(({ model }: Json) => model === 'gpt-4o')
  assert.deepEqual([sum(theirs, 'model_calls'), sum(theirs, 'unpriced_calls')], [2, 1])
  assert.ok(Math.abs(sum(theirs, 'cost_usd') - 0.0035) < 1e-9)
  assert.equal(sum(await lines(''), 'model_calls'), 3)
  const [lab] = await lines('group_by=service,environment&service=lab')
  assert.deepEqual([lab.service, lab.environment, lab.model_calls, lab.model], ['lab', 'stg', 1, undefined])
  assert.ok(Math.abs(lab.duration_p50_ms - 1) <= 0.01)
  const bySession = await lines('group_by=session')
  assert.deepEqual(
    bySession.map((line: Json) => [line.session_id, line.model_calls, line.cost_usd, line.duration_p50_ms]),
    [['talk', 1, 0.0035, undefined]],
  )
  assert.equal(sum(await lines('environment=stg'), 'model_calls'), 1)
})

test('200 counts the calls of models that failed, alone and by session', async () => {
  const { environments } = await post('/v2/organizations', { org_name: 'Failing' })
  const failing: string = environments[0].api_key
  const call = { ...chat('gpt-4o', 'Hi', 'Ho', [10, 10]), 'session.id': 'sad' }
  await sendSpans(
    service,
    [
      span('sad', 'fails', [0, 30], call, { status: { code: 2 } }),
      span('sad', 'works', [50, 60], call),
      span('sad', 'fails without a model', [50, 60], {}, { status: { code: 2 } }),
    ],
    { key: failing },
  )
  await eventually(async () => (await get('/v2/sessions', failing)).sessions.length === 1, 'one session')
  for (const group of ['model', 'session']) {
    const { usage } = await get(`/v2/usage?from=${iso(-3_600_000)}&bucket=1h&group_by=${group}`, failing)
    assert.deepEqual(
      usage.map((line: Json) => [line.model_calls, line.error_count, line.prompt_tokens]),
      [[2, 1, 20]],
    )
  }
})

test('400 names what is wrong with a question for use', async () => {
  for (const [query, message] of [
    ['group_by=color', /group_by must be one or more of model, service, environment, session/],
    ['group_by=session,model', /group_by must not name anything beside session/],
    ['from=0&bucket=1m', /bucket 1m makes \d+ points of this range/],
  ] as const) {
    assertError(await service.call('GET', `/v2/usage?${query}`, options), 400, message)
  }
})

test('200 looks at a limited number of spans for one page, and goes on with the next', async () => {
  const { environments } = await post('/v2/organizations', { org_name: 'Many' })
  const many: string = environments[0].api_key
  for (let batch = 0; batch < 6; batch++) {
    const spans = Array.from({ length: 1_000 }, (_, at) => {
      const trace = batch * 10 + Math.floor(at / 100)
      const text = trace === 0 && at === 99 ? 'the needle' : 'hay'
      return span(`many ${trace}`, `many ${batch} ${at}`, [30_000 + trace * 10, 31_000], {
        'gen_ai.completion.0.role': 'assistant',
        'gen_ai.completion.0.content': text,
      })
    })
    await sendSpans(service, spans, { key: many })
  }
  await eventually(async () => (await get('/v2/traces?limit=200', many)).traces.length === 60, 'sixty traces')
  const first = await get('/v2/traces?q=needle', many)
  assert.deepEqual(first.traces, [], 'the oldest trace is behind the limit')
  const second = await get(`/v2/traces?q=needle&cursor=${first.next_cursor}`, many)
  assert.deepEqual(
    second.traces.map(({ trace_id: id }: Json) => id),
    [traceId('many 0')],
  )
  assert.deepEqual(await find('q=needle', many), [traceId('many 0')])
})

test('others see nothing of it', async () => {
  assert.deepEqual(await find('q=parcel', strangerKey), [])
  assert.deepEqual(await find('model=gpt-4o', strangerKey), [])
  const stranger = { key: strangerKey }
  assertError(await service.call('GET', `/v2/traces/${traceId('one')}`, stranger), 404, 'trace not found')
  assertError(await service.call('GET', '/v2/sessions/talk', stranger), 404, 'session not found')
  assert.deepEqual((await get(`/v2/usage?from=${iso(-60_000)}`, strangerKey)).usage, [])
})
