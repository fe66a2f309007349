import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUuidV7Source } from './uuid-v7.ts'

test('makes valid UUIDs of version 7 that carry the time', () => {
  const ms = Date.UTC(2026, 10, 15)
  const id = createUuidV7Source(() => ms).newId()
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16), ms)
})

test('sorts in order of creation within a millisecond, past its counter, and when the clock goes back', () => {
  let ms = 1_000_000
  const source = createUuidV7Source(() => ms)
  const ids = Array.from({ length: 10_000 }, () => source.newId())
  ms -= 500
  ids.push(source.newId(), source.newId())
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
})

test('differs in its random part', () => {
  const source = createUuidV7Source(() => 1)
  const tails = new Set(Array.from({ length: 1_000 }, () => source.newId().slice(-12)))
  assert.equal(tails.size, 1_000)
})
