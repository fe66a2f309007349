import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patient } from '../../../tests/support/judge-desk.ts'
import { rejectsWith } from '../../../tests/support/no-verdict.ts'
import { type LaneLimits, type LanePlace, ProviderLane } from './provider-lane.ts'

test('lets so many calls pass at once and the others in the order in which they came', async () => {
  const { enter, entered } = newLane({ callsMax: 2 })
  const places = ['a1', 'a2', 'a3', 'a4'].map((name) => enter('a', name))
  await settle()
  assert.deepEqual(entered, ['a1', 'a2'])
  await leave(places[1])
  assert.deepEqual(entered, ['a1', 'a2', 'a3'])
  await leave(places[0])
  assert.deepEqual(entered, ['a1', 'a2', 'a3', 'a4'])
})

test('lets organizations take turns, however much one of them asks', async () => {
  const { enter, entered } = newLane({ callsMax: 1 })
  const first = enter('a', 'a1')
  const rest = [enter('a', 'a2'), enter('a', 'a3'), enter('b', 'b1'), enter('b', 'b2'), enter('c', 'c1')]
  await leave(first)
  for (const place of [0, 2, 4, 1]) await leave(rest[place])
  assert.deepEqual(entered, ['a1', 'a2', 'b1', 'c1', 'a3', 'b2'])
})

test('keeps to the tokens of a minute, and settles what was estimated', async () => {
  const { enter, entered, clock, tick } = newLane({ callsMax: 10, tokensPerMinute: 600 })
  const first = enter('a', 'first', 400)
  const second = enter('a', 'second', 400)
  await settle()
  assert.deepEqual(entered, ['first'])
  // 200 are left and ten come back each second, so that the second call waits for 20 of them.
  assert.deepEqual(clock.waits, [20_000])
  await tick(19_000)
  assert.deepEqual(entered, ['first'])
  await tick(1_000)
  assert.deepEqual(entered, ['first', 'second'])
  // Only 100 of 400 were used: the rest is there for the next one at once.
  await leave(second, 100)
  enter('a', 'third', 300)
  await settle()
  assert.deepEqual(entered, ['first', 'second', 'third'])
  await leave(first, 400)
})

test('lets a call pass that is larger than a minute', async () => {
  const { enter, entered } = newLane({ callsMax: 10, tokensPerMinute: 600 })
  enter('a', 'huge', 10_000)
  await settle()
  assert.deepEqual(entered, ['huge'])
})

test('waits while the provider wants to be left alone', async () => {
  const { lane, enter, entered, tick } = newLane({ callsMax: 10 })
  lane.pause(5_000)
  enter('a', 'one')
  await settle()
  assert.deepEqual(entered, [])
  await tick(5_000)
  assert.deepEqual(entered, ['one'])
})

test('takes no place for somebody who does not wait any more, and gives none back twice', async () => {
  const { lane, enter, entered } = newLane({ callsMax: 1 })
  const first = enter('a', 'first')
  const impatience = new AbortController()
  const second = lane.enter('a', 0, impatience.signal)
  const third = enter('a', 'third')
  enter('a', 'fourth')
  impatience.abort()
  await rejectsWith(second, 'deadline')
  await leave(first)
  await leave(first)
  assert.deepEqual(entered, ['first', 'third'])
  await leave(third)
  assert.deepEqual(entered, ['first', 'third', 'fourth'])
})

interface Sleeper {
  readonly untilMs: number
  wake(): void
}

function newLane(limits: LaneLimits) {
  const clock = { atMs: 0, waits: [] as number[], sleepers: [] as Sleeper[] }
  const time = {
    nowMs: () => clock.atMs,
    sleep: (ms: number) =>
      new Promise<void>((wake) => {
        clock.waits.push(ms)
        clock.sleepers.push({ untilMs: clock.atMs + ms, wake })
      }),
  }
  const lane = new ProviderLane(limits, time, patient(), () => {})
  const entered: string[] = []
  const enter = async (orgId: string, name: string, tokens = 0) => {
    const place = await lane.enter(orgId, tokens, patient())
    entered.push(name)
    return place
  }
  const tick = async (ms: number) => {
    clock.atMs += ms
    for (const { untilMs, wake } of clock.sleepers) if (untilMs <= clock.atMs) wake()
    await settle()
  }
  return { lane, clock, enter, entered, tick }
}

async function leave(place: Promise<LanePlace> | undefined, tokens?: number): Promise<void> {
  const taken = await place
  taken?.leave(tokens)
  await settle()
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
