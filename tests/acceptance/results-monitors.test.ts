import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import {
  createGroupSetup,
  GROUP,
  monitorOf,
  newSpan,
  resultsOf,
  type SentSpan,
  sendSpans,
  until,
} from './result-calls.ts'
import { assertError, readSetup, setupPath } from './setup-calls.ts'

const service = await startService()
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Three hours ago, at the full hour. */
const START_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 3 * HOUR_MS

/** A span to send, with the values that must come out. */
interface Given {
  readonly atMs: number
  readonly length?: number
}

// In the first two hours answers of many lengths and some spans without one; in the third nothing that can be scored.
const given: Given[] = Array.from({ length: 150 }, (_, at) => {
  const atMs = START_MS + ((at * 7_919) % 180) * MINUTE_MS + at
  return atMs >= START_MS + 2 * HOUR_MS || at % 7 === 0 ? { atMs } : { atMs, length: 1 + ((at * 31) % 400) }
})

function spanOf({ atMs, length }: Given, group: string): SentSpan {
  const answer = length === undefined ? {} : { answer: 'x'.repeat(length) }
  return newSpan({ startMs: atMs, ...answer, attributes: { [GROUP]: group } })
}

await createGroupSetup(service, 'chart', { evaluators: ['char-count', 'json-validator'] })
await sendSpans(
  service,
  given.map((one) => spanOf(one, 'chart')),
)
await resultsOf(service, 'chart', 300)
const monitorId = await monitorOf(service, 'chart', 'char-count')
const seriesPath = `/v2/monitors/${monitorId}/series`
const ALL = `from=${START_MS / 1_000}&to=${START_MS / 1_000 + 3 * 3_600}`

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function get(path: string): Promise<Json> {
  const answer = await service.call('GET', path)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

test('200 lists monitors with what they do and how they fare', async () => {
  const { monitors, ...rest } = await get('/v2/monitors?external_id=chart')
  assert.deepEqual(rest, {})
  assert.deepEqual(
    monitors.map(({ evaluator_type: slug }: Json) => slug),
    ['char-count', 'json-validator'],
  )
  const setup = await readSetup(service, 'chart')
  const scored = given.filter(({ length }) => length !== undefined).length
  const [monitor] = monitors
  const {
    created_at: createdAt,
    updated_at: updatedAt,
    last_run_at: lastRunAt,
    errors,
    versions,
    ...told
  } = monitor
  assert.deepEqual(told, {
    id: setup.evaluators[0].binding_id,
    external_id: 'chart',
    env_project_id: setup.env_project_id,
    evaluator_type: 'char-count',
    evaluator_id: setup.evaluators[0].evaluator_id,
    status: 'active',
    version: 1,
    evaluator_version: 1,
    scope: 'span',
    mapping: { text: { field: 'completion' } },
    config: {},
    sampling_rate: 1,
    counts: { missing_input: 150 - scored, scored },
    verdict: { rule: 'neutral: it only counts', pass_label: 'Passed', fail_label: 'Failed' },
  })
  const [newest] = await resultsOf(service, 'chart', 300)
  assert.equal(lastRunAt, newest.created_at)
  assert.ok(createdAt <= updatedAt && updatedAt <= lastRunAt)
  const { created_at: _, ...version } = versions[0]
  const { version: number, evaluator_version, scope, mapping, config, sampling_rate } = told as Json
  assert.deepEqual(version, { version: number, evaluator_version, scope, mapping, config, sampling_rate })
  assert.equal(errors.length, 1)
  assert.equal(errors[0].status, 'missing_input')
  assert.equal(errors[0].count, 150 - scored)
  assert.match(errors[0].message, /text/)
  assert.deepEqual(await get(`/v2/monitors/${monitorId}`), monitor)
})

test('200 filters and pages monitors', async () => {
  const ids = (json: Json) => json.monitors.map(({ id }: Json) => id)
  const everything = ids(await get('/v2/monitors?external_id=chart'))
  assert.deepEqual(ids(await get('/v2/monitors?evaluator_type=json-validator')), everything.slice(1))
  assert.deepEqual(ids(await get('/v2/monitors?external_id=chart&status=active')), everything)
  assert.deepEqual(ids(await get('/v2/monitors?external_id=chart&status=stopped')), [])
  const first = await get('/v2/monitors?external_id=chart&limit=1')
  assert.deepEqual(ids(first), everything.slice(0, 1))
  const second = await get(`/v2/monitors?external_id=chart&limit=1&cursor=${first.next_cursor}`)
  assert.deepEqual(ids(second), everything.slice(1))
  assert.ok(!('next_cursor' in second))
})

test('400 names a bad parameter of the list of monitors', async () => {
  const call = (query: string) => service.call('GET', `/v2/monitors?${query}`)
  assertError(await call('status=paused'), 400, 'invalid input: status must be one of active, stopped')
  assertError(await call('limit=201'), 400, 'invalid input: limit must be an integer from 1 to 200')
  assertError(await call('cursor=x'), 400, 'invalid input: cursor must be the next_cursor of the page before')
})

test('404 for a monitor that does not exist', async () => {
  assertError(await service.call('GET', '/v2/monitors/nobody'), 404, 'monitor not found')
  assertError(await service.call('GET', '/v2/monitors/nobody/series'), 404, 'monitor not found')
})

const BUCKETS = { '1m': 1, '5m': 5, '15m': 15, '1h': 60, '6h': 360, '1d': 1_440 }

/** The points as one would compute them from what was sent. */
function naivePoints(bucketMs: number, aggregate: (values: number[]) => number) {
  const buckets = Map.groupBy(given, ({ atMs }) => Math.floor(atMs / bucketMs) * bucketMs)
  return [...buckets]
    .sort(([left], [right]) => left - right)
    .map(([startMs, units]) => {
      const values = units.flatMap(({ length }) => length ?? [])
      const missing = units.length - values.length
      const counts = { missing_input: missing, scored: values.length }
      return {
        time: new Date(startMs).toISOString(),
        version: 1,
        ...(values.length > 0 ? { value: aggregate(values) } : {}),
        count: values.length,
        coverage: {
          scored: values.length,
          total: units.length,
          by_status: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
        },
      }
    })
}

function naiveQuantile(values: number[], share: number): number {
  const line = values.toSorted((left, right) => left - right)
  const rank = share * (line.length - 1)
  const low = line[Math.floor(rank)] as number
  const high = line[Math.ceil(rank)] as number
  return low + (high - low) * (rank - Math.floor(rank))
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
const EXACT: Record<string, (values: number[]) => number> = {
  average: (values) => sum(values) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum,
  count: (values) => values.length,
}

for (const [bucket, minutes] of Object.entries(BUCKETS)) {
  test(`200 gives points of ${bucket} that equal those computed from what was sent`, async () => {
    for (const [aggregation, aggregate] of Object.entries(EXACT)) {
      const series = await get(`${seriesPath}?${ALL}&bucket=${bucket}&aggregation=${aggregation}`)
      assert.deepEqual(series.points, naivePoints(minutes * MINUTE_MS, aggregate), aggregation)
      const { monitor_id, property } = series
      assert.deepEqual({ monitor_id, property }, { monitor_id: monitorId, property: 'char_count' })
      assert.deepEqual([series.bucket, series.aggregation], [bucket, aggregation])
    }
    for (const [aggregation, share] of [['median', 0.5] as const, ['p95', 0.95] as const]) {
      const { points } = await get(`${seriesPath}?${ALL}&bucket=${bucket}&aggregation=${aggregation}`)
      const naive = naivePoints(minutes * MINUTE_MS, (values) => naiveQuantile(values, share))
      assert.equal(points.length, naive.length)
      for (const [at, { value, ...rest }] of naive.entries()) {
        const { value: told, ...others } = points[at]
        assert.deepEqual(others, rest)
        assert.equal(told === undefined, value === undefined)
        if (value !== undefined) assert.ok(Math.abs(told - value) <= 0.01 * value, `${told} is not ${value}`)
      }
    }
  })
}

test('200 has no value, and never 0, where nothing was scored', async () => {
  const { points } = await get(`${seriesPath}?${ALL}&bucket=1h`)
  assert.equal(points.length, 3)
  assert.ok(points[0].value > 0)
  assert.ok(!('value' in points[2]))
  assert.equal(points[2].coverage.scored, 0)
  assert.ok(points[2].coverage.total > 0)
})

test('200 takes the first number or boolean, the last day and a fitting bucket when nothing is said', async () => {
  const series = await get(seriesPath)
  assert.equal(series.property, 'char_count')
  assert.equal(series.aggregation, 'average')
  assert.equal(series.bucket, '5m')
  assert.ok(Math.abs(Date.parse(series.to) - Date.now()) <= 5 * MINUTE_MS + 30_000)
  assert.ok(Math.abs(Date.parse(series.to) - Date.parse(series.from) - 24 * HOUR_MS) <= 5 * MINUTE_MS)
  assert.equal(
    sum(series.points.map(({ count }: Json) => count)),
    given.filter(({ length }) => length).length,
  )
})

test('200 tells the share of a boolean', async () => {
  const id = await monitorOf(service, 'chart', 'json-validator')
  const series = await get(`/v2/monitors/${id}/series?${ALL}&bucket=1d`)
  assert.equal(series.property, 'is_valid_json')
  assert.equal(series.points[0].value, 0)
  assert.ok(series.points[0].count > 0)
})

test('400 names what is wrong with a series', async () => {
  const call = (query: string) => service.call('GET', `${seriesPath}?${query}`)
  const faults: Record<string, string | RegExp> = {
    'bucket=2m': 'invalid input: bucket must be one of 1m, 5m, 15m, 1h, 6h, 1d',
    'aggregation=mode':
      'invalid input: aggregation must be one of average, median, min, max, sum, count, p95, pass_rate',
    'property=word_count': 'invalid input: property must be one of char_count',
    'version=0': 'invalid input: version must be an integer from 1 to 1000000',
    'from=x': /^invalid input: from must be an ISO 8601/,
    'from=200&to=100': 'invalid input: from must be before to',
    'from=0&to=600060&bucket=1m':
      'invalid input: bucket 1m makes 10001 points of this range; at most 10000 are possible',
    'from=0&to=9000000000': /^invalid input: from must be at most 10000 days before to$/,
  }
  for (const [query, message] of Object.entries(faults)) assertError(await call(query), 400, message)
  assert.deepEqual((await get(`${seriesPath}?from=0&to=600000&bucket=1m`)).points, [])
})

test('200 never merges two versions; a setup that is changed keeps its monitor, a deleted one its history', async () => {
  await createGroupSetup(service, 'versions', { evaluators: ['char-count'] })
  const send = (length: number) => sendSpans(service, [spanOf({ atMs: START_MS, length }, 'versions')])
  await send(10)
  await resultsOf(service, 'versions', 1)
  const id = await monitorOf(service, 'versions', 'char-count')
  const selector = [
    { source: 'span_attributes', key: GROUP, operator: 'equals', value: 'versions' },
    { source: 'span_attributes', key: GROUP, operator: 'exists' },
  ]
  assert.equal((await service.call('PUT', setupPath('versions'), { body: { selector } })).status, 200)
  await until(
    service,
    setupPath('versions'),
    ({ status }) => status === 'waiting_for_spans' || status === 'completed',
  )
  await send(20)
  await send(40)
  await until(service, `/v2/evaluations?external_id=versions`, (json) => json.evaluations.length === 3)
  const monitor = await get(`/v2/monitors/${id}`)
  assert.equal(monitor.version, 2)
  assert.equal(monitor.status, 'active')
  assert.deepEqual(
    monitor.versions.map(({ version }: Json) => version),
    [2, 1],
  )
  const points = async (query: string) =>
    (await get(`/v2/monitors/${id}/series?${ALL}&bucket=1d&${query}`)).points.map(
      ({ version, value }: Json) => `${version}: ${value}`,
    )
  assert.deepEqual(await points(''), ['1: 10', '2: 30'])
  assert.deepEqual(await points('version=2'), ['2: 30'])
  assert.deepEqual(await points('version=1'), ['1: 10'])
  assert.deepEqual(await points('version=9'), [])

  assert.equal((await service.call('DELETE', setupPath('versions'))).status, 204)
  const stopped = await get(`/v2/monitors/${id}`)
  assert.equal(stopped.status, 'stopped')
  assert.equal(stopped.external_id, 'versions')
  assert.deepEqual(await points(''), ['1: 10', '2: 30'])
  const { monitors } = await get('/v2/monitors?status=stopped')
  assert.ok(monitors.some((one: Json) => one.id === id))
  assert.equal((await get('/v2/evaluations?external_id=versions')).evaluations.length, 3)
})

test('200 counts what sampling left out', async () => {
  const config = [{ slug: 'char-count', sampling_rate: 0 }]
  await createGroupSetup(service, 'sampled', { evaluators: ['char-count'], evaluator_configs: config })
  await sendSpans(service, [spanOf({ atMs: START_MS, length: 5 }, 'sampled')])
  const id = await monitorOf(service, 'sampled', 'char-count')
  const monitor = await until(service, `/v2/monitors/${id}`, ({ counts }) => counts.sampled_out === 1)
  assert.deepEqual(monitor.counts, { sampled_out: 1 })
  assert.ok(!('last_run_at' in monitor))
  assert.equal(monitor.sampling_rate, 0)
  const { points } = await get(`/v2/monitors/${id}/series?bucket=1d`)
  assert.equal(points.length, 1)
  const { time: _, ...point } = points[0]
  assert.deepEqual(point, {
    version: 1,
    count: 0,
    coverage: { scored: 0, total: 1, by_status: { sampled_out: 1 } },
  })
})

test('200 counts the texts of a property that holds texts; 400 for any other aggregation', async () => {
  await createGroupSetup(service, 'texts', { evaluators: ['agent-tool-error-detector'] })
  const attributes = {
    [GROUP]: 'texts',
    'traceloop.span.kind': 'tool',
    'traceloop.entity.name': 'get_weather',
    'traceloop.entity.input': '{"city":"Oslo"}',
    'traceloop.entity.output': '{"error":"the tool timed out"}',
  }
  await sendSpans(service, [
    newSpan({ startMs: START_MS, attributes }),
    newSpan({ startMs: START_MS, attributes }),
  ])
  const results = await resultsOf(service, 'texts', 2)
  const path = `/v2/monitors/${await monitorOf(service, 'texts', 'agent-tool-error-detector')}/series?${ALL}`
  const share = await get(path)
  assert.deepEqual([share.property, share.aggregation, share.points[0].value], ['success', 'average', 0])
  const texts = await get(`${path}&property=reason`)
  assert.equal(texts.aggregation, 'count')
  assert.equal(texts.points[0].value, 2)
  assert.equal(texts.points[0].count, 2)
  const { reason } = results[0].output
  assert.deepEqual(texts.points[0].labels, { [reason.length > 64 ? '(other)' : reason]: 2 })
  assertError(
    await service.call('GET', `${path}&property=reason&aggregation=average`),
    400,
    'invalid input: aggregation must be count for the property reason, which is a text',
  )
})
