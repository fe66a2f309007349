import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairRoom } from './fair-room.ts'

test('one key may fill the room, and is turned away when it is full', () => {
  const room = new FairRoom<string>(10)
  room.take('a', 6)
  assert.equal(room.has('a', 4), true)
  room.take('a', 4)
  assert.equal(room.has('a', 1), false)
  room.leave('a', 1)
  assert.equal(room.has('a', 1), true)
})

test('a full room turns away who fills it, and not who has less than an equal share', () => {
  const room = new FairRoom<string>(10)
  room.take('noisy', 10)
  assert.equal(room.has('quiet', 4), true)
  room.take('quiet', 4)
  assert.equal(room.has('noisy', 1), false)
  assert.equal(room.has('quiet', 1), true)
  assert.equal(room.has('quiet', 2), false, 'more than half')
})

test('however many keys there are, no more than twice the room is used', () => {
  const room = new FairRoom<number>(10)
  for (let key = 0; key < 100; key++) if (room.has(key, 3)) room.take(key, 3)
  assert.equal(room.has(1_000, 3), false)
  assert.equal(room.has(1_000, 2), true)
})

test('what comes into an empty room always fits in', () => {
  const room = new FairRoom<string>(10)
  assert.equal(room.has('a', 1_000), true)
  room.take('a', 1_000)
  assert.equal(room.has('b', 1), false)
  room.leave('a', 1_000)
  assert.equal(room.has('b', 1), true)
})
