import assert from 'node:assert/strict'
import { test } from 'node:test'
import { validatorFor } from './compiled-schemas.ts'

const minimum = (value: number) => `{"minimum": ${value}}`

test('a schema is compiled once while it is in use', () => {
  const first = validatorFor(minimum(0))
  for (let value = 1; value < 1_000; value++) {
    validatorFor(minimum(value))
    assert.equal(validatorFor(minimum(0)), first)
  }
})

test('a schema that nobody asks for is forgotten when others come', () => {
  const first = validatorFor(minimum(-1))
  for (let value = 0; value < 300; value++) validatorFor(minimum(value))
  assert.notEqual(validatorFor(minimum(-1)), first)
})

test('large schemas push out others before there are many', () => {
  const large = (id: number) => JSON.stringify({ $comment: `${id}${'x'.repeat(900_000)}` })
  const first = validatorFor(large(0))
  assert.equal(validatorFor(large(0)), first)
  for (let id = 1; id < 4; id++) validatorFor(large(id))
  assert.notEqual(validatorFor(large(0)), first)
})
