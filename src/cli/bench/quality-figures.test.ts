import assert from 'node:assert/strict'
import { test } from 'node:test'
import { computeFigures, type Judged } from './quality-figures.ts'

function judged(expected: object, answer: object | undefined, meta: object = {}): Judged {
  const row = {
    id: '',
    input: {},
    expected: expected as Record<string, unknown>,
    meta: meta as Record<string, unknown>,
  }
  return answer ? { row, answer: answer as Record<string, unknown> } : { row, error: 'failed' }
}

test('a detector: accuracy, precision, recall, F1 and false positive rate of what it finds', () => {
  const figures = computeFigures([
    judged({ is_safe: false }, { is_safe: false }),
    judged({ is_safe: false }, { is_safe: false }),
    judged({ is_safe: false }, { is_safe: true }),
    judged({ is_safe: true }, { is_safe: false }),
    judged({ is_safe: true }, { is_safe: true }),
  ])
  assert.deepEqual(figures, {
    rows: 5,
    errors: 0,
    accuracy: 3 / 5,
    balancedAccuracy: (2 / 3 + 1 / 2) / 2,
    precision: 2 / 3,
    recall: 2 / 3,
    f1: 2 / 3,
    falsePositiveRate: 1 / 2,
  })
})

test('an error counts as wrong and never as found', () => {
  const figures = computeFigures([
    judged({ has_pii: true }, undefined),
    judged({ has_pii: false }, undefined),
  ])
  assert.deepEqual([figures.errors, figures.accuracy, figures.recall], [2, 0, 0])
})

test('a score that means yes or no: balanced accuracy, an error is wrong either way', () => {
  const rows = [0.5, 0.4, 1].map((score) => judged({}, { correctness_score: score }, { label: true }))
  const others = [
    judged({}, { correctness_score: 0.2 }, { label: false }),
    judged({}, undefined, { label: false }),
  ]
  assert.equal(computeFigures([...rows, ...others]).balancedAccuracy, (2 / 3 + 1 / 2) / 2)
  const some = [0.1, 0].map((score) => judged({}, { relevance_score: score }, { label: score > 0 }))
  assert.equal(computeFigures(some).balancedAccuracy, 1)
})

test('a ranking: ties count half', () => {
  const rows = [0.9, 0.5, 0.5, 0.1].map((score, at) => judged({}, { score }, { label: at === 0 || at === 1 }))
  assert.equal(computeFigures(rows).auc, (1 + 1 + 0.5 + 1) / 4)
})

test('a ranking: what is found when one negative in a hundred is a false alarm', () => {
  const negatives = Array.from({ length: 200 }, (_, score) => judged({}, { score }, { label: false }))
  const positives = [500, 198, 197].map((score) => judged({}, { score }, { label: true }))
  assert.equal(computeFigures([...negatives, ...positives]).recallAtOnePercent, 2 / 3)
})

test('pairs: the better one has to score higher', () => {
  const rows = [
    judged({}, { score: 1 }, { pair: 'a', better: true }),
    judged({}, { score: 0 }, { pair: 'a', better: false }),
    judged({}, { score: 0 }, { pair: 'b', better: true }),
    judged({}, { score: 0 }, { pair: 'b', better: false }),
  ]
  assert.equal(computeFigures(rows).accuracy, 0.75)
  assert.equal(computeFigures(rows).balancedAccuracy, 0.75)
})

test('a missing score is wrong in a pair and in a ranking, whichever row it is', () => {
  const pair = [
    judged({}, { score: 1 }, { pair: 'a', better: true }),
    judged({}, undefined, { pair: 'a', better: false }),
  ]
  assert.equal(computeFigures(pair).accuracy, 0)
  const rows = [
    judged({}, { score: 1 }, { label: true }),
    judged({}, undefined, { label: false }),
    judged({}, { score: 0 }, { label: false }),
  ]
  assert.equal(computeFigures(rows).auc, 0.5)
})
