import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVALUATORS } from '../../src/evaluators/registry.gen.ts'
import { startRestingService } from '../support/service.ts'

const service = await startRestingService()

function execute(slug: string, body: unknown) {
  return service.call('POST', `/v2/evaluators/${slug}/execute`, { body })
}

test('200 is the bare answer of the evaluator', async () => {
  const answer = await execute('char-count', { input: { text: 'hi 👋' }, config: {} })
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, { char_count: 4 })
})

test('200 without config, with unknown input keys and for an empty text', async () => {
  const answer = await execute('char-count', { input: { text: '', prompt: 'x', completion: 'y' } })
  assert.deepEqual([answer.status, answer.json], [200, { char_count: 0 }])
})

test('200 by the id of a built-in evaluator', async () => {
  const { json } = await service.call('GET', '/v2/evaluators/word-count')
  const answer = await execute(json.id, { input: { text: 'two words' } })
  assert.deepEqual(answer.json, { word_count: 2 })
})

const GOALS = { input: { trajectory_prompts: '["Cancel it."]', trajectory_completions: '["Done."]' } }

for (const [name, slug, body, message] of [
  ['no input', 'char-count', {}, 'input is required'],
  ['an input that is a text', 'char-count', { input: 'x' }, 'input must be an object'],
  ['an input that is null', 'char-count', { input: null }, 'input is required'],
  ['a missing field', 'char-count', { input: {} }, 'input.text is required'],
  ['a field of another type', 'char-count', { input: { text: 5 } }, 'input.text must be a string'],
  ['a field that is null', 'char-count', { input: { text: null } }, 'input.text is required'],
  ['a config that is a list', 'char-count', { input: { text: '' }, config: [] }, 'config must be an object'],
  ['no config where a setting is required', 'agent-goal-completeness', GOALS, 'config.threshold is required'],
  [
    'a config without a setting that is required',
    'agent-goal-completeness',
    { ...GOALS, config: {} },
    'config.threshold is required',
  ],
  [
    'a threshold out of range',
    'agent-tool-trajectory',
    { input: { executed_tool_calls: '[]', expected_tool_calls: '[]' }, config: { threshold: 1.5 } },
    'config.threshold must be at most 1',
  ],
  [
    'JSON text that does not parse',
    'agent-tool-trajectory',
    { input: { executed_tool_calls: "[{name: 'a'}]", expected_tool_calls: '[]' } },
    'input.executed_tool_calls is not valid JSON at position 2 (line 1 column 3)',
  ],
  [
    'JSON text of something else than an array',
    'agent-tool-trajectory',
    { input: { executed_tool_calls: '{}', expected_tool_calls: '[]' } },
    'input.executed_tool_calls must be JSON text of an array',
  ],
  [
    'an empty denominator',
    'char-count-ratio',
    { input: { numerator_text: 'a', denominator_text: '' } },
    'input.denominator_text must not be empty',
  ],
] as const) {
  test(`400 for ${name}`, async () => {
    const answer = await execute(slug, body)
    assert.deepEqual([answer.status, answer.json], [400, { error: `invalid input: ${message}` }])
  })
}

test('200 reads what Python writes for lists of calls and messages', async () => {
  const calls = "[{'name': 'search', 'input': {'query': \"it's\", 'exact': True}}]"
  const expected = '[{"name": "search", "input": {"query": "it\'s", "exact": true}}]'
  const answer = await execute('agent-tool-trajectory', {
    input: { executed_tool_calls: calls, expected_tool_calls: expected },
    config: { threshold: 1 },
  })
  assert.deepEqual([answer.status, answer.json.score], [200, 1])
})

test('400 without a body', async () => {
  const answer = await service.call('POST', '/v2/evaluators/char-count/execute')
  assert.deepEqual([answer.status, answer.json], [400, { error: 'invalid input: body is required' }])
})

test('404 for an unknown slug', async () => {
  const answer = await execute('no-such-evaluator', { input: { text: 'x' } })
  assert.deepEqual([answer.status, answer.json], [404, { error: 'evaluator not found' }])
})

test('403 for a key that may only read', async () => {
  const made = await service.call('POST', '/v2/api-keys', { body: { scopes: ['read'] } })
  const answer = await service.call('POST', '/v2/evaluators/char-count/execute', {
    key: made.json.api_key,
    body: { input: { text: 'x' } },
  })
  assert.equal(answer.status, 403)
  assert.match(answer.json.error, /lacks the scope ingest or write/)
})

test('200 lists every built-in evaluator and no custom one', async () => {
  const prebuilt = await service.call('GET', '/v2/evaluators?source=prebuilt')
  assert.equal(prebuilt.json.evaluators.length, EVALUATORS.length)
  const pii = prebuilt.json.evaluators.find(({ slug }: { slug: string }) => slug === 'pii-detector')
  assert.deepEqual([pii.type, pii.source], ['PII_DETECTOR', 'prebuilt'])
  assert.deepEqual((await service.call('GET', '/v2/evaluators?source=custom')).json, { evaluators: [] })
  assert.equal((await service.call('GET', '/v2/evaluators')).json.evaluators.length, EVALUATORS.length)
  assert.equal((await service.call('GET', '/v2/evaluators?source=other')).status, 400)
})

test('200 reads an evaluator with the provider and the model that clients insist on', async () => {
  const { json } = await service.call('GET', '/v2/evaluators/char-count')
  assert.equal(json.slug, 'char-count')
  assert.ok(json.config.provider && json.config.llm_config.model)
  assert.deepEqual((await service.call('GET', `/v2/evaluators/${json.id}`)).json, json)
})

test('200 reads an evaluator with examples that answer as they say', async () => {
  for (const slug of ['char-count', 'regex-validator']) {
    const { examples } = (await service.call('GET', `/v2/evaluators/${slug}`)).json
    assert.ok(examples.length > 0)
    for (const { name, input, config, output } of examples) {
      assert.deepEqual((await execute(slug, { input, config })).json, output, name)
    }
  }
})

test('404 reads no unknown evaluator', async () => {
  const answer = await service.call('GET', '/v2/evaluators/nothing')
  assert.deepEqual([answer.status, answer.json], [404, { error: 'evaluator not found' }])
})
