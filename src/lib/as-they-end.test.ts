import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asTheyEnd } from './as-they-end.ts'

/** Tasks that end when they are told to. */
function tasksOf(count: number) {
  const begun: number[] = []
  const ends = Array.from({ length: count }, () => Promise.withResolvers<number>())
  const tasks = ends.map(({ promise }, at) => () => {
    begun.push(at)
    return promise
  })
  return { begun, ends, tasks }
}

test('gives results in the order of their ends and never runs more than so many', async () => {
  const { begun, ends, tasks } = tasksOf(4)
  const results = asTheyEnd(tasks, 2)
  const first = results.next()
  assert.deepEqual(begun, [0, 1])
  ends[1]?.resolve(1)
  assert.equal((await first).value, 1)
  assert.deepEqual(begun, [0, 1])
  const second = results.next()
  assert.deepEqual(begun, [0, 1, 2])
  ends[2]?.resolve(2)
  assert.equal((await second).value, 2)
  ends[3]?.resolve(3)
  ends[0]?.resolve(0)
  const rest: number[] = []
  for await (const value of results) rest.push(value)
  assert.deepEqual(rest.toSorted(), [0, 3])
})

test('begins nothing more after its reader has gone', async () => {
  const { begun, ends, tasks } = tasksOf(3)
  const results = asTheyEnd(tasks, 1)
  const first = results.next()
  ends[0]?.resolve(0)
  await first
  await results.return()
  assert.deepEqual(begun, [0])
})

test('ends with the error of a task that fails', async () => {
  const { ends, tasks } = tasksOf(2)
  const results = asTheyEnd(tasks, 2)
  const first = results.next()
  ends[0]?.reject(new Error('broken'))
  ends[1]?.reject(new Error('broken too'))
  await assert.rejects(first, /broken/)
})
