import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as z from 'zod'
import { parseInput } from './parse-input.ts'

const schema = z.strictObject({ filter: z.strictObject({ from: z.string().optional() }).optional() })

test('a field that nobody knows is named with the way to it', () => {
  assert.throws(() => parseInput(schema, { x: 1 }), { message: 'invalid input: x is not a known field' })
  assert.throws(() => parseInput(schema, { filter: { until: 1 } }), {
    message: 'invalid input: filter.until is not a known field',
  })
})

test('an error repeats no more than the beginning of a long name', () => {
  assert.throws(() => parseInput(schema, { ['n'.repeat(70_000)]: 1 }), {
    message: `invalid input: ${'n'.repeat(100)} is not a known field`,
  })
})
