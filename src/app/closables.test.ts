import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Closables } from './closables.ts'

test('closes everything once, the last one first, and goes on behind a part that fails', async () => {
  const closables = new Closables()
  const closed: string[] = []
  for (const name of ['store', 'threads', 'server'])
    closables.add(async () => {
      closed.push(name)
      if (name === 'threads') throw new Error('threads do not end')
    })
  await assert.rejects(closables.close(), { message: 'threads do not end' })
  await assert.rejects(closables.close(), { message: 'threads do not end' })
  assert.deepEqual(closed, ['server', 'threads', 'store'])
})
