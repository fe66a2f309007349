import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StatusCounts } from '../../ports/overview-storage.ts'
import {
  type Attention,
  budgetAttention,
  failureAttention,
  lagAttention,
  sortAttention,
} from './attention.ts'

function ofCounts(counts: StatusCounts) {
  const [found] = failureAttention({
    ...{ id: 'm', externalId: 's', slug: 'char-count', scope: 'span', isActive: true },
    counts,
  })
  return found && `${found.severity}: ${found.message}`
}

test('failures are told from a tenth of the units on, and are an error from half of them on', () => {
  assert.equal(ofCounts({ scored: 91, error: 9 }), undefined)
  assert.equal(ofCounts({ scored: 90, error: 4, refused: 6 }), 'warning: 10 of 100 evaluations failed')
  assert.equal(ofCounts({ scored: 2, unparseable: 1, over_budget: 2 }), 'error: 3 of 5 evaluations failed')
  assert.equal(ofCounts({ error: 2 }), undefined)
  assert.equal(ofCounts({ scored: 20, error: 3, sampled_out: 1_000 }), 'warning: 3 of 23 evaluations failed')
})

test('units without input are told when they are many and most', () => {
  assert.equal(ofCounts({ missing_input: 29 }), undefined)
  assert.equal(ofCounts({ scored: 31, missing_input: 30 }), undefined)
  assert.match(ofCounts({ scored: 30, missing_input: 30 }) ?? '', /^warning: 30 of 60 units do not carry/)
})

test('a budget is told when four fifths of it are spent', () => {
  const kindsOf = (usedMicros: number) =>
    budgetAttention({
      budget: { externalId: 's', dayMicros: 1_000_000, updatedAtMs: 0 },
      spent: { dayMicros: usedMicros, monthMicros: usedMicros },
    }).map(({ severity, externalId, message }) => [severity, externalId, message])
  assert.deepEqual(kindsOf(799_999), [])
  assert.deepEqual(kindsOf(800_000), [
    ['warning', 's', 'the judge budget of the day is nearly spent: 0.8 of 1 USD'],
  ])
  assert.equal(kindsOf(1_000_000)[0]?.[0], 'error')
})

test('spans that wait for long are told', () => {
  const severityAfter = (minutes: number) =>
    lagAttention({ waitingSpans: 2, oldestWaitingMs: 0, latestEvaluationMs: 0 }, minutes * 60_000)[0]
      ?.severity
  assert.deepEqual([severityAfter(3), severityAfter(4), severityAfter(11)], [undefined, 'warning', 'error'])
})

test('the worst comes first, then what stands first among the kinds', () => {
  const made = (severity: Attention['severity'], kind: Attention['kind']) => ({ severity, kind, message: '' })
  const sorted = sortAttention([
    made('info', 'setup_waiting'),
    made('warning', 'score_dropped'),
    made('warning', 'evaluations_failing'),
    made('error', 'budget'),
  ])
  assert.deepEqual(
    sorted.map(({ kind }) => kind),
    ['budget', 'evaluations_failing', 'score_dropped', 'setup_waiting'],
  )
})
