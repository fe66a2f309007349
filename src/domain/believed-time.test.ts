import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClockRecord, lookAtClock } from './believed-time.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const T = 1_800_000_000_000

/** Looks again and again, every hour of a process that runs on; `offset` says what the clock shows at each hour. */
function run(known: ClockRecord | undefined, hours: number, offset: (hour: number) => number) {
  let record = known
  const looks: ClockRecord[] = []
  for (let hour = 0; hour < hours; hour++) {
    record = lookAtClock(record, T + hour * HOUR + offset(hour), hour === 0 ? 0 : HOUR)
    looks.push(record)
  }
  return looks
}

test('a clock that runs on is believed, and so is a first look', () => {
  for (const [hour, look] of run(undefined, 100, () => 0).entries()) {
    assert.deepEqual(look, { believedAtMs: T + hour * HOUR, seenAtMs: T + hour * HOUR })
  }
})

test('a jump of up to a day is believed', () => {
  const looks = run(undefined, 4, (hour) => (hour < 2 ? 0 : DAY))
  assert.equal(looks.at(-1)?.believedAtMs, T + 3 * HOUR + DAY)
})

test('a jump of years is not believed; time goes on from before, and the jump counts after a day', () => {
  const years = 3_650 * DAY
  const looks = run(undefined, 40, (hour) => (hour < 2 ? 0 : years))
  assert.equal(looks[2]?.doubtedSinceMs, T + 2 * HOUR + years)
  assert.equal(looks[25]?.believedAtMs, T + 25 * HOUR)
  assert.equal(looks[26]?.believedAtMs, T + 26 * HOUR + years)
  assert.equal(looks[26]?.doubtedSinceMs, undefined)
})

test('a clock that comes back is believed again at once', () => {
  const looks = run(undefined, 6, (hour) => (hour >= 2 && hour < 4 ? 3_650 * DAY : 0))
  assert.deepEqual(looks[4], { believedAtMs: T + 4 * HOUR, seenAtMs: T + 4 * HOUR })
})

test('a clock that jumps again begins its day anew', () => {
  const looks = run(undefined, 60, (hour) => (hour < 2 ? 0 : hour < 20 ? 100 * DAY : 200 * DAY))
  assert.equal(looks[30]?.believedAtMs, T + 30 * HOUR)
  assert.equal(looks[44]?.believedAtMs, T + 44 * HOUR + 200 * DAY)
})

test('a service that was off for a week keeps everything for a day, also when it restarts meanwhile', () => {
  const before = { believedAtMs: T - 7 * DAY, seenAtMs: T - 7 * DAY }
  const [first] = run(before, 1, () => 0)
  assert.deepEqual(first, { believedAtMs: T - 7 * DAY, seenAtMs: T, doubtedSinceMs: T })
  const restarted = lookAtClock(first, T + 5 * HOUR, 0)
  assert.equal(restarted.doubtedSinceMs, T)
  assert.equal(lookAtClock(restarted, T + DAY, 19 * HOUR).believedAtMs, T + DAY)
})

test('a process that stood still for days has seen them pass', () => {
  const known = { believedAtMs: T, seenAtMs: T }
  assert.equal(lookAtClock(known, T + 5 * DAY, 5 * DAY).believedAtMs, T + 5 * DAY)
})

test('a clock that is set back deletes less and is believed', () => {
  const known = { believedAtMs: T, seenAtMs: T }
  assert.equal(lookAtClock(known, T - 400 * DAY, HOUR).believedAtMs, T - 400 * DAY)
})
