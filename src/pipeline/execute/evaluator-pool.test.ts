import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { PublicError } from '../../lib/public-error.ts'
import { type StartThread, startThread } from '../../lib/threads/start-thread.ts'
import { openEvaluationThreads } from '../scoring/evaluation-threads.ts'
import { EvaluatorPool, type PoolLimits } from './evaluator-pool.ts'

const LIMITS: PoolLimits = {
  threadsMax: 2,
  callMsMax: 300_000,
  waitingMax: 10,
  waitingBytesMax: 1_000,
  waitMsMax: 300_000,
}

const ONE = { tenant: 'one' }

const logLines: string[] = []
const logger = recordingLogger(logLines)

/** A pool over threads that are started in some way. */
function openPool(start: StartThread, limits: Partial<PoolLimits> = {}, heapMbMax = 128) {
  const all = { ...LIMITS, ...limits }
  const threads = openEvaluationThreads(start, { threadsMax: 2 * all.threadsMax, heapMbMax }, logger)
  const pool = new EvaluatorPool(threads, all)
  const close = async () => {
    pool.close()
    await threads.close()
  }
  after(close)
  return { pool, close }
}

/** A pool whose threads run the given script instead of evaluators. `slug` is what a call asks for. */
function poolOf(
  script: string,
  { heapMbMax, ...limits }: Partial<PoolLimits> & { heapMbMax?: number } = {},
  whileLoading = '',
  workerData?: Int32Array,
) {
  let started = 0
  const opened = openPool(
    (_url, _name, _data, memory) => {
      started++
      const source = `const { parentPort, workerData } = require('node:worker_threads');
        ${whileLoading}
        parentPort.postMessage('ready');
        parentPort.on('message', async ({ slug, body }) => { ${script} })`
      return new Worker(source, {
        eval: true,
        workerData,
        ...(memory ? { resourceLimits: { maxOldGenerationSizeMb: memory.heapMbMax } } : {}),
      })
    },
    limits,
    heapMbMax,
  )
  return { ...opened, started: () => started }
}

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value))

const ECHO_OR_MISBEHAVE = `
  if (slug === 'hang') for (;;) {}
  if (slug === 'eat') { const all = []; for (;;) all.push(new Array(1e5).fill(Math.random())) }
  if (slug === 'die') process.exit(3)
  parentPort.postMessage({ answer: { input: JSON.parse(Buffer.from(body)) } })`

test('runs a real evaluator in a thread and passes its refusals on', async () => {
  const { pool } = openPool(startThread)
  const run = (input: unknown) => pool.run({ slug: 'char-count', body: bytes({ input }) }, ONE)
  assert.deepEqual(await run({ text: 'hi 👋' }), { char_count: 4 })
  await assert.rejects(run({}), (error) => {
    assert.ok(error instanceof PublicError)
    assert.equal(error.message, 'invalid input: input.text is required')
    return true
  })
})

test('ends a call that runs over its time, says so, and goes on with the next in a new thread', async () => {
  const { pool, started } = poolOf(ECHO_OR_MISBEHAVE, { callMsMax: 3_000, threadsMax: 1 })
  const hanging = pool.run({ slug: 'hang', body: bytes(1) }, ONE)
  const next = pool.run({ slug: 'ok', body: bytes(2) }, ONE)
  await assert.rejects(hanging, { kind: 'deadline', message: 'the evaluation took longer than 3000 ms' })
  assert.equal((await next)['input'], 2)
  assert.ok(started() >= 2 && started() <= 3, `${started()} threads`)
})

test('does not count the time in which a thread loads against its first call', async (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const isLoaded = new Int32Array(new SharedArrayBuffer(4))
  const { pool } = poolOf(ECHO_OR_MISBEHAVE, { callMsMax: 200 }, 'Atomics.wait(workerData, 0, 0);', isLoaded)
  const running = pool.run({ slug: 'ok', body: bytes(1) }, ONE)
  context.mock.timers.tick(201)
  Atomics.store(isLoaded, 0, 1)
  Atomics.notify(isLoaded, 0)
  assert.equal((await running)['input'], 1)
})

test('uses no thread again that an input has tainted', async () => {
  const { pool, started } = poolOf(
    `parentPort.postMessage({ refusal: { kind: 'invalid_input', message: 'bad' }, isLast: true })`,
    { threadsMax: 1 },
  )
  const calls = [1, 2, 3].map((input) => pool.run({ slug: 'any', body: bytes(input) }, ONE))
  for (const call of calls) await assert.rejects(call, { kind: 'invalid_input', message: 'bad' })
  assert.equal(started(), 3)
})

for (const [slug, name, outcome] of [
  ['die', 'a thread that ends', { message: 'an evaluator thread ended' }],
  ['eat', 'a thread that needs too much memory, and tells the caller', { kind: 'too_large' }],
] as const) {
  test(`survives ${name}`, async () => {
    const { pool } = poolOf(ECHO_OR_MISBEHAVE, { threadsMax: 1, heapMbMax: 32 })
    await assert.rejects(pool.run({ slug, body: bytes(1) }, ONE), outcome)
    assert.equal((await pool.run({ slug: 'ok', body: bytes(2) }, ONE))['input'], 2)
  })
}

test('survives a thread that fails while it has nothing to do, and logs it', async () => {
  const failLater = `parentPort.postMessage({ answer: {} });
    if (slug === 'fail') setTimeout(() => { throw new Error('later') }, 100)`
  const { pool } = poolOf(failLater, { threadsMax: 1 })
  logLines.length = 0
  await pool.run({ slug: 'fail', body: bytes(1) }, ONE)
  while (!logLines.some((line) => line.includes('an evaluation thread failed'))) {
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await pool.run({ slug: 'ok', body: bytes(2) }, ONE)
})

test('drops a waiting call when its caller has gone, and refuses one that waits too long', async () => {
  const { pool } = poolOf('', { threadsMax: 1, callMsMax: 600, waitMsMax: 200 })
  const running = pool.run({ slug: 'never', body: bytes(1) }, ONE)
  const gone = new AbortController()
  const abandoned = pool.run({ slug: 'never', body: bytes(2) }, { ...ONE, signal: gone.signal })
  const impatient = pool.run({ slug: 'never', body: bytes(3) }, ONE)
  gone.abort()
  await assert.rejects(abandoned, { kind: 'unavailable' })
  await assert.rejects(impatient, { kind: 'unavailable', message: 'no thread was free in time; try again' })
  await assert.rejects(running, { kind: 'deadline' })
})

test('refuses calls that together are too large to wait', async () => {
  const { pool } = poolOf('', { threadsMax: 1, callMsMax: 300 })
  const calls = Array.from({ length: 4 }, () => pool.run({ slug: 'never', body: Buffer.alloc(600) }, ONE))
  const kinds = (await Promise.allSettled(calls)).map(
    (outcome) => outcome.status === 'rejected' && outcome.reason.kind,
  )
  assert.deepEqual(kinds.toSorted(), ['deadline', 'deadline', 'unavailable', 'unavailable'])
})

test('starts no more threads than it may, and none before the first call', async () => {
  const { pool, started } = poolOf(ECHO_OR_MISBEHAVE)
  assert.equal(started(), 0)
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) => pool.run({ slug: 'ok', body: bytes(at) }, ONE)),
  )
  assert.deepEqual(
    answers.map(({ input }) => input),
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
  )
  // Two for the calls; on a slow machine as many again, kept ready for other tenants.
  assert.ok(started() >= 2 && started() <= 4, `${started()} threads`)
})

test('refuses calls beyond what may wait', async () => {
  const { pool } = poolOf('', { threadsMax: 1, waitingMax: 2, callMsMax: 300 })
  const calls = Array.from({ length: 5 }, () => pool.run({ slug: 'never', body: bytes(1) }, ONE))
  const outcomes = await Promise.allSettled(calls)
  const kinds = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason.kind : 'answered'))
  assert.deepEqual(kinds.toSorted(), ['deadline', 'deadline', 'deadline', 'unavailable', 'unavailable'])
})

test('refuses what waits when it is closed', async () => {
  const { pool, close } = poolOf('', { threadsMax: 1 })
  const calls = [1, 2].map((input) => pool.run({ slug: 'never', body: bytes(input) }, ONE))
  const settled = Promise.allSettled(calls)
  await close()
  assert.ok((await settled).every(({ status }) => status === 'rejected'))
  await assert.rejects(pool.run({ slug: 'late', body: bytes(1) }, ONE), { kind: 'unavailable' })
})

test('a tenant whose calls fill every thread and the queue neither refuses nor delays the call of another', async () => {
  const { pool, started, close } = poolOf(ECHO_OR_MISBEHAVE, { threadsMax: 2, waitingMax: 6 })
  const noisy = Array.from({ length: 8 }, () =>
    pool.run({ slug: 'hang', body: bytes(1) }, { tenant: 'noisy' }).catch((error: Error) => error),
  )
  await assert.rejects(pool.run({ slug: 'hang', body: bytes(1) }, { tenant: 'noisy' }), {
    name: 'PublicError',
  })
  // None of the calls before it ever ends by itself: it gets a thread although none becomes free.
  for (let at = 0; at < 3; at++) {
    assert.deepEqual(await pool.run({ slug: 'echo', body: bytes(at) }, { tenant: 'quiet' }), { input: at })
  }
  assert.ok(started() >= 3 && started() <= 4, `${started()} threads: twice as many as may be busy at most`)
  await close()
  await Promise.all(noisy)
})

test('tenants take turns: the first call of another one is served next, whatever backlog there is', async (context) => {
  // Without a thread of relief, which would load while the calls before go on.
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const { pool } = poolOf(
    `await new Promise((resolve) => setTimeout(resolve, 5)); parentPort.postMessage({ answer: {} })`,
    { threadsMax: 1, waitingMax: 100 },
  )
  const order: string[] = []
  const call = (tenant: string) =>
    pool.run({ slug: 'echo', body: bytes(1) }, { tenant }).then(() => order.push(tenant))
  const calls = Array.from({ length: 20 }, () => call('noisy'))
  calls.push(call('quiet'), call('quiet'))
  await Promise.all(calls)
  // The call that was running, and one that was given to the thread with its answer.
  const first = order.indexOf('quiet')
  assert.ok(first >= 0 && first <= 2, `after ${first} calls of the noisy tenant`)
})

test('a call with a budget of its own ends when that is used up', async () => {
  const { pool } = poolOf(ECHO_OR_MISBEHAVE)
  await assert.rejects(pool.run({ slug: 'hang', body: bytes(1) }, { tenant: 'one', budgetMs: 50 }), {
    message: 'the evaluation took longer than 50 ms',
  })
})
