import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EvaluationFilter, EvaluationRange, StoredEvaluation } from '../ports/result-storage.ts'
import { DRAWN_FROM_MAX, drawReviewSample } from './draw-review-sample.ts'

const tenant = { orgId: 'o', projectId: 'p' }
const VERDICTS = ['pass', 'fail', 'neutral'] as const

/** A store of so many evaluations, a third of which are neutral; every trace was evaluated by two monitors. */
function storeOf(count: number) {
  const listEvaluations = async (_: unknown, __: EvaluationFilter, range: EvaluationRange) => {
    const newest = (range.afterNumber ?? count + 1) - 1
    const length = Math.min(range.limit, newest)
    const evaluations = Array.from({ length }, (_, at) => {
      const number = newest - at
      const unit = {
        scope: 'trace',
        traceId: `${Math.floor(number / 6)} ${number % 3}`,
        slug: 'faithfulness',
      }
      const verdict = VERDICTS[number % 3]
      return {
        number,
        unitAtMs: number * 10,
        status: 'scored',
        verdict,
        ...unit,
      } as unknown as StoredEvaluation
    })
    const last = newest - length + 1
    return { evaluations, ...(last > 1 ? { nextAfter: last } : {}) }
  }
  return { listEvaluations } as never
}

test('the same seed draws the same evaluations, and another one draws others', async () => {
  const draw = (seed: string) => drawReviewSample(storeOf(600), tenant, { filter: {} }, { size: 20, seed })
  const first = await draw('one')
  assert.deepEqual(await draw('one'), first)
  assert.notDeepEqual((await draw('two')).evaluations, first.evaluations)
  assert.equal(first.evaluations.length, 20)
  // 400 of the 600 judge, and each unit is drawn once.
  assert.deepEqual([first.drawnFrom, first.isWhole], [201, true])
  for (const { number, unitAtMs } of first.evaluations) {
    assert.equal(unitAtMs, number * 10)
    assert.notEqual(number % 3, 2)
  }
})

test('every evaluation has the same chance', async () => {
  const drawn = new Map<number, number>()
  const storage = storeOf(60)
  for (let seed = 0; seed < 2_000; seed++) {
    const { evaluations } = await drawReviewSample(
      storage,
      tenant,
      { filter: {} },
      { size: 7, seed: `${seed}` },
    )
    for (const { number } of evaluations) drawn.set(number, (drawn.get(number) ?? 0) + 1)
  }
  // A third of 21 units in 2,000 samples: 667 times each, with a standard deviation of 21.
  assert.equal(drawn.size, 21)
  for (const [number, count] of drawn)
    assert.ok(Math.abs(count - 667) < 110, `${number} was drawn ${count} times`)
})

test('draws from the newest evaluations when there are too many', async () => {
  const sample = await drawReviewSample(storeOf(100_000), tenant, { filter: {} }, { size: 5, seed: 'a' })
  assert.equal(sample.isWhole, false)
  assert.ok(sample.drawnFrom <= DRAWN_FROM_MAX && sample.drawnFrom > 5_000)
  for (const { number } of sample.evaluations) assert.ok(number > 70_000)
})
