import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EnvironmentTenant } from '../../src/domain/tenant.ts'
import { atLeast, judgesBy } from '../../src/evaluators/kit/verdict-rule.ts'
import type { NewReviewQueue } from '../../src/ports/review-storage.ts'
import type { Storage } from '../../src/ports/storage.ts'
import {
  AT_MS,
  charCount,
  createTenant,
  nextId,
  type StorageHarness,
  storeWithTenant,
} from './contract-fixtures.ts'
import { eraseAll } from './deletion-fixtures.ts'
import { countIn } from './deletion-store.ts'
import { admitAndScore, bindSetup } from './result-fixtures.ts'

const RULE = judgesBy(atLeast('char_count', 5), { pass: 'Long', fail: 'Short' })
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const MAX = 20

/** A store whose evaluations have these numbers as outputs, each of its own trace; the first comes first. */
async function reviewedStore(harness: StorageHarness, values: readonly number[]) {
  const { storage, tenant } = await storeWithTenant(harness)
  await bindSetup(storage, tenant, 's', { evaluators: [charCount] }, {}, RULE)
  await admitAndScore(
    storage,
    tenant,
    values.map((_, at) => ({ atMs: AT_MS + at * MINUTE_MS })),
    ({ atMs }) => ({
      status: 'scored',
      output: { char_count: values[(atMs - AT_MS) / MINUTE_MS] },
    }),
  )
  const { evaluations } = await storage.listEvaluations(tenant, {}, { order: 'oldest', limit: 1_000 })
  return { storage, tenant, evaluations }
}

function newQueue(evaluations: NewReviewQueue['evaluations']): NewReviewQueue {
  return {
    ...{ id: nextId(), name: 'Short answers', filter: { verdict: 'fail' }, reviewers: ['Ada', 'Bo'] },
    ...{ sampleSize: 10, seed: 'a seed', drawnFrom: 40, isWhole: true, evaluations },
  }
}

async function makeQueue(
  storage: Storage,
  tenant: EnvironmentTenant,
  evaluations: NewReviewQueue['evaluations'],
) {
  const queue = await storage.createReviewQueue(tenant, newQueue(evaluations), AT_MS, MAX)
  assert.ok(queue !== 'full')
  return queue
}

async function placesOf(storage: Storage, tenant: EnvironmentTenant, id: string, unansweredBy?: string) {
  const range = unansweredBy === undefined ? { limit: 100 } : { limit: 100, unansweredBy }
  return (await storage.listReviewItems(tenant, id, range))?.items.map(({ place }) => place)
}

/** The promises of every store about reviews. */
export function describeReviews(harness: StorageHarness): void {
  describeQueues(harness)
  describeAnswers(harness)
  describeEndOfItems(harness)
}

function describeQueues(harness: StorageHarness): void {
  test('keeps review queues as they were given and tells the newest first', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4, 9, 3])
    const [first, second, third] = evaluations
    const given = newQueue([third, first, second].flatMap((each) => each ?? []))
    const queue = await storage.createReviewQueue(tenant, given, AT_MS, MAX)
    assert.ok(queue !== 'full')
    const { evaluations: _, ...rest } = given
    assert.deepEqual(queue, { ...rest, number: queue.number, createdAtMs: AT_MS })
    assert.deepEqual(await storage.getReviewQueue(tenant, queue.id), queue)
    const later = await makeQueue(storage, tenant, [])
    const listed = await storage.listReviewQueues(tenant, { limit: 10 })
    assert.deepEqual(listed, [later, queue])
    const behind = { limit: 10, beforeNumber: later.number }
    assert.deepEqual(await storage.listReviewQueues(tenant, behind), [queue])
    const page = await storage.listReviewItems(tenant, queue.id, { limit: 2 })
    assert.deepEqual(
      page?.items.map(({ evaluation, answers }) => [evaluation, answers]),
      [
        [third, []],
        [first, []],
      ],
    )
    const next = await storage.listReviewItems(tenant, queue.id, {
      limit: 2,
      afterPlace: page?.nextAfter ?? -1,
    })
    assert.deepEqual(
      [next?.items.map(({ evaluation }) => evaluation), next?.nextAfter],
      [[second], undefined],
    )
    assert.equal(await storage.createReviewQueue(tenant, newQueue([]), AT_MS, 2), 'full')
    assert.equal(await storage.deleteReviewQueue(tenant, queue.id), true)
    assert.equal(await storage.deleteReviewQueue(tenant, queue.id), false)
    assert.equal(await storage.getReviewQueue(tenant, queue.id), undefined)
    assert.equal(await storage.listReviewItems(tenant, queue.id, { limit: 2 }), undefined)
  })

  test('shows review queues to their project alone', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4])
    const { id } = await makeQueue(storage, tenant, evaluations)
    const other = await createTenant(storage, 'other')
    const place = { id, evaluationNumber: evaluations[0]?.number ?? 0 }
    const answer = { reviewer: 'Eve', verdict: 'pass' } as const
    assert.equal(await storage.getReviewQueue(other, id), undefined)
    assert.deepEqual(await storage.listReviewQueues(other, { limit: 10 }), [])
    assert.equal(await storage.listReviewItems(other, id, { limit: 10 }), undefined)
    assert.equal(await storage.readReviewedItems(other, id), undefined)
    assert.equal(await storage.putReviewAnswer(other, place, answer, AT_MS, MAX), undefined)
    assert.equal(await storage.deleteReviewAnswer(other, place, 'Eve'), false)
    assert.equal(await storage.deleteReviewQueue(other, id), false)
    // A queue of another project that names an evaluation of this one does not reach it.
    const stolen = await makeQueue(storage, other, evaluations)
    assert.deepEqual(await placesOf(storage, other, stolen.id), [])
    assert.equal(
      await storage.putReviewAnswer(other, { ...place, id: stolen.id }, answer, AT_MS, MAX),
      undefined,
    )
  })
}

function describeAnswers(harness: StorageHarness): void {
  test('keeps one answer of each reviewer, as an annotation of the unit', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4, 9])
    const { id } = await makeQueue(storage, tenant, evaluations)
    const [evaluation] = evaluations
    const place = { id, evaluationNumber: evaluation?.number ?? 0 }
    const put = (reviewer: string, verdict: 'pass' | 'fail', comment?: string) =>
      storage.putReviewAnswer(
        tenant,
        place,
        { reviewer, verdict, ...(comment === undefined ? {} : { comment }) },
        AT_MS,
        MAX,
      )
    await put('Ada', 'fail')
    await put('Ada', 'pass', 'It is fine.')
    const item = await put('Bo', 'fail')
    assert.ok(item && item !== 'full')
    assert.deepEqual(
      item.answers.map(({ annotation: _, ...answer }) => answer),
      [
        { reviewer: 'Bo', verdict: 'fail' },
        { reviewer: 'Ada', verdict: 'pass', comment: 'It is fine.' },
      ],
    )
    const { annotations } = await storage.listAnnotations(tenant, { task: id }, { limit: 10 })
    assert.deepEqual(
      annotations.map(({ number: _, createdAtMs: __, ...annotation }) => annotation),
      [
        { value: false, actor: 'Bo' },
        { value: true, actor: 'Ada', comment: 'It is fine.' },
      ].map((said) => ({
        ...{ traceId: evaluation?.traceId, spanId: evaluation?.spanId, envProjectId: tenant.envProjectId },
        ...{ name: '$verdict', source: 'human', evaluator: 'char-count', task: id, ...said },
      })),
    )
    assert.deepEqual(await placesOf(storage, tenant, id, 'Ada'), [1])
    assert.deepEqual(await storage.readReviewedItems(tenant, id), [
      { place: 0, verdict: 'fail', answers: item.answers.map(({ annotation: _, ...answer }) => answer) },
      { place: 1, verdict: 'pass', answers: [] },
    ])
    assert.equal(await storage.deleteReviewAnswer(tenant, place, 'Ada'), true)
    assert.equal(await storage.deleteReviewAnswer(tenant, place, 'Ada'), false)
    assert.deepEqual(await placesOf(storage, tenant, id, 'Ada'), [0, 1])
    assert.deepEqual(await placesOf(storage, tenant, id, 'Bo'), [1])
  })

  test('keeps one answer of a reviewer who answers twice at once', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4])
    const { id } = await makeQueue(storage, tenant, evaluations)
    const place = { id, evaluationNumber: evaluations[0]?.number ?? 0 }
    await Promise.all(
      (['pass', 'fail', 'pass', 'fail'] as const).map((verdict) =>
        storage.putReviewAnswer(tenant, place, { reviewer: 'Ada', verdict }, AT_MS, MAX),
      ),
    )
    const { annotations } = await storage.listAnnotations(tenant, { task: id }, { limit: 10 })
    assert.equal(annotations.length, 1)
  })

  test('takes answers of so many people and no more', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4, 5])
    const { id } = await makeQueue(storage, tenant, evaluations)
    const put = (at: number, reviewer: string) => {
      const place = { id, evaluationNumber: evaluations[at]?.number ?? 0 }
      return storage.putReviewAnswer(tenant, place, { reviewer, verdict: 'pass' }, AT_MS, 1)
    }
    assert.notEqual(await put(0, 'Ada'), 'full')
    assert.equal(await put(1, 'Bo'), 'full')
    assert.notEqual(await put(1, 'Ada'), 'full')
  })

  test('deletes a single annotation of the project', async () => {
    const { storage, tenant } = await storeWithTenant(harness)
    const other = await createTenant(storage, 'other')
    const said = { sessionId: 'talk', name: 'calm', value: 1, source: 'human' } as const
    const [first, second] = await storage.addAnnotations(tenant, [said, said], AT_MS)
    assert.equal(await storage.deleteAnnotation(other, first?.number ?? 0), false)
    assert.equal(await storage.deleteAnnotation(tenant, first?.number ?? 0), true)
    assert.equal(await storage.deleteAnnotation(tenant, first?.number ?? 0), false)
    const { annotations } = await storage.listAnnotations(tenant, {}, { limit: 10 })
    assert.deepEqual(annotations, [second])
  })

  test('tells reviewed evaluations from others', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [1, 2, 3, 4])
    const [first, second, third, fourth] = evaluations
    const said = { name: 'char_count', value: 1, source: 'human', evaluator: 'char-count' } as const
    const about = (each: typeof first) => ({ traceId: each?.traceId ?? '', spanId: each?.spanId ?? '' })
    await storage.addAnnotations(
      tenant,
      [
        { ...said, ...about(first) },
        { ...said, ...about(second), evaluator: 'word-count' },
        { ...said, ...about(third), source: 'api' },
        { ...said, traceId: fourth?.traceId ?? '' },
      ],
      AT_MS,
    )
    const find = async (isReviewed: boolean) => {
      const page = await storage.listEvaluations(tenant, { isReviewed }, { order: 'oldest', limit: 10 })
      return page.evaluations
    }
    assert.deepEqual(await find(true), [first])
    assert.deepEqual(await find(false), [second, third, fourth])
    const failed = { isReviewed: false, verdict: 'fail', monitorId: first?.monitorId ?? '' } as const
    const page = await storage.listEvaluations(tenant, failed, { order: 'newest', limit: 1 })
    assert.deepEqual(page.evaluations, [fourth])
  })
}

function describeEndOfItems(harness: StorageHarness): void {
  test('takes the items and answers of a deleted trace out of a queue at once', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4, 9])
    const { id } = await makeQueue(storage, tenant, evaluations)
    const [gone] = evaluations
    const place = { id, evaluationNumber: gone?.number ?? 0 }
    const answer = { reviewer: 'Ada', verdict: 'pass', comment: 'a secret' } as const
    await storage.putReviewAnswer(tenant, place, answer, AT_MS, MAX)
    await storage.deleteTrace(tenant, gone?.traceId ?? '', AT_MS)
    const left = [{ place: 1, verdict: 'pass', answers: [] }]
    assert.deepEqual(await storage.readReviewedItems(tenant, id), left)
    assert.deepEqual(await placesOf(storage, tenant, id), [1])
    assert.equal(await storage.putReviewAnswer(tenant, place, answer, AT_MS, MAX), undefined)
    await eraseAll(storage)
    assert.deepEqual(await storage.readReviewedItems(tenant, id), left)
    assert.deepEqual(await storage.listAnnotations(tenant, {}, { limit: 10 }), { annotations: [] })
  })

  test('deletes review queues with all data of the project', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4])
    const name = `secret-${nextId()}`
    const { id } = newQueue([])
    await storage.createReviewQueue(tenant, { ...newQueue(evaluations), id, name }, AT_MS, MAX)
    assert.ok((await countIn(harness, storage, name)) > 0)
    await storage.deleteProjectData(tenant, AT_MS)
    assert.equal(await storage.getReviewQueue(tenant, id), undefined)
    await eraseAll(storage)
    assert.equal(await countIn(harness, storage, name), 0)
    assert.deepEqual(await storage.listReviewQueues(tenant, { limit: 10 }), [])
  })

  test('takes items out of a queue when their evaluations are no longer kept', async () => {
    const { storage, tenant, evaluations } = await reviewedStore(harness, [4, 9])
    const { id } = await makeQueue(storage, tenant, evaluations)
    const later = Date.now() + 400 * 24 * HOUR_MS
    while (await storage.work.dropExpired(later, 1));
    assert.deepEqual(await storage.readReviewedItems(tenant, id), [])
    assert.equal((await storage.getReviewQueue(tenant, id))?.id, id)
  })
}
