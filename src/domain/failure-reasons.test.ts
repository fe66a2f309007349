import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAILURE_GROUPS_MAX, groupFailures, normalizeReason } from './failure-reasons.ts'

const failure = (number: number, reason: string, slug = 'faithfulness') => ({
  ...{ slug, label: 'Not faithful', reason, number },
})

test('reasons that differ in numbers, quotes and case are one group, told by its newest', () => {
  const groups = groupFailures([
    failure(1, 'The price 12.50 is not in "the context".'),
    failure(3, 'The price 9 is not in "our prices"'),
    failure(2, 'THE PRICE 7 is not in "x".'),
    failure(4, 'The date is wrong.'),
  ])
  assert.deepEqual(
    groups.map(({ reason, count, newest }) => [reason, count, newest]),
    [
      ['The price 9 is not in "our prices"', 3, 3],
      ['The date is wrong.', 1, 4],
    ],
  )
})

test('the same reason of two evaluators is two groups', () => {
  assert.equal(groupFailures([failure(1, 'Empty.'), failure(2, 'Empty.', 'relevancy')]).length, 2)
})

test('only the largest groups are told', () => {
  const many = Array.from({ length: 30 }, (_, at) => failure(at, `reason ${String.fromCharCode(97 + at)}`))
  assert.equal(groupFailures(many).length, FAILURE_GROUPS_MAX)
})

test('a very long reason is normalized in bounded time', () => {
  assert.ok(normalizeReason(`${'"'.repeat(1_000_000)}a`).length <= 120)
})
