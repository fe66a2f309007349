import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY, type FoldState, HOUR, planStretches } from './fold-plan.ts'

const state = (hoursThrough: number, daysThrough: number, hours: number[] = [], days: number[] = []) =>
  ({ hoursThrough, daysThrough, stale: { [HOUR]: new Set(hours), [DAY]: new Set(days) } }) as FoldState

const told = (stretches: ReturnType<typeof planStretches>) =>
  stretches.map(({ level, from, to }) => `${level}: ${from}-${to}`).toSorted()

test('reads days, then hours, then minutes, as far as each was folded', () => {
  assert.deepEqual(told(planStretches(state(5 * DAY, 4 * DAY), DAY - 90, 5 * DAY + 90, DAY)), [
    `1440: ${DAY}-${4 * DAY}`,
    `1: ${DAY - 90}-${DAY - HOUR}`,
    `1: ${5 * DAY}-${5 * DAY + 90}`,
    `60: ${DAY - HOUR}-${DAY}`,
    `60: ${4 * DAY}-${5 * DAY}`,
  ])
})

test('reads no period that is longer than a bucket or whose minutes have changed', () => {
  const folded = state(4 * DAY, 3 * DAY, [DAY + HOUR], [DAY])
  assert.deepEqual(told(planStretches(folded, 0, 3 * DAY, 6 * HOUR)), [
    `1: ${DAY + HOUR}-${DAY + 2 * HOUR}`,
    `60: 0-${DAY + HOUR}`,
    `60: ${DAY + 2 * HOUR}-${3 * DAY}`,
  ])
  assert.deepEqual(
    told(planStretches(folded, 0, 3 * DAY, 2 * DAY)),
    [
      `1440: 0-${DAY}`,
      `1440: ${2 * DAY}-${3 * DAY}`,
      `1: ${DAY + HOUR}-${DAY + 2 * HOUR}`,
      `60: ${DAY}-${DAY + HOUR}`,
      `60: ${DAY + 2 * HOUR}-${2 * DAY}`,
    ].toSorted(),
  )
  assert.deepEqual(told(planStretches(folded, 0, DAY, 15)), [`1: 0-${DAY}`])
  assert.deepEqual(told(planStretches(state(0, 0), 0, DAY, DAY)), [`1: 0-${DAY}`])
})

test('covers every minute once, whatever was folded', () => {
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  for (let round = 0; round < 300; round++) {
    const hours = random(100)
    const days = Math.floor(random(hours + 1) / 24)
    const stale = Array.from({ length: random(6) }, () => random(hours + 1) * HOUR)
    const staleDays = stale.map((minute) => Math.floor(minute / DAY) * DAY)
    const from = random(3 * DAY)
    const to = from + random(3 * DAY)
    const bucket = [1, 15, HOUR, 6 * HOUR, DAY][random(5)] as number
    const seen = new Map<number, number>()
    const plan = planStretches(state(hours * HOUR, days * DAY, stale, staleDays), from, to, bucket)
    for (const stretch of plan) {
      assert.ok(stretch.from % stretch.level === 0 && stretch.to % stretch.level === 0)
      for (let minute = stretch.from; minute < stretch.to; minute++)
        seen.set(minute, (seen.get(minute) ?? 0) + 1)
    }
    assert.equal(seen.size, to - from)
    assert.ok([...seen].every(([minute, times]) => times === 1 && minute >= from && minute < to))
  }
})
