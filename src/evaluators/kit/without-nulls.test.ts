import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as z from 'zod'
import { withoutNulls } from './without-nulls.ts'

const inner = z.object({
  a: z.string().optional(),
  b: z.int().default(1),
  c: z.string().nullable().optional(),
})

describe('null is left out', () => {
  const cases: readonly (readonly [name: string, schema: z.ZodType, value: unknown, kept: unknown])[] = [
    ['of an optional field', inner, { a: null, b: 2 }, { b: 2 }],
    ['of a field with a default', inner, { b: null }, {}],
    ['of a required field, which is then missing', z.object({ a: z.string() }), { a: null }, {}],
    ['of a list in place of its items', z.object({ list: z.array(inner).optional() }), { list: null }, {}],
    ['of the items of a list', z.array(inner), [{ a: null }, { a: 'x' }], [{}, { a: 'x' }]],
    ['of the values of a map', z.record(z.string(), inner), { k: { a: null } }, { k: {} }],
    [
      'behind refinements and transformations',
      inner.superRefine(() => {}).transform(Object.keys),
      { a: null },
      {},
    ],
    ['in each alternative', z.union([z.array(inner), inner]), [{ a: null }], [{}]],
    [
      'of both parts of an intersection',
      inner.and(z.object({ d: z.string().optional() })),
      { a: null, d: null },
      {},
    ],
    ['behind a preparation', z.preprocess((given) => given, inner), { a: null }, {}],
    ['of the whole', inner, null, undefined],
  ]
  for (const [name, schema, value, kept] of cases)
    test(name, () => assert.deepEqual(withoutNulls(schema, value), kept))
})

describe('null is kept', () => {
  const cases: readonly (readonly [name: string, schema: z.ZodType, value: unknown])[] = [
    ['where the schema knows it', inner, { c: null }],
    ['as an item of a list', z.array(z.string()), ['x', null]],
    ['under a name that the client made up', z.record(z.string(), z.string()), { k: null }],
    ['in a field that the schema does not know', inner, { z: null }],
    ['in a field that may be anything', z.object({ any: z.unknown() }), { any: null }],
  ]
  for (const [name, schema, value] of cases)
    test(name, () => assert.equal(withoutNulls(schema, value), value))
})
