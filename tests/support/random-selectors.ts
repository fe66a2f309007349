import fc from 'fast-check'
import { OPERATOR_TABLE, OPERATORS } from '../../src/domain/operators.ts'
import type { SelectorRule } from '../../src/domain/selector.ts'
import type { TestAttributes, TestSpan, TestValue } from '../otlp/encode-traces.ts'

// Few keys, some of them names of the same attribute, and few values, so that rules often hold.
const key = fc.constantFrom('a', 'gen_ai.system', 'llm.vendor', 'gen_ai.request.model', 'llm.request.model')
const word = fc.constantFrom('', '1', '0.5', 'true', 'x', 'X', 'xy', 'gpt-4o', 'gpt-4o-mini')
const scalar: fc.Arbitrary<TestValue> = fc.oneof(
  { weight: 4, arbitrary: word },
  fc.constantFrom<TestValue>(1, 0.5, true, false, null, new Uint8Array([1, 2])),
)
const value = fc.oneof({ weight: 4, arbitrary: scalar }, fc.array(scalar, { maxLength: 3 }))
const attributes: fc.Arbitrary<TestAttributes> = fc.dictionary(key, value, { maxKeys: 4 })

/** A rule that often holds for the spans of `randomSpans`. */
const rule: fc.Arbitrary<SelectorRule> = fc
  .record({
    key,
    source: fc.constantFrom('span_attributes', 'span_attributes', 'resource_attributes'),
    operator: fc.constantFrom(...OPERATORS),
    value: word,
    values: fc.array(word, { minLength: 1, maxLength: 3 }),
  })
  .map(({ value: one, values, ...rest }) => {
    const operand = OPERATOR_TABLE[rest.operator].operand
    return {
      ...rest,
      valueType: 'string' as const,
      ...(operand === 'value' ? { value: one } : {}),
      ...(operand === 'values' ? { values } : {}),
    }
  })

/** Selectors of several setups; one without rules matches everything. */
export const randomSelectors: fc.Arbitrary<readonly (readonly SelectorRule[])[]> = fc.array(
  fc.array(rule, { maxLength: 3 }),
  { minLength: 1, maxLength: 6 },
)

/** Spans without ids, with the attributes of their resource; now and then a call of our own judge. */
export const randomSpans: fc.Arbitrary<{
  readonly resource: TestAttributes
  readonly spans: readonly Pick<TestSpan, 'attributes'>[]
}> = fc.record({
  resource: attributes,
  spans: fc.array(
    fc
      .tuple(attributes, fc.nat({ max: 19 }))
      .map(([given, chance]) => ({ attributes: chance === 0 ? { ...given, 'assay.judge': true } : given })),
    { minLength: 1, maxLength: 6 },
  ),
})
