import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startThread } from './start-thread.ts'

test('a thread has bounds on its memory, with and without a limit of the caller', async () => {
  for (const limits of [undefined, { heapMbMax: 100 }]) {
    const worker = startThread(import.meta.url, 'start-thread', undefined, limits)
    const { maxYoungGenerationSizeMb, maxOldGenerationSizeMb } = worker.resourceLimits ?? {}
    assert.equal(maxYoungGenerationSizeMb, 48)
    if (limits) assert.equal(maxOldGenerationSizeMb, 100)
    await worker.terminate()
  }
})
