import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans, until } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function send(
  method: string,
  path: string,
  status: number,
  body?: object,
  key = FIRST_KEY,
): Promise<Json> {
  const answer = await service.call(method, path, { key, ...(body ? { body } : {}) })
  assert.equal(answer.status, status, answer.text)
  return answer.json
}

const get = (path: string) => send('GET', path, 200)
const list = async (query: string): Promise<Json[]> => (await get(`/v2/evaluations?${query}`)).evaluations
const ids = (evaluations: Json[]) => evaluations.map(({ id }) => id)

const EMAIL = 'Write to anna.schmidt@example.org about parcel'
const answers = Array.from({ length: 24 }, (_, at) =>
  at % 2 === 0 ? `${EMAIL} ${at}.` : `Parcel ${at} is late.`,
)
const failed = answers.filter((answer) => answer.startsWith('Write'))
await createGroupSetup(service, 'reviewed', { evaluators: ['pii-detector', 'char-count'] })
const spans = answers.map((answer, at) =>
  newSpan({
    answer,
    attributes: {
      [GROUP]: 'reviewed',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': `Where is parcel number ${at}?`,
    },
  }),
)
await sendSpans(service, spans)
await resultsOf(service, 'reviewed', 48)
const failures = await list('verdict=fail&limit=100')
const pii = 'evaluator_type=pii-detector'

/** A queue of failures and passes of the detector. */
const makeQueue = (body: object = {}) =>
  send('POST', '/v2/review-queues', 201, {
    ...{ name: 'Privacy', filter: { evaluator_type: 'pii-detector' }, sample_size: 12, ...body },
  })

test('200 a list includes the question, the answer, the reason and the reviews that are asked for', async () => {
  const [plain] = await list('verdict=fail&limit=1')
  assert.ok(!('preview' in plain || 'reason' in plain || 'reviews' in plain))
  const [found] = await list('verdict=fail&limit=1&include=preview,reason,reviews')
  assert.match(found.preview.input, /^Where is parcel number \d+\?$/)
  assert.match(found.preview.output, /^Write to anna/)
  assert.equal(found.reason.rule, 'has_pii is true; a pass needs false')
  assert.ok(found.reason.text.length > 0)
  assert.deepEqual(found.reviews, [])
  const [passed] = await list('verdict=pass&limit=1&include=reason')
  assert.equal(passed.reason?.rule, undefined)
})

for (const query of ['include=preview,everything', 'include=', 'reviewed=maybe', 'q=', 'order=oldest'])
  test(`400 names the parameter of ${query}`, async () => {
    const [name = ''] = query.split('=')
    const answer = await service.call('GET', `/v2/evaluations?${query}`)
    assertError(answer, 400, new RegExp(`\\b${name}\\b`))
  })

test('200 a text is looked for in questions and answers, page by page and among the worst', async () => {
  const texts = async (query: string) =>
    (await list(`${pii}&${query}&include=preview`)).map(({ preview }) => preview)
  assert.deepEqual(await texts('q=PARCEL%20number%207'), [
    { input: 'Where is parcel number 7?', output: 'Parcel 7 is late.' },
  ])
  assert.equal((await list(`${pii}&q=schmidt`)).length, failed.length)
  assert.deepEqual(await list('q=nowhere'), [])
  const first = await get(`/v2/evaluations?${pii}&q=schmidt&limit=5`)
  const second = await get(`/v2/evaluations?${pii}&q=schmidt&limit=100&cursor=${first.next_cursor}`)
  assert.deepEqual(
    [...ids(first.evaluations), ...ids(second.evaluations)],
    ids(await list(`${pii}&q=schmidt`)),
  )
  const worst = await get(`/v2/evaluations?${pii}&q=parcel&order=worst&limit=${failed.length}`)
  assert.deepEqual(ids(worst.evaluations).toSorted(), ids(failures).toSorted())
  assert.equal(worst.evaluations_sampled, 24)
})

test('200 the environment narrows the list', async () => {
  const { environment } = await get('/v2/whoami')
  assert.equal((await list(`environment=${environment}&${pii}&limit=100`)).length, 24)
  assert.deepEqual(await list('environment=nowhere'), [])
})

test('201 a review marks an evaluation as reviewed, and 204 deleting it takes that back', async () => {
  const [first] = failures
  const { trace_id, span_id } = first
  const about = {
    trace_id,
    span_id,
    name: '$verdict',
    source: 'human',
    evaluator: 'pii-detector',
    actor: 'Ada',
  }
  await send('POST', '/v2/scores', 201, { ...about, value: false, comment: 'No, it is real.' })
  const { id } = await send('POST', '/v2/scores', 201, { ...about, value: true, comment: 'An example.' })
  assert.deepEqual(ids(await list('reviewed=true')), [first.id])
  assert.equal((await list('reviewed=false&verdict=fail&limit=100')).length, failures.length - 1)
  const [{ reviews }] = await list('reviewed=true&include=reviews')
  assert.deepEqual(
    reviews.map(({ created_at: _, ...review }: Json) => review),
    [{ id, reviewer: 'Ada', verdict: 'pass', comment: 'An example.' }],
  )
  const { scores } = await get(`/v2/scores?trace_id=${trace_id}`)
  for (const score of scores) await send('DELETE', `/v2/scores/${score.id}`, 204)
  assertError(await service.call('DELETE', `/v2/scores/${id}`), 404, 'annotation not found')
  assertError(await service.call('DELETE', '/v2/scores/nothing'), 404, 'annotation not found')
  assert.deepEqual(await list('reviewed=true'), [])
})

test('201 a queue is a random sample of what passes or fails, and the same seed draws it again', async () => {
  const queue = await makeQueue({ seed: 'a', filter: {}, reviewers: ['Ada', 'Bo'] })
  assert.deepEqual(
    [queue.sample_size, queue.drawn_from, queue.drawn_from_all, queue.reviewers, queue.seed],
    [12, 24, true, ['Ada', 'Bo'], 'a'],
  )
  const itemsOf = async ({ id }: Json) =>
    (await get(`/v2/review-queues/${id}/items`)).items.map(({ evaluation }: Json) => evaluation.id)
  const drawn = await itemsOf(queue)
  assert.equal(new Set(drawn).size, 12)
  assert.deepEqual(await itemsOf(await makeQueue({ seed: 'a', filter: {} })), drawn)
  assert.notDeepEqual(await itemsOf(await makeQueue({ filter: {} })), drawn)
  const narrow = await makeQueue({ filter: { verdict: 'fail', q: 'parcel 4.' } })
  assert.equal(narrow.drawn_from, 1)
  const { review_queues: listed, next_cursor: cursor } = await get('/v2/review-queues?limit=1')
  assert.equal(listed[0].id, narrow.id)
  assert.equal((await get(`/v2/review-queues?cursor=${cursor}`)).review_queues.length, 3)
})

const BAD_QUEUES: [object, RegExp][] = [
  [{ name: '' }, /name is required/],
  [{ sample_size: 0 }, /sample_size/],
  [{ sample_size: 1_001 }, /sample_size/],
  [{ filter: { verdict: 'bad' } }, /filter\.verdict/],
  [{ filter: { status: 'error' } }, /filter.*status/],
  [{ filter: { evaluator_type: 'char-count' } }, /filter: matches no evaluation/],
  [{ reviewers: ['Ada', 'Ada'] }, /reviewers must not name anybody twice/],
  [{ reviewers: Array.from({ length: 21 }, (_, at) => `r${at}`) }, /reviewers/],
]
for (const [body, words] of BAD_QUEUES)
  test(`400 names the fault of a queue with ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const given = { name: 'Privacy', filter: {}, ...body }
    assertError(await service.call('POST', '/v2/review-queues', { body: given }), 400, words)
  })

test('200 two people answer without seeing each other, and agreement grows', async () => {
  const { id } = await makeQueue({ reviewers: ['Ada', 'Bo'], filter: { evaluator_type: 'pii-detector' } })
  const path = `/v2/review-queues/${id}`
  const itemsFor = async (reviewer: string) => (await get(`${path}/items?reviewer=${reviewer}`)).items
  const answer = (item: Json, reviewer: string, verdict: string, comment?: string) =>
    send('PUT', `${path}/items/${item.evaluation.id}/answer`, 200, {
      reviewer,
      verdict,
      ...(comment ? { comment } : {}),
    })
  const items = await itemsFor('Ada')
  const [first] = items
  const { with_evaluator: none, progress } = await get(path)
  assert.deepEqual(
    [none.pairs, progress.map(({ reviewer, answered }: Json) => [reviewer, answered])],
    [
      0,
      [
        ['Ada', 0],
        ['Bo', 0],
      ],
    ],
  )
  await answer(first, 'Ada', 'fail', 'Clear.')
  const [forBo] = await itemsFor('Bo')
  assert.ok(!('answer' in forBo || 'other_answers' in forBo), 'Bo sees nothing before answering')
  const opened = await answer(first, 'Bo', 'pass')
  assert.deepEqual(
    opened.other_answers.map(({ reviewer, verdict, comment }: Json) => [reviewer, verdict, comment]),
    [['Ada', 'fail', 'Clear.']],
  )
  await answer(first, 'Ada', 'fail')
  const { scores } = await get(`/v2/scores?task=${id}`)
  assert.equal(scores.length, 2, 'a changed answer takes the place of the one before')
  const left = await get(`${path}/items?reviewer=Ada&answered=false&limit=100`)
  assert.equal(left.items.length, items.length - 1)
  for (const item of items) await answer(item, 'Ada', item.evaluation.verdict)
  for (const item of items.slice(0, 11)) await answer(item, 'Bo', 'fail')
  const detail = await get(path)
  assert.deepEqual([detail.items, detail.reviewed], [12, 12])
  const [ada, bo] = detail.progress
  assert.deepEqual(ada, {
    reviewer: 'Ada',
    answered: 12,
    with_evaluator: { pairs: 12, agreement: 1, kappa: 1 },
  })
  assert.deepEqual([bo.answered, bo.with_evaluator.pairs, bo.with_evaluator.kappa], [11, 11, 0])
  assert.equal(detail.with_evaluator.pairs, 23)
  assert.deepEqual(detail.between[0].reviewers, ['Ada', 'Bo'])
  assert.equal(detail.between[0].kappa, 0)
  const withdrawn = `${path}/items/${first.evaluation.id}/answer?reviewer=Bo`
  await send('DELETE', withdrawn, 204)
  assertError(await service.call('DELETE', withdrawn), 404, 'review answer not found')
  const few = (await get(path)).progress[1].with_evaluator
  assert.equal(few.pairs, 10)
  const [blind] = await itemsFor('Bo')
  assert.ok(!('other_answers' in blind), 'a withdrawn answer hides the others again')
})

test('400 and 404 refuse answers that do not fit', async () => {
  const { id } = await makeQueue({ reviewers: ['Ada'], filter: { verdict: 'fail' }, sample_size: 1 })
  const { items } = await get(`/v2/review-queues/${id}/items`)
  const path = `/v2/review-queues/${id}/items`
  const own = `${path}/${items[0].evaluation.id}/answer`
  const put = (to: string, body: object) => service.call('PUT', to, { body })
  const good = { reviewer: 'Ada', verdict: 'fail' }
  assertError(await put(own, { ...good, reviewer: 'Eve' }), 400, /reviewer: the queue is for Ada/)
  assertError(await put(own, { ...good, verdict: 'neutral' }), 400, /verdict/)
  assertError(await put(own, { verdict: 'fail' }), 400, /reviewer/)
  const other = failures.find(({ id: each }) => each !== items[0].evaluation.id)
  assertError(await put(`${path}/${other.id}/answer`, good), 404, 'review item not found')
  assertError(await put(`${path}/nothing/answer`, good), 404, 'review item not found')
  assertError(await put(`/v2/review-queues/no/items/${other.id}/answer`, good), 404, 'review queue not found')
  assertError(await service.call('GET', `${path}?answered=false`), 400, /answered needs a reviewer/)
  assertError(await service.call('GET', `${path}?answered=true&reviewer=Ada`), 400, /answered/)
  assertError(await service.call('GET', '/v2/review-queues/no'), 404, 'review queue not found')
  assertError(await service.call('GET', '/v2/review-queues/no/items'), 404, 'review queue not found')
})

test('404 is the answer to other projects, and 403 to keys that may only read', async () => {
  const { id } = await makeQueue()
  const [item] = (await get(`/v2/review-queues/${id}/items`)).items
  const foreign = await send('POST', '/v2/organizations', 201, { org_name: 'Foreigner' })
  const stranger = foreign.environments[0].api_key
  const answer = `/v2/review-queues/${id}/items/${item.evaluation.id}/answer`
  const body = { reviewer: 'Eve', verdict: 'pass' }
  for (const [method, path, given] of [
    ['GET', `/v2/review-queues/${id}`, undefined],
    ['GET', `/v2/review-queues/${id}/items`, undefined],
    ['PUT', answer, body],
    ['DELETE', `${answer}?reviewer=Eve`, undefined],
    ['DELETE', `/v2/review-queues/${id}`, undefined],
  ] as const)
    assertError(
      await service.call(method, path, { key: stranger, ...(given ? { body: given } : {}) }),
      404,
      /not found$/,
    )
  assert.deepEqual((await send('GET', '/v2/review-queues', 200, undefined, stranger)).review_queues, [])
  const { api_key: reader } = await send('POST', '/v2/api-keys', 201, { scopes: ['read'] })
  assert.equal((await service.call('PUT', answer, { key: reader, body })).status, 403)
  assert.equal((await service.call('DELETE', `/v2/review-queues/${id}`, { key: reader })).status, 403)
})

test('204 deletes a queue and keeps its answers, and a deleted trace leaves its queues', async () => {
  const { id } = await makeQueue()
  const { items } = await get(`/v2/review-queues/${id}/items`)
  const [first, second] = items
  for (const { evaluation } of [first, second])
    await send('PUT', `/v2/review-queues/${id}/items/${evaluation.id}/answer`, 200, {
      ...{ reviewer: 'Ada', verdict: 'pass' },
    })
  assert.equal((await get(`/v2/scores?task=${id}`)).scores.length, 2)
  await send('DELETE', `/v2/traces/${first.evaluation.trace_id}`, 202)
  assert.deepEqual(
    ids((await get(`/v2/review-queues/${id}/items`)).items.map(({ evaluation }: Json) => evaluation)),
    ids(items.slice(1).map(({ evaluation }: Json) => evaluation)),
  )
  await until(service, `/v2/review-queues/${id}`, (queue) => queue.items === items.length - 1)
  await send('DELETE', `/v2/review-queues/${id}`, 204)
  assertError(await service.call('GET', `/v2/review-queues/${id}`), 404, 'review queue not found')
  assert.equal((await get(`/v2/scores?task=${id}`)).scores.length, 1)
})
