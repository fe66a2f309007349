import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SchemaField } from './evaluator.ts'
import {
  betterDirection,
  isLargerWorse,
  ruleInWords,
  suggestedRule,
  thresholdField,
  type VerdictCondition,
  type VerdictRule,
  verdictOf,
  withThreshold,
} from './verdict.ts'

const LABELS = { pass: 'Good', fail: 'Bad' }

function ruleOf(...conditions: VerdictCondition[]): VerdictRule {
  return { conditions, labels: LABELS }
}

const field = (name: string, type: SchemaField['type'], range: Partial<SchemaField> = {}): SchemaField => ({
  ...{ name, type, description: '', label: '' },
  ...range,
})

test('each comparison has its line on the right side', () => {
  const passing = (compare: 'at_least' | 'at_most' | 'above' | 'below') =>
    [1, 2, 3].map((v) => verdictOf(ruleOf({ field: 'v', compare, threshold: 2 }), { v }))
  assert.deepEqual(passing('at_least'), ['fail', 'pass', 'pass'])
  assert.deepEqual(passing('at_most'), ['pass', 'pass', 'fail'])
  assert.deepEqual(passing('above'), ['fail', 'fail', 'pass'])
  assert.deepEqual(passing('below'), ['pass', 'fail', 'fail'])
})

test('a field that is missing or of another type does not pass', () => {
  const rule = ruleOf({ field: 'v', compare: 'at_most', threshold: 2 })
  assert.deepEqual(
    [{}, { v: '1' }, { v: true }, { v: null }].map((output) => verdictOf(rule, output)),
    ['fail', 'fail', 'fail', 'fail'],
  )
})

test('all conditions have to hold', () => {
  const rule = ruleOf({ field: 'choice', oneOf: ['correct'] }, { field: 'args', is: true })
  assert.equal(verdictOf(rule, { choice: 'correct', args: true }), 'pass')
  assert.equal(verdictOf(rule, { choice: 'correct', args: false }), 'fail')
  assert.equal(verdictOf(rule, { choice: 'wrong', args: true }), 'fail')
  assert.equal(ruleInWords(rule), 'choice is correct and args is true')
})

test('without conditions everything is neutral', () => {
  assert.equal(verdictOf(ruleOf(), { v: 1 }), 'neutral')
  assert.equal(ruleInWords(ruleOf()), 'neutral: it only counts')
})

test('the rule says in which direction values get worse', () => {
  assert.equal(isLargerWorse(ruleOf({ field: 'v', is: false }), 'v'), true)
  assert.equal(isLargerWorse(ruleOf({ field: 'v', is: true }), 'v'), false)
  assert.equal(isLargerWorse(ruleOf({ field: 'v', compare: 'below', threshold: 1 }), 'v'), true)
  assert.equal(isLargerWorse(ruleOf({ field: 'v', compare: 'at_least', threshold: 1 }), 'v'), false)
  assert.equal(isLargerWorse(ruleOf({ field: 'v', is: false }), 'other'), false)
})

test('a field that decides nothing gets neither better nor worse', () => {
  assert.equal(betterDirection(ruleOf({ field: 'v', is: false }), 'v'), 'lower')
  assert.equal(betterDirection(ruleOf({ field: 'v', compare: 'above', threshold: 1 }), 'v'), 'higher')
  assert.equal(betterDirection({ ...ruleOf({ field: 'v', is: true }), scoreField: 's' }, 's'), 'higher')
  assert.equal(betterDirection(ruleOf({ field: 'v', is: true }), 'other'), undefined)
  assert.equal(betterDirection(ruleOf({ field: 'v', oneOf: ['a'] }), 'v'), undefined)
  assert.equal(betterDirection(ruleOf(), 'v'), undefined)
})

test('a threshold replaces that of the rule, or judges the score beside a boolean', () => {
  const score = ruleOf({ field: 'v', compare: 'at_most', threshold: 1 })
  assert.deepEqual(withThreshold(score, 5).conditions, [{ field: 'v', compare: 'at_most', threshold: 5 }])
  const success = { ...ruleOf({ field: 'success', is: true }), scoreField: 'score' }
  assert.deepEqual(withThreshold(success, 0.8).conditions, [
    { field: 'score', compare: 'at_least', threshold: 0.8 },
  ])
  assert.equal(thresholdField(ruleOf({ field: 'success', is: true })), undefined)
  assert.equal(withThreshold(success, undefined), success)
})

test('outputs suggest a rule only where one is likely to be meant', () => {
  const suggested = (...outputs: SchemaField[]) => ruleInWords(suggestedRule(outputs))
  assert.equal(suggested(field('ok', 'boolean'), field('pass', 'boolean')), 'pass is true')
  assert.equal(suggested(field('score', 'int'), field('ok', 'boolean')), 'ok is true')
  assert.equal(suggested(field('share', 'float', { minimum: 0, maximum: 1 })), 'share is at least 0.5')
  assert.equal(suggested(field('stars', 'int', { minimum: 1, maximum: 5 })), 'neutral: it only counts')
  assert.equal(suggested(field('mood', 'enum', { enumValues: ['good'] })), 'neutral: it only counts')
})
