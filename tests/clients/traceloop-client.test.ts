import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TraceloopClient } from '@traceloop/node-server-sdk'
import { EVALUATORS } from '../../src/evaluators/registry.gen.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startService } from '../support/service.ts'

// The client that applications really use, as it comes from its package.
const service = await startService()
const client = new TraceloopClient({ apiKey: FIRST_KEY, appName: 'test', baseUrl: service.url })

test('the client lists built-in and custom evaluators', async () => {
  const prebuilt = await client.evaluator.list('prebuilt')
  assert.equal(prebuilt.length, EVALUATORS.length)
  const charCount = prebuilt.find(({ slug }) => slug === 'char-count')
  assert.equal(charCount?.type, 'CHAR_COUNT')
  assert.deepEqual(await client.evaluator.list('custom'), [])
})

test('the client reads a built-in evaluator by slug and by id', async () => {
  const bySlug = await client.evaluator.get('json-validator')
  assert.equal(bySlug.slug, 'json-validator')
  assert.deepEqual(await client.evaluator.get(bySlug.id), bySlug)
})

test('the client runs a built-in evaluator', async () => {
  const { result } = await client.evaluator.run('json-validator', { input: { text: '{"a": 1}' } })
  assert.deepEqual(result, { isValidJson: true })
})

test('the client passes our error texts on', async () => {
  await assert.rejects(
    client.evaluator.run('char-count', { input: {} }),
    /invalid input: input\.text is required/,
  )
  await assert.rejects(client.evaluator.get('no-such-evaluator'), /evaluator not found/)
})

test('the client hands in feedback of users', async () => {
  const answer = await client.userFeedback.create({
    annotationTask: 'sample-annotation-task',
    entity: { id: 'conversation-1' },
    tags: { sentiment: 'positive', relevance: 0.95, tones: ['happy', 'nostalgic'] },
  })
  assert.equal(answer.ok, true)
  const { json } = await service.call('GET', '/v2/scores?session_id=conversation-1')
  assert.deepEqual(
    json.scores.map((score: Record<string, unknown>) => [score['name'], score['value'], score['actor']]),
    [
      ['tones', ['happy', 'nostalgic'], 'test'],
      ['relevance', 0.95, 'test'],
      ['sentiment', 'positive', 'test'],
    ],
  )
})
