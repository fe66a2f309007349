import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReviewedItem } from '../ports/review-storage.ts'
import { reviewProgress } from './review-progress.ts'

type Said = 'pass' | 'fail' | undefined

/** An item that the evaluator judged and that people answered. */
function item(verdict: Said | 'neutral', said: Readonly<Record<string, Said>>): ReviewedItem {
  const answers = Object.entries(said).flatMap(([reviewer, found]) =>
    found ? [{ reviewer, verdict: found }] : [],
  )
  return { place: 0, ...(verdict === undefined ? {} : { verdict }), answers }
}

const times = (count: number, one: ReviewedItem) => Array.from({ length: count }, () => one)

test('counts the answers of each reviewer, those whom the queue is for first', () => {
  const items = [item('fail', { Cy: 'pass', Bo: 'fail' }), item('pass', { Bo: 'pass' }), item('pass', {})]
  const progress = reviewProgress(items, ['Zoe'])
  assert.deepEqual([progress.items, progress.reviewed], [3, 2])
  assert.deepEqual(
    progress.reviewers.map(({ reviewer, answered }) => [reviewer, answered]),
    [
      ['Zoe', 0],
      ['Bo', 2],
      ['Cy', 1],
    ],
  )
})

test('tells the agreement with the evaluator and between two people from ten pairs on', () => {
  const few = reviewProgress(times(9, item('fail', { Ada: 'fail', Bo: 'pass' })), [])
  assert.deepEqual(few.reviewers[0]?.withEvaluator, { pairs: 9 })
  assert.deepEqual(few.between, [{ pairs: 9, reviewers: ['Ada', 'Bo'] }])
  assert.deepEqual(few.withEvaluator, { pairs: 18, agreement: { share: 0.5, kappa: 0 } })
  const items = [
    ...times(6, item('fail', { Ada: 'fail', Bo: 'fail' })),
    ...times(6, item('pass', { Ada: 'pass', Bo: 'fail' })),
    item('neutral', { Ada: 'pass' }),
    item(undefined, { Ada: 'pass' }),
  ]
  const { reviewers, between } = reviewProgress(items, [])
  assert.deepEqual(reviewers[0]?.withEvaluator, { pairs: 12, agreement: { share: 1, kappa: 1 } })
  assert.deepEqual(reviewers[1]?.withEvaluator, { pairs: 12, agreement: { share: 0.5, kappa: 0 } })
  assert.deepEqual(between[0]?.agreement, { share: 0.5, kappa: 0 })
})
