import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseChartRange, chooseEvenRange } from './chart-range.ts'

const NOW_MS = Date.parse('2026-11-16T12:00:00Z')
const LAST_MS = Date.parse('9999-12-31T23:59:59Z')

describe('the range of a chart', () => {
  const choices = [
    ['in named buckets', (range: object) => chooseChartRange(range, NOW_MS)],
    ['in even buckets', (range: object) => chooseEvenRange({ buckets: 24, ...range }, NOW_MS)],
    ['in whole hours', (range: object) => chooseEvenRange({ buckets: 24, isHourly: true, ...range }, NOW_MS)],
  ] as const

  for (const [how, choose] of choices) {
    test(`${how} that would end beyond the year 9999 is refused, naming what was given`, () => {
      assert.throws(
        () => choose({ to: LAST_MS }),
        /^PublicError: invalid input: to must be before 9999-01-01/,
      )
      assert.throws(
        () => choose({ from: LAST_MS }),
        /^PublicError: invalid input: from must be before 9999-01-01/,
      )
    })

    test(`${how} ends at a time that can be written with four digits for the year`, () => {
      const to = Date.parse('9998-12-31T23:59:59.999Z')
      const { toMs } = choose({ from: to - 1, to })
      assert.match(new Date(toMs).toISOString(), /^9999-01-/)
    })
  }

  test('has even buckets of whole minutes, and of whole hours where they are longer than one', () => {
    const hours = (range: number, buckets: number) =>
      chooseEvenRange({ buckets, from: NOW_MS - range * 3_600_000, to: NOW_MS }, NOW_MS).bucketMs / 3_600_000
    assert.deepEqual([hours(24, 48), hours(24, 24), hours(24, 23)], [0.5, 1, 2])
    assert.deepEqual([hours(720, 48), hours(720, 50), hours(168, 48)], [15, 15, 4])
  })

  test('that is too long names the field that the caller can change', () => {
    const range = { from: 0, to: NOW_MS }
    assert.throws(() => chooseChartRange(range, NOW_MS), /from must be at most 10000 days before to/)
    assert.throws(() => chooseChartRange({ ...range, bucket: '1m' }, NOW_MS), /bucket 1m makes \d+ points/)
  })
})

test('a chart of hours has none that is shorter, and every one is whole', () => {
  const { bucketMs, fromMs, toMs } = chooseEvenRange(
    { buckets: 48, from: NOW_MS - 1, to: NOW_MS + 1, isHourly: true },
    NOW_MS,
  )
  assert.equal(bucketMs, 3_600_000)
  assert.ok(fromMs % bucketMs === 0 && toMs % bucketMs === 0 && toMs > NOW_MS)
})
