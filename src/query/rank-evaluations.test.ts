import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvaluationFilter, EvaluationRange, StoredEvaluation } from '../ports/result-storage.ts'
import { RANKED_MAX, rankEvaluations } from './rank-evaluations.ts'

const tenant = { orgId: 'o', projectId: 'p' }

/** A store of so many results, each with its own number as value, which notes what it is asked for. */
function storeOf(count: number) {
  const asked: { filter: EvaluationFilter; range: EvaluationRange }[] = []
  const listEvaluations = async (_: unknown, filter: EvaluationFilter, range: EvaluationRange) => {
    asked.push({ filter, range })
    const newest = (range.afterNumber ?? count + 1) - 1
    const length = Math.min(range.limit, newest)
    const evaluations = Array.from({ length }, (_, at) => {
      const number = newest - at
      return { number, slug: 'char-count', output: { char_count: number } } as unknown as StoredEvaluation
    })
    const last = newest - length + 1
    return { evaluations, ...(last > 1 ? { nextAfter: last } : {}) }
  }
  return { asked, storage: { listEvaluations } as never }
}

const numbersOf = ({ evaluations }: { evaluations: readonly StoredEvaluation[] }) =>
  evaluations.map(({ number }) => number)

test('the worst and the best are those of the newest results, however many there are', async () => {
  const { storage, asked } = storeOf(RANKED_MAX + 500)
  const worst = await rankEvaluations(storage, tenant, { externalId: 'a' }, { order: 'worst', limit: 2 })
  assert.deepEqual([numbersOf(worst), worst.sampled], [[501, 502], RANKED_MAX])
  assert.ok(asked.every(({ filter }) => filter.externalId === 'a' && filter.status === 'scored'))
  const best = await rankEvaluations(storage, tenant, {}, { order: 'best', limit: 1 })
  assert.deepEqual(numbersOf(best), [RANKED_MAX + 500])
})

test('a status that was asked for is kept', async () => {
  const { storage, asked } = storeOf(3)
  const { sampled } = await rankEvaluations(storage, tenant, { status: 'error' }, { order: 'best', limit: 1 })
  assert.deepEqual([sampled, asked.map(({ filter }) => filter.status)], [3, ['error']])
})
