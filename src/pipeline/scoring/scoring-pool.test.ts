import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { chatSpan, monitorVersion, storedBatch, unitsOf } from '../../../tests/support/scoring.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import { openEvaluationThreads } from './evaluation-threads.ts'
import type { ScoringJob, WorkScores } from './scoring-job.ts'
import { type ScoringLimits, ScoringPool } from './scoring-pool.ts'

const LIMITS: ScoringLimits = { threadsMax: 2, unitMsMax: 300_000, waitingMax: 10 }

/** Of tests in which one unit takes too long: the others must not, even on a machine that does other work. */
const UNIT_MS_MAX = 3_000

/** A pool whose threads have the trap among their evaluators. */
function poolOf(
  { heapMbMax = 128, ...given }: Partial<ScoringLimits> & { heapMbMax?: number } = {},
  start: StartThread = startTrap,
) {
  const lines: string[] = []
  const logger = recordingLogger(lines)
  const limits = { ...LIMITS, ...given }
  let started = 0
  const counted: StartThread = (...what) => {
    started++
    return start(...what)
  }
  const threads = openEvaluationThreads(counted, { threadsMax: limits.threadsMax + 1, heapMbMax }, logger)
  const pool = new ScoringPool(threads, limits, logger)
  const close = async () => {
    pool.close()
    await threads.close()
  }
  after(close)
  return { pool, lines, close, started: () => started }
}

const startTrap: StartThread = (_url, _name, data, limits) =>
  startThread(
    import.meta.resolve('../../../tests/support/trap-evaluator.ts'),
    'trap-evaluation-thread',
    data,
    limits,
  )

/** Threads that run a script; `say` answers, `enter` moves the position. */
function scripted(script: string, whileLoading = ''): StartThread {
  return (_url, _name, workerData) =>
    new Worker(
      `const { parentPort, workerData } = require('node:worker_threads');
      const numbers = new Int32Array(workerData.position);
      const say = (message) => parentPort.postMessage(message);
      const enter = (ordinal, work) => { numbers[1] = ordinal; numbers[2] = work; Atomics.add(numbers, 0, 1) };
      ${whileLoading}
      say('ready');
      parentPort.on('message', ({ job, start }) => { ${script} })`,
      { eval: true, workerData },
    )
}

/** A job of two pieces of work, the trap and a count, over spans with these answers. */
function jobOf(texts: readonly string[]): ScoringJob {
  const units = unitsOf(texts.keys())
  return {
    project: 1,
    batch: storedBatch(texts.map((text, at) => chatSpan(at, text))),
    works: [
      { version: monitorVersion('trap', 1), units },
      { version: monitorVersion('char-count', 2), units },
    ],
  }
}

/** Asserts the result of the job: every unit once and in order, the trapped ones with a message. */
function assertScores(
  scores: readonly WorkScores[],
  texts: readonly string[],
  trapped: Readonly<Record<string, string>>,
): void {
  const said = scores.map(({ outcomes }) =>
    outcomes.map(({ ordinal, status, output, errorMessage }) => [ordinal, status, output ?? errorMessage]),
  )
  assert.deepEqual(said, [
    texts.map((text, at) =>
      text in trapped ? [at, 'error', trapped[text]] : [at, 'scored', { length: text.length }],
    ),
    texts.map((text, at) => [at, 'scored', { char_count: text.length }]),
  ])
  assert.ok(scores.every(({ sampledOut, lost }) => sampledOut === 0 && lost === 0))
}

test('scores a batch with the built-in evaluators in a thread of its own', async () => {
  const { pool, started } = poolOf({}, startThread)
  const texts = Array.from({ length: 100 }, (_, at) => `${at} ${'word '.repeat(at % 7)}`.trim())
  const units = unitsOf(texts.keys())
  const works = ['char-count', 'word-count'].map((slug, at) => ({ version: monitorVersion(slug, at), units }))
  const batch = storedBatch(texts.map((text, at) => chatSpan(at, text)))
  const [chars, words] = await pool.score({ project: 1, batch, works })
  assert.deepEqual(
    chars?.outcomes.map(({ output }) => output?.['char_count']),
    texts.map((text) => text.length),
  )
  assert.deepEqual(
    words?.outcomes.map(({ output }) => output?.['word_count']),
    texts.map((text) => text.split(' ').length),
  )
  assert.ok(started() <= 2, 'one, and on a slow machine one that is kept ready for other projects')
})

test('a thread takes one job after the other, and no more threads start than may', async () => {
  const { pool, started } = poolOf({}, startThread)
  assert.equal(started(), 0)
  const jobs = Array.from({ length: 8 }, (_, at) => [`job ${at}`, 'x'.repeat(at + 1)])
  const all = await Promise.all(
    jobs.map((texts) => {
      const { batch, works } = jobOf(texts)
      return pool.score({ project: 1, batch, works: works.slice(1) })
    }),
  )
  assert.deepEqual(
    all.map(([scores]) => scores?.outcomes.map(({ output }) => output?.['char_count'])),
    jobs.map((texts) => texts.map((text) => text.length)),
  )
  // Two for the jobs; on a slow machine one more, kept ready for other projects.
  assert.ok(started() >= 2 && started() <= 3, `${started()} threads`)
})

describe('a poison unit becomes an error, and nothing else of its batch is lost or doubled:', () => {
  const cases = [
    ['hang', `the evaluation took longer than ${UNIT_MS_MAX} ms`, { unitMsMax: UNIT_MS_MAX }],
    ['never', `the evaluation took longer than ${UNIT_MS_MAX} ms`, { unitMsMax: UNIT_MS_MAX }],
    ['eat', 'the evaluation needs more memory than an evaluation may use', { heapMbMax: 64 }],
    ['exit', 'the evaluation ended its thread', {}],
    ['taint', 'invalid input: input.text is too deep', {}],
  ] as const
  for (const [text, message, limits] of cases) {
    test(text, async () => {
      const { pool } = poolOf({ ...limits, threadsMax: 1 })
      const texts = ['a', 'bb', text, 'dddd', 'eeeee']
      assertScores(await pool.score(jobOf(texts)), texts, { [text]: message })
      // The pool is as good as before.
      assertScores(await pool.score(jobOf(['after'])), ['after'], {})
    })
  }
  test('several in one batch, at its ends too', async () => {
    const { pool } = poolOf({ unitMsMax: UNIT_MS_MAX, threadsMax: 1 })
    const texts = ['hang', 'b', 'exit', 'taint', 'e', 'hang']
    assertScores(await pool.score(jobOf(texts)), texts, {
      hang: `the evaluation took longer than ${UNIT_MS_MAX} ms`,
      exit: 'the evaluation ended its thread',
      taint: 'invalid input: input.text is too deep',
    })
  })
  test('while other jobs go on', async () => {
    const { pool } = poolOf({ unitMsMax: UNIT_MS_MAX })
    const poisoned = pool.score(jobOf(['hang', 'x']))
    const others = Array.from({ length: 5 }, (_, at) => [`other ${at}`])
    const scores = await Promise.all(others.map((texts) => pool.score(jobOf(texts))))
    for (const [at, texts] of others.entries()) assertScores(scores[at] as WorkScores[], texts, {})
    assertScores(await poisoned, ['hang', 'x'], {
      hang: `the evaluation took longer than ${UNIT_MS_MAX} ms`,
    })
  })
})

/** The text of a part in which the first piece of work has one outcome for each of these spans. */
const PART = `const part = (upTo, ordinals) => say({ part: JSON.stringify({
  upTo, usedMs: [1], applications: [], units: ordinals.map((at) => [at, 't', 's', 0, -1]),
  works: [{ rows: ordinals.map((at, row) => [row, 'scored', 1, { at, from: start.from }]), sampledOut: 1, lost: 0 }],
}) });`

const anyJob: ScoringJob = {
  project: 1,
  batch: storedBatch([]),
  works: [{ version: monitorVersion('char-count', 1), units: unitsOf([0, 1, 2, 3, 4]) }],
}

describe('a thread that is lost', () => {
  test('in the middle loses only what it had not handed over, and the next goes on behind that', async () => {
    const { pool, started } = poolOf(
      { unitMsMax: UNIT_MS_MAX, threadsMax: 1 },
      scripted(`${PART}
        if (start.from === 0) { part(2, [0, 1]); enter(2, 0) }
        else { part(5, [2, 3, 4].filter((at) => !start.poisoned.some((poison) => poison.ordinal === at))); say('done') }`),
    )
    const [scores] = await pool.score(anyJob)
    assert.deepEqual(
      scores?.outcomes.map(({ output }) => output),
      [
        { at: 0, from: 0 },
        { at: 1, from: 0 },
        { at: 3, from: 2 },
        { at: 4, from: 2 },
      ],
    )
    assert.equal(scores?.sampledOut, 2)
    assert.ok(started() >= 2 && started() <= 3, `${started()} threads`)
  })
  test('without being late gets a second try before a unit is blamed: it may have died of its past', async () => {
    const threads = [
      scripted('enter(3, 0); process.exit(1)'),
      scripted(`${PART} part(5, [0, 1, 2, 3, 4]); say('done')`),
    ]
    const { pool, started, lines } = poolOf({ threadsMax: 1 }, (...given) =>
      (threads.shift() as StartThread)(...given),
    )
    const [scores] = await pool.score(anyJob)
    assert.equal(scores?.outcomes.length, 5)
    assert.ok(started() >= 2 && started() <= 3, `${started()} threads`)
    assert.ok(
      lines.some((line) => line.includes('a scoring thread was lost') && line.includes('"ordinal":3')),
    )
  })
  test('while it opens the batch makes the batch unreadable, not the service', async () => {
    const { pool, started, lines } = poolOf(
      { threadsMax: 1 },
      scripted(`enter(-1, -1);
        if (start.poisoned.length === 0) process.exit(1);
        say({ part: JSON.stringify({ upTo: 5, usedMs: [0], applications: [], units: [], works: [
          { rows: [], sampledOut: 0, skipped: 0, lost: 5, lossReason: start.poisoned[0].message }] }) });
        say('done')`),
    )
    const scores = await pool.score(anyJob)
    const lossReason = 'reading the batch ended its thread'
    assert.deepEqual(scores, [{ outcomes: [], sampledOut: 0, skipped: 0, lost: 5, lossReason }])
    assert.equal(started(), 3)
    assert.ok(
      lines.some((line) => line.startsWith('error spans that were to be scored are not in their batch')),
    )
  })
  test('again at what was left out fails the job instead of going on forever', async () => {
    const { pool, started } = poolOf({ threadsMax: 1 }, scripted('enter(1, 0); process.exit(1)'))
    await assert.rejects(pool.score(anyJob), { message: 'a scoring thread was lost' })
    assert.equal(started(), 3)
  })
  test('while it has nothing to do is forgotten', async () => {
    const { pool, lines } = poolOf(
      { threadsMax: 1 },
      scripted(`${PART} part(5, [0]); say('done'); setTimeout(() => { throw new Error('later') }, 50)`),
    )
    await pool.score(anyJob)
    while (!lines.some((line) => line.includes('an evaluation thread failed'))) {
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    assert.equal((await pool.score(anyJob))[0]?.outcomes.length, 1)
  })
})

describe('a thread that cannot be started rejects its job, which may be tried again', () => {
  test('when starting throws', async () => {
    const { pool } = poolOf({}, () => {
      throw new Error('no more threads')
    })
    await assert.rejects(pool.score(anyJob), (error: Error) => {
      assert.equal(error.message, 'an evaluation thread cannot be started')
      assert.equal((error.cause as Error).message, 'no more threads')
      return true
    })
  })
  test('when a lost one cannot be replaced, and no other job waits forever', async () => {
    const threads = [scripted('enter(1, 0); process.exit(1)')]
    const { pool } = poolOf({ threadsMax: 1 }, (...given) => {
      const start = threads.shift()
      if (!start) throw new Error('no more threads')
      return start(...given)
    })
    const jobs = [1, 2, 3].map(() => pool.score(anyJob))
    for (const outcome of await Promise.allSettled(jobs)) {
      assert.ok(outcome.status === 'rejected')
      assert.equal(outcome.reason.message, 'an evaluation thread cannot be started')
    }
  })
  test('when it ends while it loads', async () => {
    const { pool } = poolOf({ threadsMax: 1 }, scripted('', 'throw new Error("cannot load");'))
    await assert.rejects(pool.score(anyJob), (error: Error) => {
      assert.equal((error.cause as Error).message, 'cannot load')
      return true
    })
  })
})

test('the time in which a thread loads is not the unit’s', async () => {
  const load = `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${UNIT_MS_MAX + 1_000});`
  const { pool, started } = poolOf(
    { unitMsMax: UNIT_MS_MAX, threadsMax: 1 },
    scripted(`${PART} part(5, [0]); say('done')`, load),
  )
  assert.equal((await pool.score(anyJob))[0]?.outcomes.length, 1)
  assert.equal(started(), 1)
})

test('a bug of an evaluator is logged', async () => {
  const { pool, lines } = poolOf({ threadsMax: 1 })
  const [trapped] = await pool.score(jobOf(['throw', 'throw']))
  assert.deepEqual(
    trapped?.outcomes.map(({ errorMessage }) => errorMessage),
    new Array(2).fill('the evaluator failed on this span'),
  )
  const told = lines.filter((line) => line.startsWith('error an evaluator failed on a span'))
  assert.equal(told.length, 1)
  assert.match(told[0] ?? '', /"slug":"trap".*Error: a bug/)
})

test('jobs beyond what may wait are refused', async () => {
  const { pool, close } = poolOf({ threadsMax: 1, waitingMax: 1 }, scripted(''))
  const jobs = [1, 2, 3].map(() => pool.score(anyJob))
  await assert.rejects(jobs[2] as Promise<unknown>, { kind: 'unavailable' })
  const rest = Promise.allSettled(jobs)
  await close()
  assert.ok((await rest).every(({ status }) => status === 'rejected'))
})

test('closing refuses what runs and what waits, and what comes later', async () => {
  const { pool, lines, close } = poolOf({ threadsMax: 1 }, scripted(''))
  const settled = Promise.allSettled([pool.score(anyJob), pool.score(anyJob)])
  await close()
  for (const outcome of await settled) {
    assert.ok(outcome.status === 'rejected' && outcome.reason.kind === 'unavailable')
  }
  await assert.rejects(pool.score(anyJob), { kind: 'unavailable' })
  assert.deepEqual(lines, [])
})

describe('projects take turns:', () => {
  /** Goes through twenty spans: those of the first project one by one where the thread is wanted, the others at once. */
  const sliced = scripted(`
    const upTo = Math.min(20, start.from + (job.project === 1 && numbers[4] === 1 ? 1 : 20))
    const part = { upTo, usedMs: [0], applications: [], units: [], works: [{ rows: [], sampledOut: 0, skipped: 0, lost: 0 }] }
    setTimeout(() => {
      say({ part: JSON.stringify(part) })
      say(upTo === 20 ? 'done' : 'paused')
    }, 5)`)

  test('a job of a quiet project waits for at most two slices of a noisy one', async () => {
    let slices = 0
    const counting: StartThread = (...given) => {
      const thread = sliced(...given)
      thread.on('message', (message) => {
        if (message === 'done' || message === 'paused') slices++
      })
      return thread
    }
    const { pool } = poolOf({ threadsMax: 1, waitingMax: 100 }, counting)
    const job = (project: number): ScoringJob => ({ ...anyJob, project })
    const noisy = Array.from({ length: 30 }, () => pool.score(job(1)))
    const quietSlices: number[] = []
    for (let round = 0; round < 3; round++) {
      await noisy[round]
      const before = slices
      await pool.score(job(2))
      quietSlices.push(slices - before)
    }
    // Its own slice, the one that was running, and one more where the noisy project has had less time before.
    for (const count of quietSlices) assert.ok(count <= 3, `${quietSlices} slices`)
    await Promise.all(noisy)
  })

  test('a job of another project is done while a unit of the first one never ends', async () => {
    const { pool, started, close } = poolOf(
      { threadsMax: 1 },
      scripted(`enter(0, 0); if (job.project === 1) for (;;) {}
        say({ part: JSON.stringify({ upTo: 1, usedMs: [0], applications: [], units: [], works: [{ rows: [], sampledOut: 0, skipped: 0, lost: 0 }] }) })
        say('done')`),
    )
    const endless = pool.score({ ...anyJob, project: 1 }).catch((error: Error) => error)
    for (let at = 0; at < 3; at++) assert.equal((await pool.score({ ...anyJob, project: 2 })).length, 1)
    assert.equal(started(), 2, 'one thread more, for all of its jobs')
    await close()
    await endless
  })
})
