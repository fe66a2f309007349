import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, readSetup, SETUPS, setupPath } from './setup-calls.ts'

// Clients that are written with typed models send null for every field that they do not set.

const model = await startFakeModel()
after(() => model.close())
const service = await startRestingService({ OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test-00000000' })

const RULE = { key: 'gen_ai.system', value: 'openai', source: 'span_attributes' }

describe('null in a setup is a field that is absent:', () => {
  const stored = (body: { external_id: string }) => ({
    ...{ selector: null, entity_type: null, entity_value: null, evaluator_configs: null },
    ...body,
  })

  test('201 without a selector, overrides and an entity', async () => {
    const setup = await createSetup(service, stored({ external_id: 'nothing' }))
    assert.deepEqual([setup.init_rules, setup.entity_type, setup.evaluator_configs], [[], '', undefined])
  })

  test('201 for rules with fields that they do not need', async () => {
    const { init_rules: rules } = await createSetup(service, {
      external_id: 'rules',
      selector: [
        { ...RULE, operator: null, op: null, values: null, value_type: null },
        { ...RULE, operator: 'in', value: null, values: ['a'] },
        { ...RULE, operator: 'exists', value: null, values: null },
      ],
    })
    assert.deepEqual(
      rules.map(({ operator }: { operator: string }) => operator),
      ['equals', 'in', 'exists'],
    )
  })

  test('201 for overrides with fields that they do not set', async () => {
    const overrides = [
      {
        ...{ slug: 'regex-validator', scope: null, sampling_rate: null },
        config: { regex: 'a', should_match: null },
        mapping: { text: { field: 'completion', source: null, key: null, json_path: null, regex: null } },
      },
      { slug: 'char-count', scope: 'span', config: null, mapping: { text: null } },
      { slug: 'word-count', mapping: null, config: { unknown: null } },
    ]
    const setup = await createSetup(service, { external_id: 'overrides', evaluator_configs: overrides })
    assert.deepEqual(setup.evaluator_configs, [
      { slug: 'char-count', scope: 'span', mapping: {} },
      { slug: 'regex-validator', config: { regex: 'a' }, mapping: { text: { field: 'completion' } } },
      { slug: 'word-count', config: {} },
    ])
  })

  test('201 for overrides alone', async () => {
    const body = { external_id: 'alone', evaluators: null, evaluator_configs: [{ slug: 'word-count' }] }
    assert.equal((await service.call('POST', SETUPS, { body })).status, 201)
  })

  test('200 of PUT and bulk keeps what is stored', async () => {
    const before = await createSetup(service, {
      ...{ external_id: 'kept', selector: [RULE], entity_type: 'agent', entity_value: 'a' },
      evaluator_configs: [{ slug: 'char-count', scope: 'trace' }],
    })
    const nulls = { ...stored({ external_id: 'kept' }), evaluators: null, external_id: null }
    const put = await service.call('PUT', setupPath('kept'), { body: nulls })
    assert.deepEqual({ ...put.json, updated_at: before.updated_at }, before)
    const setups = [{ ...nulls, external_id: 'kept', evaluators: ['char-count'] }]
    const bulk = await service.call('POST', `${SETUPS}/bulk`, { body: { setups } })
    assert.deepEqual({ ...bulk.json.setups[0], updated_at: before.updated_at }, before)
  })

  test('200 of a dry run for a stored setup', async () => {
    const before = await createSetup(service, { external_id: 'tried', selector: [RULE] })
    const body = { ...stored({ external_id: 'tried' }), evaluators: null, window: null, spans_max: null }
    const answer = await service.call('POST', `${SETUPS}/dry-run`, { body })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.json.evaluators.length, 1)
    assert.deepEqual(await readSetup(service, 'tried'), before)
  })

  for (const [body, message] of [
    [{ external_id: null, evaluators: ['char-count'] }, 'external_id is required'],
    [{ external_id: 'x', evaluators: null }, 'evaluators is required'],
    [
      { external_id: 'x', evaluators: ['char-count'], selector: [{ ...RULE, key: null }] },
      'selector[0]: key is required',
    ],
    [
      { external_id: 'x', evaluators: ['char-count'], selector: [{ ...RULE, value: null }] },
      'selector[0]: value is required when operator is equals',
    ],
    [
      { external_id: 'x', evaluators: ['char-count'], selector: { 'service.name': null } },
      'selector.service.name must be a string or a number or a boolean',
    ],
    [
      { external_id: 'x', evaluators: ['char-count'], evaluator_configs: [{ slug: null }] },
      'evaluator_configs[0].slug is required',
    ],
  ] as const)
    test(`400 ${message} where that is null`, async () =>
      assertError(await service.call('POST', SETUPS, { body }), 400, `invalid input: ${message}`))
})

describe('null in a call of an evaluator is a field that is absent:', () => {
  const path = '/v2/evaluators/regex-validator/execute'

  test('200 for a config that is null, and for settings that are', async () => {
    const input = { text: 'aa', prompt: null }
    const unset = { should_match: null, case_sensitive: null, dot_include_nl: null, multi_line: null }
    for (const config of [
      { regex: 'a', ...unset },
      { regex: 'b', should_match: false },
    ]) {
      const { json } = await service.call('POST', path, { body: { input, config } })
      assert.deepEqual(json, { is_valid_regex: true })
    }
    const counted = await service.call('POST', '/v2/evaluators/char-count/execute', {
      body: { input, config: null },
    })
    assert.deepEqual(counted.json, { char_count: 2 })
  })

  test('200 of a guard, which takes another name of an input that is null', async () => {
    const answer = await service.call('POST', '/v2/guardrails/regex-validator/execute', {
      body: { input: { text: null, completion: 'aa' }, config: { regex: 'a', should_match: null } },
    })
    assert.deepEqual(answer.json, { result: { is_valid_regex: true }, pass: true })
    const bare = await service.call('POST', '/v2/guardrails/json-validator/execute', {
      body: { input: { text: '{}' }, config: null },
    })
    assert.equal(bare.json.pass, true)
  })

  test('200 of an execution', async () => {
    const body = {
      input_schema_mapping: { text: { source: 'abc' }, completion: { source: null } },
      ...{ evaluator_version: null, evaluator_config: null },
    }
    const { json } = await service.call('POST', '/v2/evaluators/char-count/executions', { body })
    const answer = await service.call('GET', `/v2${json.stream_url}`)
    assert.deepEqual(answer.json.result.evaluator_result, { char_count: 3 })
  })

  test('200 of an evaluator that asks a judge', async () => {
    const body = { input: { answer: 'x', question: 'y' }, config: null }
    const answer = await service.call('POST', '/v2/evaluators/answer-relevancy/execute', { body })
    assert.equal(answer.status, 200, answer.text)
  })

  test('400 for an input that is required', async () => {
    for (const call of ['/v2/evaluators/char-count/execute', '/v2/guardrails/char-count/execute'])
      for (const [input, message] of [
        [{ text: null }, 'input.text is required'],
        [null, 'input is required'],
      ] as const)
        assertError(await service.call('POST', call, { body: { input } }), 400, `invalid input: ${message}`)
  })
})

describe('null in a custom evaluator is a field that is absent:', () => {
  const KINDNESS = {
    ...{ name: 'Kindness', provider: 'openai', model: 'tiny' },
    messages: [{ role: 'user', content: 'Is {{text}} kind?', tool_call_id: null }],
    input_schema: [{ name: 'text', type: 'string' }],
    output_schema: [{ name: 'pass', type: 'boolean' }],
  }
  const unset = {
    ...{ slug: null, description: null, temperature: null, top_p: null, frequency_penalty: null },
    ...{ presence_penalty: null, max_tokens: null, stop: null, logprobs: null, mode: null },
  }
  const property = { description: null, label: null, enum_values: null, minimum: null, maximum: null }

  test('200 of create', async () => {
    const body = {
      ...{ ...KINDNESS, ...unset },
      input_schema: [{ name: 'text', type: 'string', ...property }],
      output_schema: [{ name: 'pass', type: 'boolean', ...property }],
    }
    const answer = await service.call('POST', '/v2/evaluators', { body })
    assert.equal(answer.status, 200, answer.text)
    assertError(
      await service.call('POST', '/v2/evaluators', { body: { ...body, model: null } }),
      400,
      'invalid input: model is required',
    )
  })

  test('200 of update keeps what is null, but resets a setting of the model', async () => {
    const body = { ...KINDNESS, slug: 'reset', description: 'D', temperature: 1, top_p: 0.5 }
    assert.equal((await service.call('POST', '/v2/evaluators', { body })).status, 200)
    const change = {
      ...{ name: null, description: null, input_schema: null, output_schema: null },
      config: {
        ...{ description: null, provider: null, messages: null },
        llm_config: { model: null, temperature: null },
      },
    }
    const { json } = await service.call('PATCH', '/v2/evaluators/reset', { body: change })
    assert.deepEqual([json.evaluator.name, json.evaluator.description], ['Kindness', 'D'])
    assert.deepEqual(json.evaluator.config.llm_config, { model: 'tiny', top_p: 0.5 })
    const untouched = { config: { llm_config: null } }
    const again = await service.call('PATCH', '/v2/evaluators/reset', { body: untouched })
    assert.deepEqual(again.json.evaluator.config, json.evaluator.config)
  })
})
