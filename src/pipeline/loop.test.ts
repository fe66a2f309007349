import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recordingLogger } from '../../tests/support/recording-logger.ts'
import { Loop } from './loop.ts'

const LONG_MS = 60_000

/** A loop whose step is given, and a promise for the moment at which the step has run that often. */
function countingLoop(isMore: (run: number) => boolean | Promise<boolean>, pauseMs = LONG_MS) {
  const lines: string[] = []
  let runs = 0
  const waiting: { runs: number; resolve: () => void }[] = []
  const loop = new Loop({
    name: 'counting',
    pauseMs,
    logger: recordingLogger(lines),
    step: async () => {
      runs++
      for (const wait of waiting) if (runs >= wait.runs) wait.resolve()
      return isMore(runs)
    },
  })
  const ran = (times: number) =>
    new Promise<void>((resolve) => (runs >= times ? resolve() : waiting.push({ runs: times, resolve })))
  return { loop, ran, runs: () => runs, lines }
}

test('goes on at once while there is more, then waits', async () => {
  const { loop, ran, runs } = countingLoop((run) => run < 5)
  loop.start()
  await ran(5)
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(runs(), 5)
  await loop.close()
})

test('loses no wake-up that comes while a step is under way', async () => {
  const { loop, ran } = countingLoop((run) => {
    if (run === 1) loop.wake()
    return false
  })
  loop.start()
  await ran(2)
  await loop.close()
})

test('is woken from its pause, and looks by itself after it', async () => {
  const woken = countingLoop(() => false)
  woken.loop.start()
  await woken.ran(1)
  woken.loop.wake()
  await woken.ran(2)
  await woken.loop.close()
  const patient = countingLoop(() => false, 1)
  patient.loop.start()
  await patient.ran(3)
  await patient.loop.close()
})

test('survives a step that throws, and logs it', async () => {
  const { loop, ran, lines } = countingLoop((run) => {
    if (run === 1) throw new Error('the disk is gone')
    return false
  })
  loop.start()
  await ran(1)
  await new Promise((resolve) => setImmediate(resolve))
  loop.wake()
  await ran(2)
  assert.ok(lines.some((line) => line.includes('the disk is gone')))
  await loop.close()
})

test('lets the step under way finish before it is closed', async () => {
  const step = Promise.withResolvers<void>()
  let isDone = false
  const { loop, ran } = countingLoop(async () => {
    await step.promise
    isDone = true
    return true
  })
  loop.start()
  await ran(1)
  const closing = loop.close()
  step.resolve()
  await closing
  assert.ok(isDone)
})
