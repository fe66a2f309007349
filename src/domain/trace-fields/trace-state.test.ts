import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spansOfTrace } from '../../../tests/support/trace-case.ts'
import { traceState } from './trace-state.ts'

const spans = spansOfTrace(1, {
  name: 'root',
  within: [{ name: 'step', within: [{ name: 'a' }, { name: 'b' }] }],
})
const without = (...names: readonly string[]) => spans.filter(({ name }) => !names.includes(name))

test('a trace with its root and all parents lacks nothing, in any order and however often a span came', () => {
  const whole = { hasRoot: true, missingParents: 0, isComplete: false }
  assert.deepEqual(traceState(spans), whole)
  assert.deepEqual(traceState([...spans.toReversed(), ...spans]), whole)
})

test('a parent that is missing counts once, whether it is the root or not', () => {
  assert.deepEqual(traceState(without('step')), { hasRoot: true, missingParents: 1, isComplete: false })
  assert.deepEqual(traceState(without('root')), { hasRoot: false, missingParents: 1, isComplete: false })
  assert.deepEqual(traceState(without('root', 'step')), {
    hasRoot: false,
    missingParents: 1,
    isComplete: false,
  })
  assert.deepEqual(traceState([]), { hasRoot: false, missingParents: 0, isComplete: false })
})

test('a span can say that nothing more will come, as a boolean or as its text', () => {
  const marked = (value: boolean | string) =>
    traceState(spansOfTrace(1, { name: 'root', attributes: { 'assay.trace.complete': value } })).isComplete
  assert.deepEqual([marked(true), marked('true'), marked(false), marked('no')], [true, true, false, false])
})
