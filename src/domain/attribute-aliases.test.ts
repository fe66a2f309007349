import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attributeAliases, namesVendor, vendorTexts } from './attribute-aliases.ts'

const SAME = [
  ['gen_ai.system', 'gen_ai.provider.name', 'llm.vendor', 'llm.system', 'llm.provider.name'],
  ['gen_ai.request.model', 'llm.request.model', 'llm.model_name'],
  ['gen_ai.response.model', 'llm.response.model'],
  ['gen_ai.request.max_tokens', 'llm.request.max_tokens'],
  ['gen_ai.request.temperature', 'llm.request.temperature', 'llm.temperature'],
  ['gen_ai.request.top_p', 'llm.request.top_p', 'llm.top_p'],
  ['gen_ai.usage.input_tokens', 'gen_ai.usage.prompt_tokens', 'llm.usage.prompt_tokens'],
  ['gen_ai.usage.output_tokens', 'gen_ai.usage.completion_tokens', 'llm.usage.completion_tokens'],
  ['gen_ai.usage.total_tokens', 'llm.usage.total_tokens'],
  ['gen_ai.response.finish_reasons', 'llm.response.finish_reason'],
  ['gen_ai.prompt.0.content', 'llm.prompts.0.content'],
  ['gen_ai.completion.12.tool_calls.0.name', 'llm.completions.12.tool_calls.0.name'],
  ['gen_ai.agent.name', 'llm.agent.name'],
]

const APART = [
  ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'],
  ['gen_ai.request.model', 'gen_ai.response.model'],
  ['gen_ai.response.model', 'llm.model_name'],
  ['gen_ai.request.model', 'ai.model.id'],
  ['gen_ai.system', 'ai.model.provider'],
  ['gen_ai.system', 'llm.provider'],
  ['llm.request.type', 'gen_ai.operation.name'],
  ['gen_ai.input.messages', 'gen_ai.prompt.0.content'],
  ['gen_ai.prompt.0.content', 'gen_ai.prompt.1.content'],
  ['gen_ai.prompt.0.content', 'llm.completions.0.content'],
  ['llm.prompts', 'llm.prompt'],
  ['system', 'gen_ai.system'],
  ['temperature', 'llm.temperature'],
]

for (const group of SAME) {
  test(`${group[0]} is the same attribute as ${group.slice(1).join(', ')}`, () => {
    const [first = ''] = group
    for (const name of group) {
      assert.deepEqual(attributeAliases(name), attributeAliases(first))
      assert.ok(attributeAliases(first).includes(name))
    }
    // Every name of the group leads to the same group, also those that no known client sends.
    for (const name of attributeAliases(first))
      assert.deepEqual(attributeAliases(name), attributeAliases(first))
  })
}

for (const [one = '', other = ''] of APART) {
  test(`${one} and ${other} are two attributes`, () => {
    assert.ok(!attributeAliases(one).includes(other))
    assert.ok(!attributeAliases(other).includes(one))
  })
}

test('a name outside the two namespaces has no alias', () => {
  for (const key of [
    'service.name',
    'traceloop.workflow.name',
    'gen_ai.',
    'llm',
    'xgen_ai.system',
    'gen_ai.model_name',
    '',
  ]) {
    assert.deepEqual(attributeAliases(key), [key])
  }
})

test('the vendor of a model is known under each of its names, and nothing else is taken for one', () => {
  for (const key of ['gen_ai.system', 'gen_ai.provider.name', 'llm.vendor', 'llm.system'])
    assert.ok(namesVendor(key))
  for (const key of ['gen_ai.request.model', 'system', 'gen_ai.system_instructions', 'llm.provider']) {
    assert.ok(!namesVendor(key), key)
  }
})

test('a vendor with the interface of its model is also the vendor alone', () => {
  for (const [sent, ...texts] of [
    ['openai.chat', 'openai.chat', 'openai'],
    ['OpenAI.Responses', 'openai.responses', 'openai'],
    ['anthropic.messages', 'anthropic.messages', 'anthropic'],
    ['google.generative-ai', 'google.generative-ai', 'google'],
    ['google.vertex.chat', 'google.vertex.chat', 'google.vertex'],
    ['azure-openai.chat', 'azure-openai.chat', 'azure-openai'],
  ] as const)
    assert.deepEqual(vendorTexts([sent]), texts)
  assert.deepEqual(vendorTexts(['openai.chat', 'openai']), ['openai.chat', 'openai', 'openai'])
})

test('a vendor whose own name has dots is not taken apart', () => {
  for (const sent of [
    'azure.ai.openai',
    'aws.bedrock',
    'gcp.vertex_ai',
    'ibm.watsonx.ai',
    'openai',
    '',
    '.chat',
  ])
    assert.deepEqual(vendorTexts([sent]), [sent])
})
