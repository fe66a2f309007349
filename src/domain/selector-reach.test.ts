import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AttributeSource } from '../lib/otlp/span.ts'
import type { Operator } from './operators.ts'
import type { SelectorRule } from './selector.ts'
import { skippedBy } from './selector-reach.ts'

function rule(key: string, operator: Operator = 'equals', source: AttributeSource = 'span_attributes') {
  return { key, operator, source, valueType: 'string', value: 'x', values: ['x'] } satisfies SelectorRule
}

test('a selector without rules skips all plumbing', () => {
  assert.equal(skippedBy([]), 'plumbing')
})

for (const given of [
  rule('service.name', 'equals', 'resource_attributes'),
  // On the resource even the name of a kind says nothing about a span.
  rule('traceloop.span.kind', 'equals', 'resource_attributes'),
  rule('service.name'),
  rule('gen_ai.system'),
  rule('llm.vendor'),
  rule('gen_ai.request.model', 'in'),
  rule('llm.model_name'),
  rule('ai.model.id'),
  rule('traceloop.workflow.name'),
  rule('traceloop.association.properties.user_id'),
  rule('gen_ai.conversation.id', 'exists'),
  rule('ai.telemetry.functionId'),
  rule('traceloop.span.kind', 'not_equals'),
  rule('my.answer', 'not_exists'),
  rule('openinference.span.kind', 'exists'),
]) {
  test(`a selector on ${given.source} ${given.key} ${given.operator} says whose spans are wanted: plumbing is skipped`, () => {
    assert.equal(skippedBy([given]), 'plumbing')
  })
}

for (const given of [
  rule('traceloop.span.kind'),
  rule('openinference.span.kind', 'in'),
  rule('gen_ai.operation.name'),
  rule('llm.request.type'),
  rule('ai.operationId', 'contains'),
  rule('traceloop.entity.name'),
  rule('ai.prompt', 'exists'),
]) {
  test(`a selector on ${given.key} ${given.operator} names its spans: nothing is skipped`, () => {
    assert.equal(skippedBy([given]), undefined)
    assert.equal(skippedBy([rule('service.name', 'equals', 'resource_attributes'), given]), undefined)
    assert.equal(skippedBy([given, rule('app.step')]), undefined)
  })
}

test("a selector on an attribute of the application's own skips only the outer spans of calls", () => {
  assert.equal(skippedBy([rule('app.step')]), 'wrappers')
  assert.equal(skippedBy([rule('app.step', 'exists'), rule('gen_ai.system')]), 'wrappers')
  assert.equal(skippedBy([rule('gen_ai.usage.input_tokens', 'exists')]), 'wrappers')
})
