import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHabitMemory } from './server-habits.ts'

const SERVER = new URL('http://host/v1/chat/completions')

test('forgets the model that was not asked for longest, and no other', () => {
  const memory = createHabitMemory()
  memory.of(SERVER, 'old').channelAt = 1
  memory.of(SERVER, 'used').channelAt = 1
  for (let count = 0; count < 1_000; count++) {
    memory.of(SERVER, `model-${count}`)
    memory.of(SERVER, 'used')
  }
  assert.equal(memory.of(SERVER, 'used').channelAt, 1)
  assert.equal(memory.of(SERVER, 'old').channelAt, 0)
})
