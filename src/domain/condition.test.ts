import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holds } from './condition.ts'
import { CONDITION_OPERATORS, type ConditionOperator } from './operators.ts'

const fields: Record<string, string[]> = { model: ['gpt-4o'], tags: ['a', 'b'], tokens: ['12'], blank: [''] }
const textsOf = (field: string) => fields[field] ?? []
const one = (field: string, operator: ConditionOperator, ...values: string[]) =>
  holds([{ field, operator, values }], 'AND', textsOf)

test('every operator compares texts, numbers where it asks for an order', () => {
  const isTrue = [
    one('model', 'equals', 'gpt-4o'),
    one('tags', 'equals', 'b'),
    one('model', 'not_equals', 'gpt'),
    one('model', 'contains', '4'),
    one('model', 'not_contains', '5'),
    one('model', 'in', 'x', 'gpt-4o'),
    one('model', 'not_in', 'x', 'y'),
    one('model', 'starts_with', 'gpt'),
    one('model', 'exists'),
    one('nothing', 'not_exists'),
    one('blank', 'exists'),
    one('tokens', 'greater_than', '9'),
    one('tokens', 'greater_than_or_equal', '12'),
    one('tokens', 'less_than', '100'),
    one('tokens', 'less_than_or_equal', '12.0'),
  ]
  assert.deepEqual(new Set(isTrue), new Set([true]))
  const isFalse = [
    one('model', 'equals', 'GPT-4O'),
    one('tags', 'not_equals', 'a'),
    one('model', 'in'),
    one('model', 'starts_with', '4'),
    one('tokens', 'greater_than', '12'),
    one('tokens', 'less_than', '9'),
    one('model', 'greater_than', '1'),
    one('blank', 'less_than', '1'),
    one('tokens', 'greater_than', ''),
  ]
  assert.deepEqual(new Set(isFalse), new Set([false]))
})

test('where there is no value, only negative operators hold', () => {
  const holding = CONDITION_OPERATORS.filter((operator) => one('nothing', operator, '1'))
  assert.deepEqual(holding, ['not_equals', 'not_contains', 'not_exists', 'not_in'])
})

test('conditions hold together, or one of them is enough, or there are none', () => {
  const yes = { field: 'model', operator: 'exists', values: [] } as const
  const no = { field: 'model', operator: 'not_exists', values: [] } as const
  assert.equal(holds([yes, no], 'AND', textsOf), false)
  assert.equal(holds([yes, no], 'OR', textsOf), true)
  assert.equal(holds([no, no], 'OR', textsOf), false)
  assert.equal(holds([], 'OR', textsOf), true)
  assert.equal(holds([], 'AND', textsOf), true)
})
