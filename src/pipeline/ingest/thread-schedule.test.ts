import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PublicError } from '../../lib/public-error.ts'
import { ThreadSchedule } from './thread-schedule.ts'

let nowMs = 0

/** A schedule whose turns a test gives, and what it has told. */
function scheduleOf(callMsMax = 60_000) {
  const pending: (() => void)[] = []
  const slices: number[] = []
  const ended: [number, unknown][] = []
  const schedule = new ThreadSchedule({
    callMsMax,
    onSlice: (id) => void slices.push(id),
    now: () => nowMs,
    later: (next) => void pending.push(next),
  })
  const add = (id: number, projectId: string, begin: () => unknown) =>
    schedule.add({
      id,
      projectId,
      begin,
      end: (outcome) => void ended.push([id, 'value' in outcome ? outcome.value : outcome.error]),
    })
  const turn = () => pending.shift()?.()
  const finish = () => {
    while (pending.length > 0) turn()
  }
  return { add, turn, finish, slices, ended }
}

/** Moves the clock on with each slice, because turns are by the time that was used. */
function* slicesOf(count: number, sliceMs = 10) {
  for (let at = 0; at < count; at++) {
    nowMs += sliceMs
    yield
  }
  return count
}

test('a request of a quiet project waits for one slice of a noisy one, however much that has waiting', () => {
  const { add, turn, finish, slices, ended } = scheduleOf()
  for (let id = 1; id <= 10; id++) add(id, 'noisy', () => slicesOf(50))
  for (let at = 0; at < 20; at++) turn()
  const before = slices.length
  add(100, 'quiet', () => 'at once')
  turn()
  turn()
  assert.ok(
    ended.some(([id]) => id === 100),
    `${slices.length - before} slices were not enough`,
  )
  finish()
  assert.equal(ended.length, 11)
})

test('calls of one project are done in their order, each to its end before the next begins', () => {
  const { add, finish, slices, ended } = scheduleOf()
  add(1, 'one', () => slicesOf(3))
  add(2, 'one', () => 'setups')
  add(3, 'one', () => slicesOf(2))
  finish()
  assert.deepEqual(
    slices,
    slices.toSorted((left, right) => left - right),
  )
  assert.deepEqual(ended, [
    [1, 3],
    [2, 'setups'],
    [3, 2],
  ])
})

test('turns are by the time that slices take: one that takes three times as long has a third of them', () => {
  const { add, turn, slices } = scheduleOf()
  add(1, 'one', () => slicesOf(1_000, 30))
  add(2, 'two', () => slicesOf(1_000, 10))
  for (let at = 0; at < 99; at++) turn()
  const ones = slices.filter((id) => id === 1).length
  assert.ok(ones >= 24 && ones <= 26, `${ones} of ${slices.length}`)
})

test('a call that uses more than its time ends with a refusal, and a failure ends only its own call', () => {
  const { add, finish, ended } = scheduleOf(100)
  add(1, 'one', () => slicesOf(10_000))
  add(2, 'one', () => {
    throw new Error('broken')
  })
  add(3, 'two', () => 'fine')
  finish()
  const of = (id: number) => ended.find(([each]) => each === id)?.[1]
  assert.ok(of(1) instanceof PublicError)
  assert.equal((of(2) as Error).message, 'broken')
  assert.equal(of(3), 'fine')
})
