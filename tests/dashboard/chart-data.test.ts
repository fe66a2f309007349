import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  coverageOf,
  linesOf,
  timesOf,
  totalsOf,
  versionMarks,
} from '../../dashboard/src/pages/monitors/chart-data.ts'

type Series = Parameters<typeof timesOf>[0]
type Monitor = Parameters<typeof versionMarks>[0]

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
    versionMarks(monitor, series).map(({ name }) => name),
    ['version 2'],
  )
})
