import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const METRICS = '/v2/metrics'

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

test('200 has no high water mark and no points before the first result', async () => {
  assert.deepEqual((await service.call('GET', '/v2/metrics_hwm')).json, {})
  const { json } = await service.call('POST', METRICS, { body: {} })
  assert.deepEqual(json, { metrics: { data: [], total_points: 0, total_results: 0 } })
})

const models = ['gpt-4o', 'gpt-4o-mini', undefined]
const spans = Array.from({ length: 12 }, (_, at) => {
  const model = models[at % 3]
  return newSpan({
    answer: 'x'.repeat(at + 1),
    attributes: {
      [GROUP]: 'm',
      ...(model === undefined ? {} : { 'gen_ai.request.model': model, 'gen_ai.system': 'openai' }),
      ...(at === 0 ? { 'gen_ai.agent.name': 'planner' } : {}),
    },
  })
})

let results: Json[] = []
test('spans of two services are scored', async () => {
  await createGroupSetup(service, 'm', {
    evaluators: ['char-count', 'json-validator'],
  })
  await sendSpans(service, spans.slice(0, 6))
  await sendSpans(service, spans.slice(6), { resource: { 'service.name': 'desk' } })
  await sendSpans(service, [newSpan({ attributes: { [GROUP]: 'm' } })])
  results = await resultsOf(service, 'm', 26)
})

async function query(body: object): Promise<Json> {
  const answer = await service.call('POST', METRICS, { body })
  assert.equal(answer.status, 200, answer.text)
  return answer.json.metrics
}

async function values(body: object): Promise<number[]> {
  const { data } = await query({ metric_name: 'char_count', limit: 1_000, ...body })
  return (data[0]?.points ?? [])
    .map(({ numeric_value: value }: Json) => value)
    .sort((a: number, b: number) => a - b)
}

const all = Array.from({ length: 12 }, (_, at) => at + 1)

test('200 tells points with labels from the result, its setup and its span', async () => {
  const {
    data,
    total_points: points,
    total_results: found,
  } = await query({
    metric_name: 'char_count',
    limit: 1_000,
  })
  assert.deepEqual([points, found, data.length], [12, 1, 1])
  assert.equal(data[0].metric_name, 'char_count')
  const point = data[0].points.find(({ numeric_value: value }: Json) => value === 1)
  const result = results.find(
    ({ evaluator_type: slug, span_id: id }) => slug === 'char-count' && id === spans[0]?.spanId,
  )
  const setup = (await service.call('GET', '/v2/auto-monitor-setups/m')).json
  assert.equal(data[0].organization_id, setup.org_id)
  assert.deepEqual(point, {
    numeric_value: 1,
    event_time: Date.parse(result.created_at),
    labels: {
      agent_name: 'planner',
      entity_type: 'span',
      env_project_id: setup.env_project_id,
      environment: 'prd',
      evaluator_name: 'char-count',
      insert_time: result.created_at,
      metric_source: 'char_count',
      metric_type: 'numeric',
      model: 'gpt-4o',
      org_id: setup.org_id,
      run_id: result.id,
      service_name: 'shop',
      span_id: spans[0]?.spanId,
      trace_id: spans[0]?.traceId,
      unit: 'chars',
      vendor: 'openai',
    },
  })
  const bare = data[0].points.find(({ numeric_value: value }: Json) => value === 3)
  for (const label of ['agent_name', 'model', 'vendor']) assert.ok(!(label in bare.labels), label)
})

test('200 tells booleans as booleans, and all properties when none is named', async () => {
  const { data, total_points: points } = await query({ limit: 1_000 })
  const names = data.map(({ metric_name: name }: Json) => name).sort()
  assert.deepEqual(names, ['char_count', 'is_valid_json'])
  assert.equal(points, 24)
  const valid = data.find(({ metric_name: name }: Json) => name === 'is_valid_json')
  assert.deepEqual(new Set(valid.points.map(({ bool_value: value }: Json) => value)), new Set([false]))
  assert.ok(
    valid.points.every((point: Json) => !('numeric_value' in point) && point.labels.metric_type === 'bool'),
  )
})

test('200 filters by source, environment and time', async () => {
  assert.deepEqual(await values({ metric_source: 'char_count' }), all)
  assert.deepEqual(await values({ metric_source: 'json_validator' }), [])
  assert.deepEqual(await values({ metric_source: 'nothing' }), [])
  assert.deepEqual(await values({ environments: ['prd'] }), all)
  assert.deepEqual(await values({ environments: ['dev'] }), [])
  const now = Math.floor(Date.now() / 1_000)
  assert.deepEqual(await values({ from_timestamp_sec: now - 600, to_timestamp_sec: now + 600 }), all)
  assert.deepEqual(await values({ from_timestamp_sec: now + 600 }), [])
  assert.deepEqual(await values({ to_timestamp_sec: now - 600 }), [])
})

test('200 filters by labels, columns and attributes with every operator', async () => {
  const filtered = (field: string, operator: string, rest: object) =>
    values({ filters: [{ field, operator, ...rest }] })
  assert.deepEqual(await filtered('labels.service_name', 'equals', { value: 'desk' }), all.slice(6))
  assert.deepEqual(await filtered('labels.service_name', 'not_equals', { value: 'desk' }), all.slice(0, 6))
  assert.deepEqual(await filtered('labels.model', 'contains', { value: 'mini' }), [2, 5, 8, 11])
  assert.deepEqual(await filtered('labels.model', 'not_contains', { value: 'gpt' }), [3, 6, 9, 12])
  assert.deepEqual(await filtered('labels.model', 'in', { values: ['gpt-4o'] }), [1, 4, 7, 10])
  assert.deepEqual(
    await filtered('labels.model', 'not_in', { values: ['gpt-4o', 'gpt-4o-mini'] }),
    [3, 6, 9, 12],
  )
  assert.deepEqual(await filtered('labels.agent_name', 'equals', { value: 'planner' }), [1])
  assert.deepEqual(await filtered('labels.trace_id', 'equals', { value: spans[4]?.traceId }), [5])
  assert.deepEqual(await filtered('trace_id', 'in', { value: [spans[4]?.traceId] }), [5])
  assert.deepEqual(await filtered('numeric_value', 'in', { values: [3, '7'] }), [3, 7])
  assert.deepEqual(await filtered('metric_name', 'not_equals', { value: 'char_count' }), [])
  assert.deepEqual(await filtered('labels.nothing', 'equals', { value: 'x' }), [])
  assert.deepEqual(await filtered('labels.nothing', 'not_equals', { value: 'x' }), all)
  assert.deepEqual(
    await filtered('attributes.llm.vendor', 'equals', { value: 'openai' }),
    [1, 2, 4, 5, 7, 8, 10, 11],
  )
  assert.deepEqual(await filtered(`attributes.${GROUP}`, 'equals', { value: 'm' }), all)
  const both = [
    { field: 'labels.service_name', operator: 'equals', value: 'desk' },
    { field: 'labels.model', operator: 'equals', value: 'gpt-4o' },
  ]
  assert.deepEqual(await values({ filters: both }), [7, 10])
  assert.deepEqual(await values({ filters: both, logical_operator: 'AND' }), [7, 10])
  assert.deepEqual(await values({ filters: both, logical_operator: 'OR' }), [1, 4, ...all.slice(6)])
})

for (const order of ['ASC', 'DESC', 'asc']) {
  for (const body of [
    {},
    { metric_name: 'char_count' },
    { filters: [{ field: 'labels.service_name', operator: 'in', values: ['shop', 'desk'] }] },
  ]) {
    test(`200 pages ${order} without gap or repeat, ${JSON.stringify(body)}`, async () => {
      const key = (name: string) => (point: Json) => `${name} ${point.labels.run_id}`
      const keys = ({ data }: Json) =>
        data.flatMap(({ metric_name: name, points }: Json) => points.map(key(name)))
      const whole = keys(await query({ ...body, sort_order: order, limit: 1_000 })).sort()
      for (const limit of [1, 5, 12]) {
        const seen: string[] = []
        const times: number[] = []
        for (let cursor: object = {}; ; ) {
          const page = await query({ ...body, sort_order: order, limit, ...cursor })
          assert.ok(page.total_points <= limit)
          seen.push(...keys(page))
          const pageTimes = page.data.flatMap(({ points }: Json) =>
            points.map((point: Json) => point.event_time),
          )
          times.push(...pageTimes.sort((a: number, b: number) => (order === 'DESC' ? b - a : a - b)))
          if (!('next_cursor' in page)) break
          assert.ok(seen.length <= whole.length, 'the walk ends')
          assert.match(page.next_cursor, /^\d+$/)
          assert.ok(Number.isSafeInteger(Number(page.next_cursor)))
          // As text and as the integer that the interface documents.
          cursor = { cursor: seen.length % 2 ? page.next_cursor : Number(page.next_cursor) }
        }
        assert.deepEqual(seen.sort(), whole)
        assert.deepEqual(
          times,
          times.toSorted((a, b) => (order === 'DESC' ? b - a : a - b)),
        )
      }
    })
  }
}

test('200 pages also between the properties of one result, texts among them', async () => {
  const body = { metric_source: 'agent_tool_error_detector' }
  await createGroupSetup(service, 'tools', { evaluators: ['agent-tool-error-detector'] })
  const tools = Array.from({ length: 3 }, () =>
    newSpan({
      attributes: {
        [GROUP]: 'tools',
        'traceloop.span.kind': 'tool',
        'traceloop.entity.name': 'get_weather',
        'traceloop.entity.input': '{"city":"Oslo"}',
        'traceloop.entity.output': '{"error":"the tool timed out"}',
      },
    }),
  )
  await sendSpans(service, tools)
  await resultsOf(service, 'tools', 3)
  const { data } = await query(body)
  assert.deepEqual(
    data.map(({ metric_name: name, points }: Json) => `${name} ${points.length}`),
    ['success 3', 'reason 3'],
  )
  assert.equal(typeof data[1].points[0].enum_value, 'string')
  assert.equal(data[1].points[0].labels.metric_type, 'enum')
  for (const order of ['ASC', 'DESC']) {
    for (const limit of [1, 4]) {
      const seen: string[] = []
      for (let cursor: object = {}; ; ) {
        const page = await query({ ...body, sort_order: order, limit, ...cursor })
        for (const { metric_name: name, points } of page.data) {
          seen.push(...points.map(({ labels }: Json) => `${name} ${labels.run_id}`))
        }
        if (!('next_cursor' in page)) break
        assert.ok(seen.length <= 6, 'the walk ends')
        cursor = { cursor: page.next_cursor }
      }
      assert.equal(seen.length, 6)
      assert.equal(new Set(seen).size, 6)
    }
  }
})

test('200 looks at a limited number of results for a page when spans decide, and the next one goes on', async () => {
  await createGroupSetup(service, 'many', { evaluators: ['word-count'] })
  const send = (count: number, model: string) =>
    sendSpans(
      service,
      Array.from({ length: count }, () =>
        newSpan({ answer: 'a b', attributes: { [GROUP]: 'many', 'gen_ai.request.model': model } }),
      ),
    )
  await send(1, 'needle')
  await resultsOf(service, 'many', 1)
  for (let at = 0; at < 5; at++) await send(450, 'hay')
  const monitor = (await service.call('GET', '/v2/monitors?external_id=many')).json.monitors[0]
  await until(service, `/v2/monitors/${monitor.id}`, ({ counts }) => counts.scored === 2_251)
  const filters = [{ field: 'labels.model', operator: 'equals', value: 'needle' }]
  const first = await query({ metric_name: 'word_count', filters })
  assert.equal(first.total_points, 0)
  const second = await query({ metric_name: 'word_count', filters, cursor: first.next_cursor })
  assert.equal(second.total_points, 1)
  assert.equal(second.data[0].points[0].labels.unit, 'words')
  assert.ok(!('next_cursor' in second))
})

test('200 takes a time in ms as a cursor', async () => {
  const times = results.map(({ created_at: at }) => Date.parse(at))
  assert.deepEqual(await values({ cursor: Math.max(...times) + 1 }), all)
  assert.deepEqual(await values({ cursor: Math.min(...times) }), [])
  assert.deepEqual(await values({ cursor: Math.min(...times) - 1, sort_order: 'ASC' }), all)
  assert.deepEqual(await values({ cursor: Math.max(...times), sort_order: 'ASC' }), [])
})

test('200 takes 0 as the cursor of the first page, in both orders', async () => {
  for (const sort_order of ['ASC', 'DESC']) {
    const first = await query({ sort_order, limit: 3 })
    assert.equal(first.total_points, 3)
    assert.deepEqual(await query({ sort_order, limit: 3, cursor: 0 }), first)
    const { json } = await service.call('GET', `${METRICS}?sort_order=${sort_order}&limit=3&cursor=0`)
    assert.deepEqual(json.metrics, first)
  }
})

test('200 answers the same to GET', async () => {
  const filters = [{ field: 'labels.service_name', operator: 'equals', value: 'desk' }]
  const body = {
    metric_name: 'char_count',
    environments: ['prd', 'dev'],
    filters,
    sort_order: 'ASC',
    limit: 4,
  }
  const { json } = await service.call('POST', METRICS, { body })
  const address = new URLSearchParams({ metric_name: 'char_count', sort_order: 'ASC', limit: '4' })
  for (const environment of body.environments) address.append('environments', environment)
  address.set('filters', JSON.stringify(filters))
  const first = await service.call('GET', `${METRICS}?${address}`)
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(first.json, json)
  assert.equal(first.json.metrics.total_points, 4)
  address.set('cursor', first.json.metrics.next_cursor)
  const second = await service.call('GET', `${METRICS}?${address}`)
  assert.equal(second.json.metrics.total_points, 2)
  const one = await service.call('GET', `${METRICS}?environments=prd&metric_name=char_count`)
  assert.equal(one.json.metrics.total_points, 12)
})

test('400 names the field', async () => {
  const faults: [object, string | RegExp][] = [
    [{ limit: 0 }, 'invalid input: limit must be at least 1'],
    [{ limit: 1_001 }, 'invalid input: limit must be at most 1000'],
    [{ from_timestamp_sec: 'now' }, 'invalid input: from_timestamp_sec must be a number'],
    [
      { from_timestamp_sec: 5, to_timestamp_sec: 5 },
      'invalid input: from_timestamp_sec must be before to_timestamp_sec',
    ],
    [{ sort_by: 'value' }, 'invalid input: sort_by must be one of event_time'],
    [{ sort_order: 'UP' }, 'invalid input: sort_order must be one of ASC, DESC'],
    [{ logical_operator: 'XOR' }, 'invalid input: logical_operator must be one of AND, OR'],
    [{ cursor: 'abc' }, /^invalid input: cursor must be the next_cursor/],
    [{ environments: 'prd' }, 'invalid input: environments must be an array'],
    [
      { filters: [{ field: 'labels.model', operator: 'like' }] },
      /^invalid input: filters\[0\]\.operator must be one/,
    ],
    [
      { filters: [{ field: 'labels.model', operator: 'equals' }] },
      'invalid input: filters[0].value is required when operator is equals',
    ],
    [
      { filters: [{ field: 'labels.model', operator: 'in', values: [] }] },
      'invalid input: filters[0].values is required when operator is in',
    ],
    [{ filters: [{ operator: 'equals', value: 'x' }] }, 'invalid input: filters[0].field is required'],
    [
      { filters: [{ field: 'colour', operator: 'equals', value: 'x' }] },
      /^invalid input: filters\[0\]\.field must begin with labels\./,
    ],
  ]
  for (const [body, message] of faults) {
    assertError(await service.call('POST', METRICS, { body }), 400, message)
  }
  const get = (query: string) => service.call('GET', `${METRICS}?${query}`)
  assertError(await get('filters=x'), 400, 'invalid input: filters must be JSON')
  assertError(
    await get(`filters=${encodeURIComponent('[{"field":"labels.model","operator":"like"}]')}`),
    400,
    /^invalid input: filters\[0\]\.operator must be one of equals/,
  )
  assertError(await get('limit=x'), 400, 'invalid input: limit must be an integer from 1 to 1000')
})

test('200 tells the time of the newest result as the high water mark', async () => {
  const [newest] = (await service.call('GET', '/v2/evaluations?limit=1')).json.evaluations
  const { json } = await service.call('GET', '/v2/metrics_hwm')
  assert.deepEqual(json, { high_water_mark: Date.parse(newest.created_at) })
})
