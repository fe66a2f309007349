import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  automaticBucket,
  coverageOf,
  linesOf,
  previousLinesOf,
  timesOf,
  totalsOf,
  versionMarkers,
} from '../../dashboard/src/pages/monitors/chart-data.ts'
import { comparePeriods } from '../../dashboard/src/pages/monitors/compare-periods.ts'
import { deployMarkers } from '../../dashboard/src/pages/monitors/deploy-markers.ts'

type Series = Parameters<typeof timesOf>[0]
type Monitor = Parameters<typeof versionMarkers>[0]

const at = (hour: number) => new Date(Date.UTC(2026, 0, 1, hour)).toISOString()

const point = (hour: number, version: number, value: number | undefined, counts: Record<string, number>) => ({
  time: at(hour),
  version,
  ...(value === undefined ? {} : { value }),
  count: counts['scored'] ?? 0,
  coverage: { scored: counts['scored'] ?? 0, total: 0, by_status: counts },
})

const series = {
  monitor_id: 'm',
  property: 'score',
  bucket: '1h',
  aggregation: 'average',
  from: at(0),
  to: at(4),
  points: [
    point(0, 1, 0.5, { scored: 2 }),
    point(2, 1, undefined, { error: 1 }),
    point(2, 2, 0, { scored: 1, abstained: 3 }),
  ],
} as Series

test('every bucket has its place, and what is not known is a gap and never 0', () => {
  const times = timesOf(series)
  assert.equal(times.length, 4)
  const lines = linesOf(series, times, 'Average')
  assert.deepEqual(
    lines.map(({ name, values }) => [name, values]),
    [
      ['Version 1', [0.5, null, null, null]],
      ['Version 2', [null, null, 0, null]],
    ],
  )
})

test('units are counted by status, also where several buckets share a column', () => {
  const times = timesOf(series)
  assert.deepEqual(
    coverageOf(series, times, 4).map(({ counts }) => counts),
    [{ scored: 2 }, {}, { error: 1, scored: 1, abstained: 3 }, {}],
  )
  assert.deepEqual(
    coverageOf(series, times, 2).map(({ counts }) => counts),
    [{ scored: 2 }, { error: 1, scored: 1, abstained: 3 }],
  )
  assert.deepEqual(totalsOf(series), { scored: 3, error: 1, abstained: 3 })
})

test('changes within the range are marked, the first version is none', () => {
  const monitor = {
    versions: [
      { version: 3, created_at: at(5) },
      { version: 2, created_at: at(2) },
      { version: 1, created_at: at(1) },
    ],
  } as unknown as Monitor
  assert.deepEqual(
    versionMarkers(monitor, series).map(({ label }) => label),
    ['Monitor version 2'],
  )
})

test('the interval of a chart grows with its range', () => {
  const hour = 3_600_000
  assert.deepEqual(
    [hour, 5 * hour, 12 * hour, 24 * hour, 7 * 24 * hour, 30 * 24 * hour, 366 * 24 * hour].map(
      automaticBucket,
    ),
    ['1m', '5m', '15m', '1h', '6h', '1d', '1d'],
  )
})

const periodOf = (from: number, to: number, values: [hour: number, value: number, count: number][]) =>
  ({
    ...series,
    from: at(from),
    to: at(to),
    points: values.map(([hour, value, count]) => point(hour, 1, value, { scored: count })),
  }) as Series

test('the period before is drawn bucket by bucket below the one that is shown', () => {
  const [line, ...others] = previousLinesOf(periodOf(-4, 0, [[-3, 0.7, 1]]), 4)
  assert.deepEqual(others, [])
  assert.deepEqual(line, {
    name: 'Previous period',
    values: [null, 0.7, null, null],
    as: 'line',
    isPrevious: true,
  })
})

test('periods are compared by the mean of all their values, not of their buckets', () => {
  const [shown, before] = [
    periodOf(0, 4, [
      [0, 1, 30],
      [1, 0.5, 10],
    ]),
    periodOf(-4, 0, [[-1, 0.5, 20]]),
  ]
  assert.deepEqual(comparePeriods(shown, before), {
    now: { value: 0.875, count: 40 },
    before: { value: 0.5, count: 20 },
  })
  const sum = { aggregation: 'sum' as const }
  assert.deepEqual(comparePeriods({ ...shown, ...sum }, { ...before, ...sum }), {
    now: { value: 1.5, count: 40 },
    before: { value: 0.5, count: 20 },
  })
})

test('periods that cannot be compared say why', () => {
  const shown = periodOf(0, 4, [[0, 1, 30]])
  const before = periodOf(-4, 0, [[-1, 0.5, 20]])
  assert.deepEqual(comparePeriods(shown, periodOf(-4, 0, [])), { reason: 'nothing before' })
  assert.deepEqual(comparePeriods(periodOf(0, 4, []), before), { reason: 'nothing now' })
  assert.deepEqual(comparePeriods(series, before), { reason: 'versions' })
  const median = { aggregation: 'median' as const }
  assert.deepEqual(comparePeriods({ ...shown, ...median }, { ...before, ...median }), {
    reason: 'aggregation',
  })
})

test('deployments of the evaluated applications are marked in order of time, first versions are none', () => {
  const deployment = (application: string, version: string, hour: number, previous?: string) => ({
    application,
    environment: 'prd',
    version,
    first_seen_at: at(hour),
    last_seen_at: at(hour),
    ...(previous === undefined ? {} : { previous_version: previous }),
  })
  const all = [
    deployment('shop', '1.3', 3, '1.2'),
    deployment('chat', '9.1', 2, '9.0'),
    deployment('shop', '1.2', 1, '1.1'),
    deployment('shop', '1.1', 0),
  ]
  const labels = (applications: (string | null)[]) =>
    deployMarkers(all, applications).map(({ label }) => label)
  assert.deepEqual(labels(['shop', null]), ['Deploy 1.2', 'Deploy 1.3'])
  assert.deepEqual(labels(['shop', 'chat']), ['Deploy shop 1.2', 'Deploy chat 9.1', 'Deploy shop 1.3'])
  assert.deepEqual(labels([]), [])
})
