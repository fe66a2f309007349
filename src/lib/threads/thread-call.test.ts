import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { callThread, isOutOfMemory } from './thread-call.ts'

/** A thread that runs a script with every message. */
function threadOf(script: string, heapMbMax = 64): Worker {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (message) => { ${script} })`,
    { eval: true, resourceLimits: { maxOldGenerationSizeMb: heapMbMax } },
  )
  // A real owner logs it.
  worker.on('error', () => {})
  after(() => worker.terminate())
  return worker
}

const MS_MAX = 300_000

test('tells the answer, one call after the other', async () => {
  const worker = threadOf('parentPort.postMessage(message + 1)')
  for (const message of [1, 2, 3]) {
    const end = await callThread<number>({ worker, isLoaded: true }, message, MS_MAX)
    assert.deepEqual(end, { answer: message + 1 })
  }
  assert.equal(worker.listenerCount('exit'), 0, 'nothing of a call is left behind')
})

test('counts the time of a call from when the thread has loaded', async (context) => {
  const worker = threadOf(
    "parentPort.postMessage('ready'); if (message === 'answer') parentPort.postMessage(1)",
  )
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const late = callThread({ worker, isLoaded: false }, 'be silent', 50)
  context.mock.timers.tick(1_000)
  await once(worker, 'message')
  context.mock.timers.tick(49)
  context.mock.timers.tick(1)
  assert.deepEqual(await late, { lateMs: 50 })
  assert.deepEqual(await callThread({ worker, isLoaded: false }, 'answer', 50), { answer: 1 })
})

test('tells when the thread ends, fails, or has ended before', async () => {
  const ending = threadOf('process.exit(3)')
  assert.deepEqual(await callThread({ worker: ending, isLoaded: true }, 1, MS_MAX), { lost: 3 })
  assert.deepEqual(await callThread({ worker: ending, isLoaded: true }, 1, MS_MAX), { lost: undefined })
  const failing = await callThread({ worker: threadOf("throw new Error('no')"), isLoaded: true }, 1, MS_MAX)
  assert.ok('lost' in failing && (failing.lost as Error).message === 'no')
  assert.ok(!isOutOfMemory(failing.lost))
  const greedy = threadOf('const all = []; for (;;) all.push(new Array(1e5).fill(Math.random()))', 16)
  const eaten = await callThread({ worker: greedy, isLoaded: true }, 1, MS_MAX)
  assert.ok('lost' in eaten && isOutOfMemory(eaten.lost))
})
