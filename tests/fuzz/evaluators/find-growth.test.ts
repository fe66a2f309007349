import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findGrowth } from './find-growth.ts'

const timed = (cpuMs: (length: number) => number | string) => findGrowth(async (length) => cpuMs(length))

test('time that grows with the square of the length is found', async () => {
  const { problem } = await timed((length) => 1 + length ** 2 / 1e6)
  assert.match(problem ?? '', /^takes time out of proportion: .* characters, .* characters, .* characters$/)
})

test('time that grows with the length is not', async () => {
  for (const perCharacter of [1e-5, 1e-3, 0.1]) {
    assert.equal((await timed((length) => length * perCharacter)).problem, undefined)
    assert.equal((await timed((length) => length * Math.log(length) * perCharacter)).problem, undefined)
  }
})

test('one slow call is no growth', async () => {
  let calls = 0
  const { problem } = await timed((length) => (++calls === 3 ? 5_000 : length / 1_000))
  assert.equal(problem, undefined)
})

test('a call that goes wrong is told at once', async () => {
  const lengths: number[] = []
  const { problem } = await findGrowth(async (length) => {
    lengths.push(length)
    return length > 2_000 ? 'it fails' : 1
  })
  assert.equal(problem, 'it fails')
  assert.deepEqual(lengths, [1_024, 4_096])
})
