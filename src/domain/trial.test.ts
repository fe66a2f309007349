import assert from 'node:assert/strict'
import { test } from 'node:test'
import { labelVerdict, summarizeTrial, type TriedRow } from './trial.ts'
import { DEFAULT_LABELS, type VerdictRule } from './verdict.ts'

const POLITE: VerdictRule = { conditions: [{ field: 'polite', is: true }], labels: DEFAULT_LABELS }
const NO_PII: VerdictRule = { conditions: [{ field: 'has_pii', is: false }], labels: DEFAULT_LABELS }

for (const [name, value, named, expected] of [
  ['polite', false, undefined, 'fail'],
  ['has_pii', true, NO_PII, 'fail'],
  ['has_pii', false, NO_PII, 'pass'],
  ['thumbs', true, undefined, 'pass'],
  ['thumbs', false, NO_PII, 'fail'],
  ['stars', 4, undefined, undefined],
  ['mood', 'kind', undefined, undefined],
  ['tags', ['kind'], undefined, undefined],
] as const)
  test(`an annotation ${name} of ${JSON.stringify(value)} is ${expected ?? 'no verdict'}${named ? ' by the rule of its evaluator' : ''}`, () => {
    assert.equal(labelVerdict({ name, value }, POLITE, named), expected)
  })

test('a summary counts verdicts, cost and agreement with people', () => {
  const rows: TriedRow[] = [
    ...Array.from({ length: 6 }, () => ({ verdict: 'pass', label: 'pass', costMicros: 10 }) as const),
    ...Array.from({ length: 3 }, () => ({ verdict: 'fail', label: 'fail', costMicros: 10 }) as const),
    { verdict: 'pass', label: 'fail', costMicros: 10 },
    { verdict: 'neutral', label: 'pass' },
    { label: 'pass' },
    { verdict: 'fail' },
  ]
  const { agreement, ...counts } = summarizeTrial(rows)
  assert.deepEqual(counts, {
    ...{ rows: 13, passed: 7, failed: 4, neutral: 1, unanswered: 1 },
    ...{ costMicros: 100, unpriced: 2, labelled: 10, equal: 9 },
  })
  assert.equal(agreement?.share, 0.9)
  // Chance: 0.7 × 0.6 + 0.3 × 0.4 = 0.54.
  assert.ok(Math.abs((agreement?.kappa ?? 0) - 0.36 / 0.46) < 1e-9)
})

test('fewer than ten labelled rows have no kappa', () => {
  const rows = Array.from({ length: 9 }, () => ({ verdict: 'pass', label: 'pass' }) as const)
  const summary = summarizeTrial(rows)
  assert.deepEqual([summary.labelled, summary.equal, summary.agreement], [9, 9, undefined])
})
