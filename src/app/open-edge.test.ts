import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bodyBytesFor, connectionsFor } from './open-edge.ts'

const MIB = 1_048_576

test('connections leave descriptors to everything else', () => {
  assert.equal(connectionsFor(1_024), 768)
  assert.equal(connectionsFor(256), 192)
  assert.equal(connectionsFor(10_000), 9_000)
  assert.equal(connectionsFor(1_048_576), 20_000)
})

test('bodies take an eighth of the memory, but room for four of the largest and at most 256 MiB', () => {
  assert.equal(bodyBytesFor(1_024 * MIB, 16 * MIB), 128 * MIB)
  assert.equal(bodyBytesFor(256 * MIB, 16 * MIB), 64 * MIB)
  assert.equal(bodyBytesFor(64 * 1_024 * MIB, 16 * MIB), 256 * MIB)
  assert.equal(bodyBytesFor(64 * 1_024 * MIB, 128 * MIB), 512 * MIB)
})
