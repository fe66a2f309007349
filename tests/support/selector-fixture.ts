import assert from 'node:assert/strict'
import type { Operator } from '../../src/domain/operators.ts'
import type { SelectorRule } from '../../src/domain/selector.ts'
import { compileMatcher, explainRules } from '../../src/domain/selector-matcher.ts'
import type { SpanAttributes } from '../../src/domain/selector-rule.ts'
import type { AttributeSource, AttributeValue } from '../../src/lib/otlp/span.ts'

export type Attributes = Readonly<Record<string, AttributeValue>>

export function span(attributes: Attributes, resource: Attributes = {}): SpanAttributes {
  const bySource = { span_attributes: attributes, resource_attributes: resource }
  return { attribute: (source, key) => bySource[source][key] }
}

export function rule(
  key: string,
  operator: Operator,
  operand?: string | readonly string[],
  source: AttributeSource = 'span_attributes',
): SelectorRule {
  const base = { key, source, operator, valueType: 'string' as const }
  if (operand === undefined) return base
  return typeof operand === 'string' ? { ...base, value: operand } : { ...base, values: operand }
}

/** Whether the rules match, asked of the matcher in every place where a setup can hang, and of the explanation. */
export function matches(selector: readonly SelectorRule[], on: SpanAttributes): boolean {
  const always = rule('nobody.has.this', 'not_exists')
  const crowd = Array.from({ length: 20 }, (_, at) => ({
    id: `crowd ${at}`,
    selector: [...selector, rule('crowd', 'equals', `${at}`)],
  }))
  const answers = [
    compileMatcher([{ id: 'it', selector }]).match(on).length === 1,
    compileMatcher([{ id: 'it', selector: [always, ...selector] }]).match(on).length === 1,
    compileMatcher([...crowd, { id: 'it', selector }])
      .match(on)
      .includes('it'),
    explainRules(selector, on).matches,
  ]
  assert.equal(new Set(answers).size, 1, `they disagree: ${answers}`)
  return answers[0] === true
}
