import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../support/service.ts'
import { createGroupSetup, GROUP, newSpan, resultsOf, sendSpans } from './result-calls.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape.
type Json = any

async function list(query: string): Promise<Json> {
  const answer = await service.call('GET', `/v2/evaluations?${query}`)
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const EMAIL = 'write to anna.schmidt@example.org'
const answers = ['four', 'a', EMAIL, undefined, 'something longer', 'b']
await createGroupSetup(service, 'ranked', { evaluators: ['char-count', 'pii-detector'] })
for (const answer of answers) {
  await sendSpans(service, [
    newSpan({ ...(answer === undefined ? {} : { answer }), attributes: { [GROUP]: 'ranked' } }),
  ])
  const sent = answers.indexOf(answer) + 1
  await resultsOf(service, 'ranked', sent * 2)
}

const counting = 'evaluator_type=char-count'
const lengths = ({ evaluations }: Json) => evaluations.map(({ output }: Json) => output?.char_count)

test('200 tells the worst first: the smallest value, of equal ones the newer', async () => {
  const worst = await list(`${counting}&order=worst`)
  assert.deepEqual(lengths(worst), [1, 1, 4, 16, EMAIL.length])
  const [first, second] = worst.evaluations
  assert.ok(first.id > second.id)
  assert.equal(worst.evaluations_sampled, 5)
  assert.ok(!('next_cursor' in worst))
})

test('200 tells the best first, as many as were asked for', async () => {
  const best = await list(`${counting}&order=best&limit=2`)
  assert.deepEqual(lengths(best), [EMAIL.length, 16])
  assert.deepEqual([best.evaluations_sampled, 'next_cursor' in best], [5, false])
})

test('200 takes true for worse where the evaluator looks for something bad', async () => {
  const flags = async (order: string) =>
    (await list(`evaluator_type=pii-detector&order=${order}`)).evaluations.map(
      ({ output }: Json) => output.has_pii,
    )
  assert.deepEqual(await flags('worst'), [true, false, false, false, false])
  assert.deepEqual(await flags('best'), [false, false, false, false, true])
})

test('200 sorts only what the filters leave', async () => {
  assert.deepEqual(lengths(await list(`${counting}&order=worst&min_value=2`)), [4, 16, EMAIL.length])
  const missing = await list(`${counting}&order=worst&status=missing_input`)
  assert.deepEqual(missing, { evaluations: [], evaluations_sampled: 1 })
  const made = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  const key = made.json.environments[0].api_key
  const { json } = await service.call('GET', '/v2/evaluations?order=worst', { key })
  assert.deepEqual(json, { evaluations: [], evaluations_sampled: 0 })
})

test('200 keeps pages with the order of recording', async () => {
  const first = await list(`${counting}&order=newest&limit=2`)
  assert.deepEqual(lengths(first), [1, 16])
  assert.ok(!('evaluations_sampled' in first))
  const second = await list(`${counting}&order=newest&limit=2&cursor=${first.next_cursor}`)
  assert.deepEqual(lengths(second), [undefined, EMAIL.length])
})

test('400 refuses an order that does not exist and a page of one that has none', async () => {
  const call = (query: string) => service.call('GET', `/v2/evaluations?${query}`)
  assertError(await call('order=oldest'), 400, 'invalid input: order must be one of newest, worst, best')
  const { next_cursor: cursor } = await list('limit=1')
  assertError(
    await call(`order=worst&cursor=${cursor}`),
    400,
    'invalid input: cursor must be absent with the order worst, which has no pages',
  )
})
