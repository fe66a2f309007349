import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'

// A client that edits, copies or restores a setup has only the answer that reading it gave.
const service = await startRestingService()

const GIVEN = {
  external_id: 'sent-back',
  entity_type: 'team',
  entity_value: 'search',
  selector: { 'gen_ai.request.model': 'gpt-4o', 'gen_ai.request.max_tokens': 4096, 'llm.is_streaming': true },
  evaluators: ['char-count', 'pii-detector'],
  evaluator_configs: [
    {
      slug: 'pii-detector',
      scope: 'span',
      config: { probability_threshold: 0.4 },
      mapping: { text: { source: 'span_attributes', key: 'answer', json_path: '0.text', regex: 'a(b)' } },
      sampling_rate: 0.25,
    },
  ],
}

async function read(externalId: string) {
  return (await service.call('GET', `/v2/auto-monitor-setups/${externalId}`)).json
}

async function versionOf(externalId: string): Promise<number> {
  const body = { external_id: externalId }
  return (await service.call('POST', '/v2/auto-monitor-setups/dry-run', { body })).json.current_version
}

test('200 shows everything that a setup changes about its evaluators', async () => {
  await service.call('POST', '/v2/auto-monitor-setups', { body: GIVEN })
  assert.deepEqual((await read('sent-back')).evaluator_configs, GIVEN.evaluator_configs)
})

test('200 what was read and is sent back makes no new version', async () => {
  const { init_rules, evaluators, evaluator_configs } = await read('sent-back')
  const before = await versionOf('sent-back')
  const slugs = evaluators.map(({ evaluator_type }: { evaluator_type: string }) => evaluator_type)
  const body = { selector: init_rules, evaluators: slugs, evaluator_configs }
  assert.equal((await service.call('PUT', '/v2/auto-monitor-setups/sent-back', { body })).status, 200)
  assert.equal(await versionOf('sent-back'), before)
  assert.deepEqual((await read('sent-back')).init_rules, init_rules)
})

test('201 keeps the type of a value that it knows, and takes any other for text', async () => {
  const rule = { key: 'k', source: 'span_attributes', value: '7' }
  const selector = [
    { ...rule, value_type: 'number' },
    { ...rule, value_type: 'integer' },
  ]
  const body = { external_id: 'types', evaluators: ['char-count'], selector }
  await service.call('POST', '/v2/auto-monitor-setups', { body })
  const types = (await read('types')).init_rules.map(({ value_type }: { value_type: string }) => value_type)
  assert.deepEqual(types, ['number', 'string'])
})

test('200 the catalogue says how an evaluator decides, what it looks at and which settings it has', async () => {
  const { evaluators } = (await service.call('GET', '/v2/evaluators')).json
  const pii = evaluators.find(({ slug }: { slug: string }) => slug === 'pii-detector')
  assert.equal(pii.method, 'detector')
  assert.equal(pii.default_scope, 'span')
  assert.deepEqual(pii.span_fields, { text: 'completion' })
  assert.equal(pii.config_schema.properties.probability_threshold.default, 0.8)
  const count = evaluators.find(({ slug }: { slug: string }) => slug === 'char-count')
  assert.equal(count.method, 'exact')
  assert.equal('config_schema' in count, false)
})
