import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { newSpan, type SentSpan, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const SPANS = '/v2/warehouse/spans'
const START_S = Math.floor(Date.now() / 1_000) - 3_600

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

// Twenty spans over ten seconds, sent in two requests of two services, out of order.
const spans: SentSpan[] = Array.from({ length: 20 }, (_, at) =>
  newSpan({
    startMs: (START_S + Math.floor(at / 2)) * 1_000 + (at % 2) * 300,
    answer: `answer ${at}`,
    attributes: {
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': `question ${at}`,
      'gen_ai.system': at % 2 ? 'OpenAI' : 'anthropic',
      'traceloop.workflow.name': at < 5 ? 'support' : 'sales',
      'llm.usage.total_tokens': at,
      'is.even': at % 2 === 0,
      'traceloop.entity.input': `{"n":${at}}`,
    },
  }),
)
await sendSpans(
  service,
  spans.filter((_, at) => at % 3 === 0),
  { resource: { 'service.name': 'desk', 'host.name': 'h1' } },
)
await sendSpans(
  service,
  spans.filter((_, at) => at % 3 !== 0),
)

async function get(query: string): Promise<Json> {
  const answer = await service.call('GET', `${SPANS}?from_timestamp_sec=${START_S}&${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json.spans
}

const tokens = (page: Json): number[] =>
  page.data.map((span: Json) => Number(span.span_attributes['llm.usage.total_tokens']))
const found = async (query: string) => tokens(await get(`limit=1000&${query}`)).sort((a, b) => a - b)
const filtered = (...filters: object[]) => found(`filters=${encodeURIComponent(JSON.stringify(filters))}`)
const all = spans.keys().toArray()

test('200 tells a span as it was sent', async () => {
  const span = (await get('limit=1000')).data.find((one: Json) => one.span_id === spans[3]?.spanId)
  assert.deepEqual(span, {
    environment: 'prd',
    timestamp: spans[3]?.startMs,
    trace_id: spans[3]?.traceId,
    span_id: spans[3]?.spanId,
    trace_state: 'a=b',
    span_name: 'chat',
    span_kind: 'SPAN_KIND_CLIENT',
    service_name: 'desk',
    resource_attributes: { 'service.name': 'desk', 'host.name': 'h1' },
    scope_name: 'tests',
    scope_version: '1.0',
    span_attributes: {
      'gen_ai.completion.0.role': 'assistant',
      'gen_ai.completion.0.content': 'answer 3',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'question 3',
      'gen_ai.system': 'OpenAI',
      'traceloop.workflow.name': 'support',
      'llm.usage.total_tokens': '3',
      'is.even': 'false',
      'traceloop.entity.input': '{"n":3}',
    },
    duration: 250,
    status_code: 'STATUS_CODE_OK',
    status_message: 'fine',
    prompts: { 'llm.prompts.0.role': 'user', 'llm.prompts.0.content': 'question 3' },
    completions: { 'llm.completions.0.role': 'assistant', 'llm.completions.0.content': 'answer 3' },
    input: '{"n":3}',
  })
})

test('200 lists in order of the second in which spans began, newest first unless told otherwise', async () => {
  const page = await get('')
  assert.deepEqual([page.page_size, page.total_results], [50, 20])
  assert.ok(!('next_cursor' in page))
  const seconds = ({ data }: Json) => data.map(({ timestamp }: Json) => Math.floor(timestamp / 1_000))
  assert.deepEqual(seconds(page), seconds(page).toSorted().reverse())
  // A page that is exactly full knows that it is the last one.
  assert.deepEqual((await get('limit=20')).data, page.data)
  assert.ok(!('next_cursor' in (await get('limit=20'))))
  assert.ok('next_cursor' in (await get('limit=19')))
  const ascending = await get('sort_order=asc&sort_by=timestamp')
  assert.deepEqual(ascending.data, page.data.toReversed())
})

test('200 filters by time, the end not included', async () => {
  assert.deepEqual(await found(`to_timestamp_sec=${START_S + 2}`), [0, 1, 2, 3])
  const answer = await service.call('GET', `${SPANS}?from_timestamp_sec=${START_S + 9}`)
  assert.deepEqual(tokens(answer.json.spans).sort(), [18, 19])
})

test('200 filters by name, workflow, environment and any attribute', async () => {
  assert.deepEqual(await found('span_name=chat'), all)
  assert.deepEqual(await found('span_name=other'), [])
  assert.deepEqual(await found('workflow=support'), [0, 1, 2, 3, 4])
  assert.deepEqual(await found('environments=prd&environments=dev'), all)
  assert.deepEqual(await found('environments=dev'), [])
  assert.deepEqual(
    await found('is.even=true'),
    all.filter((at) => at % 2 === 0),
  )
  assert.deepEqual(await found('llm.usage.total_tokens=7'), [7])
  assert.deepEqual(await found('gen_ai.provider.name=openai&workflow=support'), [1, 3])
  assert.deepEqual(
    await found('host.name=h1'),
    all.filter((at) => at % 3 === 0),
  )
  assert.deepEqual(await found('no.such.attribute=1'), [])
})

test('200 filters with every operator, on columns and attributes', async () => {
  const token = (operator: string, value: unknown) =>
    filtered({ id: 'llm.usage.total_tokens', operator, value })
  assert.deepEqual(await token('equals', 4), [4])
  assert.deepEqual(
    await token('not_equals', '4'),
    all.filter((at) => at !== 4),
  )
  assert.deepEqual(await token('greater_than', 17), [18, 19])
  assert.deepEqual(await token('greater_than_or_equal', 18), [18, 19])
  assert.deepEqual(await token('less_than', 2), [0, 1])
  assert.deepEqual(await token('less_than_or_equal', 1), [0, 1])
  assert.deepEqual(await token('in', [3, '5']), [3, 5])
  assert.deepEqual(await token('not_in', all.slice(2)), [0, 1])
  assert.deepEqual(await filtered({ id: 'gen_ai.prompt.0.content', operator: 'contains', value: '15' }), [15])
  assert.deepEqual(
    await filtered({ id: 'llm.prompts.0.content', operator: 'starts_with', value: 'question 19' }),
    [19],
  )
  assert.equal(
    (await filtered({ id: 'llm.prompts.0.content', operator: 'not_contains', value: '1' })).length,
    9,
  )
  assert.deepEqual(await filtered({ id: 'nothing', operator: 'exists' }), [])
  assert.deepEqual(await filtered({ id: 'nothing', operator: 'not_exists' }), all)
  assert.deepEqual(await filtered({ id: 'trace_id', operator: 'equals', value: spans[6]?.traceId }), [6])
  assert.deepEqual(await filtered({ id: 'duration', operator: 'greater_than', value: 250 }), [])
  assert.deepEqual(await filtered({ id: 'duration', operator: 'less_than', value: 251 }), all)
  assert.deepEqual(await filtered({ id: 'span_kind', operator: 'equals', value: 'SPAN_KIND_CLIENT' }), all)
  assert.equal((await filtered({ id: 'service_name', operator: 'equals', value: 'shop' })).length, 13)
  assert.deepEqual(await filtered({ id: 'span_attributes.host.name', operator: 'exists' }), [])
  assert.equal((await filtered({ id: 'resource_attributes.host.name', operator: 'exists' })).length, 7)
  const two = [
    { id: 'llm.usage.total_tokens', operator: 'less_than', value: 2 },
    { id: 'is.even', operator: 'equals', value: true },
  ]
  assert.deepEqual(await filtered(...two), [0])
  const or = `logical_operator=OR&workflow=support&filters=${encodeURIComponent(JSON.stringify(two))}`
  assert.deepEqual(await found(or), [0, 1, 2, 4])
})

let arrived = 0
for (const order of ['ASC', 'DESC']) {
  test(`200 pages ${order} without gap or repeat, also while spans arrive`, async () => {
    const ids = ({ data }: Json): string[] => data.map(({ span_id: id }: Json) => id)
    const walked = `from_timestamp_sec=${START_S - 3_000}&sort_order=${order}`
    const page = async (query: string) => {
      const answer = await service.call('GET', `${SPANS}?${walked}${query}`)
      assert.equal(answer.status, 200, answer.text)
      return answer.json.spans
    }
    for (const filter of ['', '&workflow=sales']) {
      for (const limit of [5, 20]) {
        const whole = ids(await page(`&limit=1000${filter}`))
        const seen: string[] = []
        for (let cursor = ''; ; ) {
          const { next_cursor: next, ...rest } = await page(`&limit=${limit}${filter}${cursor}`)
          assert.ok(rest.data.length <= limit)
          seen.push(...ids(rest))
          if (next === undefined) break
          assert.ok(seen.length <= whole.length, 'the walk ends')
          // One that would come before all others: it must neither shift the pages nor show up on them.
          const second = order === 'ASC' ? START_S - ++arrived : START_S + 20 + ++arrived
          await sendSpans(service, [
            newSpan({ startMs: second * 1_000, attributes: { 'traceloop.workflow.name': 'sales' } }),
          ])
          cursor = `&cursor=${next}`
        }
        assert.deepEqual(seen, whole)
      }
    }
  })
}

test('200 ends a page early when its spans are large', async () => {
  const from = START_S + 1_800
  const large = Array.from({ length: 4 }, (_, at) =>
    newSpan({ startMs: (from + at) * 1_000, attributes: { text: 'x'.repeat(1_700_000) } }),
  )
  for (const span of large) await sendSpans(service, [span])
  const sizes: number[] = []
  const seen = new Set<string>()
  for (let cursor = ''; ; ) {
    const answer = await service.call('GET', `${SPANS}?from_timestamp_sec=${from}${cursor}`)
    sizes.push(answer.json.spans.data.length)
    for (const { span_id: id } of answer.json.spans.data) seen.add(id)
    if (!('next_cursor' in answer.json.spans)) break
    assert.ok(sizes.length < 10, 'the walk ends')
    cursor = `&cursor=${answer.json.spans.next_cursor}`
  }
  assert.ok(sizes.length >= 2, `${sizes}`)
  assert.deepEqual(seen, new Set(large.map(({ spanId }) => spanId)))
})

test('200 looks at a limited number of spans for a page, and the next one goes on', async () => {
  const fromS = START_S - 10_000
  const needle = newSpan({ startMs: fromS * 1_000, attributes: { needle: true } })
  await sendSpans(service, [needle])
  for (let at = 0; at < 12; at++) {
    await sendSpans(
      service,
      Array.from({ length: 500 }, () => newSpan({ startMs: (fromS + 1 + at) * 1_000 })),
    )
  }
  const pages: string[][] = []
  for (let cursor = ''; ; ) {
    const path = `${SPANS}?from_timestamp_sec=${fromS}&to_timestamp_sec=${fromS + 100}&needle=true${cursor}`
    const { spans: page } = (await service.call('GET', path)).json
    pages.push(page.data.map(({ span_id: id }: Json) => id))
    if (!('next_cursor' in page)) break
    assert.ok(pages.length < 10, 'the walk ends')
    cursor = `&cursor=${page.next_cursor}`
  }
  assert.deepEqual(pages, [[], [needle.spanId]])
})

test('200 without a range begins with the newest spans', async () => {
  const { json } = await service.call('GET', `${SPANS}?limit=2`)
  const whole = await service.call('GET', `${SPANS}?from_timestamp_sec=0&limit=2`)
  assert.equal(json.spans.data.length, 2)
  assert.deepEqual(json, whole.json)
  assert.ok(json.spans.data[0].timestamp >= json.spans.data[1].timestamp)
  assert.deepEqual((await service.call('GET', `${SPANS}?limit=2&cursor=0`)).json, json)
})

test('400 names the parameter', async () => {
  const call = (query: string) => service.call('GET', `${SPANS}?${query}`)
  const from = `from_timestamp_sec=${START_S}`
  const faults: Record<string, string | RegExp> = {
    'from_timestamp_sec=now': /^invalid input: from_timestamp_sec must be an integer/,
    [`${from}&to_timestamp_sec=${START_S}`]:
      'invalid input: from_timestamp_sec must be before to_timestamp_sec',
    [`${from}&limit=1001`]: 'invalid input: limit must be an integer from 1 to 1000',
    [`${from}&sort_by=duration`]: 'invalid input: sort_by must be one of timestamp',
    [`${from}&sort_order=up`]: 'invalid input: sort_order must be one of ASC, DESC',
    [`${from}&cursor=123`]: 'invalid input: cursor must be the next_cursor of the page before',
    [`${from}&filters={}`]: 'invalid input: filters must be an array',
    [`${from}&filters=${encodeURIComponent('[{"id":"a","operator":"like"}]')}`]:
      /^invalid input: filters\[0\]\.operator must be one of/,
    [`${from}&filters=${encodeURIComponent('[{"operator":"exists"}]')}`]:
      'invalid input: filters[0].id is required',
    [`${from}&a=1&a=2`]: 'invalid input: a must be a string',
  }
  for (const [query, message] of Object.entries(faults)) assertError(await call(query), 400, message)
})
