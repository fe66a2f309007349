import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  bucketAt,
  bucketsBetween,
  indexAfterKey,
  labelRows,
  loneIndices,
  nearestIndex,
  pointAt,
} from '../../dashboard/src/ui/chart-hit.ts'
import { downsample } from '../../dashboard/src/ui/downsample.ts'

const times = [0, 10, 20, 40].map((ms) => new Date(ms))

describe('hit testing', () => {
  test('the nearest time is meant, and of two equally near ones the earlier', () => {
    const nearest = [-5, 0, 5, 6, 20, 31, 1_000].map((ms) => nearestIndex(times, ms))
    assert.deepEqual(nearest, [0, 0, 0, 1, 2, 3, 3])
    assert.equal(nearestIndex([], 3), undefined)
  })

  test('a click where nothing is drawn means no point', () => {
    const isDrawn = (index: number) => index !== 1
    assert.equal(pointAt(times, 12, isDrawn), undefined)
    assert.equal(pointAt(times, 19, isDrawn), 2)
  })

  test('a bucket ends where the next one begins, and the last is as long as the one before', () => {
    assert.deepEqual(bucketAt(times, 1), { fromMs: 10, toMs: 20 })
    assert.deepEqual(bucketAt(times, 3), { fromMs: 40, toMs: 60 })
    assert.equal(bucketAt(times, 4), undefined)
    assert.deepEqual(bucketsBetween(times, 2, 0), { fromMs: 0, toMs: 40 })
  })

  test('keys lead to the neighbour that has a value and stay at the ends', () => {
    const isDrawn = (index: number) => index !== 1
    const after = (key: string, index: number) => indexAfterKey(key, index, times.length, isDrawn)
    assert.deepEqual(
      [after('ArrowRight', 0), after('ArrowLeft', 2), after('ArrowLeft', 0), after('ArrowRight', 3)],
      [2, 0, 0, 3],
    )
    assert.deepEqual([after('Home', 3), after('End', 0), after('a', 2)], [0, 3, undefined])
  })

  test('a value without a known neighbour is a point of its own', () => {
    assert.deepEqual(loneIndices([1, null, 2, 3, null, 4]), [0, 5])
    assert.deepEqual(loneIndices([]), [])
  })

  test('labels that would overlap are put into rows, and left out where no row has room', () => {
    const label = (left: number) => ({ left, right: left + 10 })
    assert.deepEqual(labelRows([0, 20, 5, 8, 9, 40].map(label)), [0, 0, 1, 2, undefined, 0])
  })
})

describe('downsampling', () => {
  const countOf = (runs: readonly (readonly unknown[])[]) => runs.reduce((sum, run) => sum + run.length, 0)

  test('a short series is left as it is, with its gaps', () => {
    assert.deepEqual(downsample([1, null, 2, 3], 10), [
      [{ at: 0, value: 1 }],
      [
        { at: 2, value: 2 },
        { at: 3, value: 3 },
      ],
    ])
    assert.deepEqual(downsample([null, null], 10), [])
  })

  test('a long series has at most as many points as pixels and keeps its peaks in their order', () => {
    const values = Array.from({ length: 10_000 }, (_, at) => Math.sin(at / 50))
    values[4_321] = 9
    values[4_322] = -9
    const runs = downsample(values, 160)
    assert.ok(countOf(runs) <= 160, `${countOf(runs)} points`)
    assert.ok(countOf(runs) > 100, `${countOf(runs)} points`)
    const points = runs.flat()
    const [peak, dip] = [9, -9].map((value) => points.findIndex((point) => point.value === value))
    assert.ok(peak !== undefined && peak >= 0 && dip === peak + 1)
    assert.deepEqual(
      points.map(({ at }) => at),
      points.map(({ at }) => at).toSorted((a, b) => a - b),
    )
  })

  test('a gap that is wider than a pixel stays a gap', () => {
    const values = Array.from({ length: 1_000 }, (_, at) => (at >= 400 && at < 600 ? null : at))
    const runs = downsample(values, 100)
    assert.equal(runs.length, 2)
    assert.ok((runs[0]?.at(-1)?.at ?? 0) < 400 && (runs[1]?.[0]?.at ?? 0) >= 600)
  })
})
