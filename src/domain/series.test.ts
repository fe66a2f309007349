import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AGGREGATIONS, aggregate, alignRange, chooseBucket, valueCount } from './series.ts'

const HOUR_MS = 3_600_000

describe('a series', () => {
  it('chooses the finest bucket that makes a readable chart', () => {
    const chosen = [1, 5, 24, 48, 24 * 7, 24 * 30, 24 * 90, 24 * 400].map((hours) =>
      chooseBucket(hours * HOUR_MS),
    )
    assert.deepEqual(chosen, ['1m', '1m', '5m', '15m', '1h', '6h', '1d', '1d'])
  })

  it('widens a range to whole buckets', () => {
    const aligned = alignRange(HOUR_MS + 1, 3 * HOUR_MS - 1, '1h')
    assert.deepEqual(aligned, { fromMs: HOUR_MS, toMs: 3 * HOUR_MS, buckets: 2 })
    assert.deepEqual(alignRange(HOUR_MS, 2 * HOUR_MS, '1h'), {
      fromMs: HOUR_MS,
      toMs: 2 * HOUR_MS,
      buckets: 1,
    })
  })

  it('aggregates what was scored', () => {
    const values = { count: 4, sum: 10, min: 1, max: 4, quantile: 2.5 }
    const told = AGGREGATIONS.map((aggregation) => aggregate(aggregation, values))
    assert.deepEqual(told, [2.5, 2.5, 1, 4, 10, 4, 2.5, 2.5])
  })

  it('has no value, and never 0, where nothing was scored', () => {
    for (const aggregation of AGGREGATIONS) assert.equal(aggregate(aggregation, { count: 0 }), undefined)
    assert.equal(aggregate('sum', { count: 2, sum: 0, min: -1, max: 1 }), 0)
  })

  it('counts texts, and nothing else about them', () => {
    const tones = { count: 0, labels: { joy: 2, anger: 1 } }
    assert.equal(aggregate('count', tones), 3)
    assert.equal(valueCount(tones), 3)
    assert.equal(aggregate('average', tones), undefined)
  })

  it('tells no sum that is beyond what a number can hold', () => {
    const values = { count: 2, sum: Number.MAX_VALUE, min: 1e308, max: 1e308 }
    assert.equal(aggregate('sum', values), undefined)
    assert.equal(aggregate('average', values), undefined)
    assert.equal(aggregate('max', values), 1e308)
  })

  it('keeps a quantile between the smallest and the largest value', () => {
    assert.equal(aggregate('p95', { count: 2, sum: 200, min: 99, max: 101, quantile: 101.3 }), 101)
    assert.equal(aggregate('median', { count: 2, sum: 200, min: 99, max: 101, quantile: 98.9 }), 99)
  })
})
