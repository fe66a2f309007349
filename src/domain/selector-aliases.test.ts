import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { matches, rule, span } from '../../tests/support/selector-fixture.ts'
import { compileMatcher, explainRules } from './selector-matcher.ts'

describe('aliases', () => {
  test('a rule on the old name matches spans of new SDKs and the other way round', () => {
    for (const key of ['gen_ai.system', 'gen_ai.provider.name', 'llm.vendor']) {
      for (const sent of ['gen_ai.system', 'gen_ai.provider.name', 'llm.vendor']) {
        assert.ok(matches([rule(key, 'equals', 'openai')], span({ [sent]: 'openai' })))
        assert.ok(!matches([rule(key, 'not_in', ['openai'])], span({ [sent]: 'openai' })))
        assert.ok(!matches([rule(key, 'not_exists')], span({ [sent]: 'openai' })))
      }
    }
  })

  test('where a span has several names, one that satisfies a positive rule is enough', () => {
    const both = span({ 'gen_ai.system': 'azure', 'gen_ai.provider.name': ['openai'] })
    for (const value of ['azure', 'openai']) {
      assert.ok(matches([rule('llm.vendor', 'equals', value)], both))
      assert.ok(!matches([rule('llm.vendor', 'not_equals', value)], both))
    }
    assert.ok(matches([rule('gen_ai.system', 'exists')], span({ 'llm.vendor': null })))
  })

  test('rules of two names of one attribute share what they look at', () => {
    const matcher = compileMatcher([
      { id: 'old', selector: [rule('llm.request.model', 'equals', 'gpt-4o')] },
      { id: 'new', selector: [rule('gen_ai.request.model', 'equals', 'gpt-4o')] },
    ])
    assert.deepEqual(matcher.match(span({ 'llm.request.model': 'gpt-4o' })), ['old', 'new'])
    assert.equal(matcher.keys.length, 4)
  })

  test('a rule on the requested model matches spans of OpenInference, and the other way round', () => {
    for (const key of ['gen_ai.request.model', 'llm.request.model', 'llm.model_name']) {
      for (const sent of ['gen_ai.request.model', 'llm.request.model', 'llm.model_name']) {
        const on = span({ [sent]: 'gpt-4o' })
        assert.ok(matches([rule(key, 'equals', 'gpt-4o')], on), `${key} on ${sent}`)
        assert.ok(matches([rule(key, 'in', ['x', 'gpt-4o'])], on))
        assert.ok(matches([rule(key, 'exists')], on))
        assert.ok(!matches([rule(key, 'not_equals', 'gpt-4o')], on))
        assert.ok(!matches([rule(key, 'not_exists')], on))
        assert.ok(matches([rule(key, 'not_equals', 'gpt-4')], on))
      }
    }
    assert.ok(
      !matches([rule('gen_ai.response.model', 'equals', 'gpt-4o')], span({ 'llm.model_name': 'gpt-4o' })),
    )
  })
})

describe('the vendor of a model', () => {
  const old = span({ 'gen_ai.system': 'OpenAI' })
  const current = span({ 'gen_ai.provider.name': 'openai' })
  test('compares without regard to case, under each of its names and by every operator', () => {
    for (const on of [old, current, span({ 'llm.vendor': ['Azure', 'OPENAI'] })]) {
      for (const key of ['gen_ai.system', 'gen_ai.provider.name', 'llm.vendor']) {
        assert.ok(matches([rule(key, 'equals', 'OpenAi')], on))
        assert.ok(matches([rule(key, 'contains', 'OPEN')], on))
        assert.ok(matches([rule(key, 'in', ['x', 'oPENAI'])], on))
        assert.ok(!matches([rule(key, 'not_equals', 'OpenAi')], on))
        assert.ok(!matches([rule(key, 'not_contains', 'OPEN')], on))
        assert.ok(!matches([rule(key, 'not_in', ['x', 'oPENAI'])], on))
        assert.ok(!matches([rule(key, 'equals', 'OpenA')], on))
      }
    }
  })
  test('is also found where the Vercel AI SDK adds the interface of the model to it', () => {
    const chat = span({ 'gen_ai.system': 'OpenAI.chat' })
    for (const wanted of ['openai', 'OpenAI', 'openai.chat']) {
      assert.ok(matches([rule('gen_ai.system', 'equals', wanted)], chat), wanted)
      assert.ok(matches([rule('gen_ai.provider.name', 'in', ['x', wanted])], chat))
      assert.ok(matches([rule('gen_ai.system', 'contains', wanted)], chat))
      assert.ok(!matches([rule('gen_ai.system', 'not_equals', wanted)], chat))
      assert.ok(!matches([rule('gen_ai.system', 'not_in', ['x', wanted])], chat))
    }
    for (const other of ['open', 'chat', 'openai.', 'azure', 'openai.responses'])
      assert.ok(!matches([rule('gen_ai.system', 'equals', other)], chat), other)
    assert.ok(!matches([rule('gen_ai.system', 'equals', 'openai.chat')], span({ 'gen_ai.system': 'openai' })))
    assert.ok(
      !matches([rule('gen_ai.system', 'equals', 'azure')], span({ 'gen_ai.system': 'azure.ai.openai' })),
    )
  })
  test('is found inside a list that also names others', () => {
    const several = span({ 'gen_ai.system': ['anthropic.messages', 'openai.chat'] })
    for (const wanted of ['anthropic', 'openai', 'openai.chat'])
      assert.ok(matches([rule('gen_ai.system', 'equals', wanted)], several), wanted)
  })
  test('is the only attribute that does', () => {
    const chat = span({ 'gen_ai.request.model': 'GPT-4o', 'app.system': 'OpenAI', vendor: 'OpenAI' })
    assert.ok(!matches([rule('gen_ai.request.model', 'equals', 'gpt-4o')], chat))
    assert.ok(!matches([rule('app.system', 'equals', 'openai')], chat))
    assert.ok(!matches([rule('vendor', 'contains', 'openai')], chat))
    const named = span({ 'gen_ai.request.model': 'gpt.chat', 'app.system': 'openai.chat' })
    assert.ok(!matches([rule('gen_ai.request.model', 'equals', 'gpt')], named))
    assert.ok(!matches([rule('app.system', 'equals', 'openai')], named))
  })
  test('shows itself in an explanation as it was sent', () => {
    const [explained] = explainRules([rule('gen_ai.system', 'equals', 'openai')], old).rules
    assert.deepEqual(explained?.found, [{ key: 'gen_ai.system', value: 'OpenAI' }])
    assert.equal(explained?.holds, true)
  })
})
