import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { testId } from '../../../tests/otlp/encode-traces.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { chatSpan, monitorVersion, storedBatch, unitsOf } from '../../../tests/support/scoring.ts'
import { judgedTrap } from '../../../tests/support/trap-judged-evaluator.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { NoVerdict } from '../../domain/no-verdict.ts'
import type { StartThread } from '../../lib/threads/start-thread.ts'
import { startThread } from '../../lib/threads/start-thread.ts'
import type { JudgeDesk, JudgePayer, JudgeQuestion } from '../../ports/judge.ts'
import { type JudgingLimits, JudgingPool, JudgingThreadLost, type JudgingWatch } from './judging-pool.ts'

const LIMITS: JudgingLimits = {
  evaluationMsMax: 300_000,
  callsMax: 100,
  silentMsMax: 300_000,
  heapMbMax: 128,
}
const MODEL = { provider: 'openai', model: 'm' }
const PAYER: JudgePayer = { orgId: 'org', projectId: 'project' }

const startTrap: StartThread = (_url, _name, data, limits) =>
  startThread(
    import.meta.resolve('../../../tests/support/trap-judged-evaluator.ts'),
    'trap-judging-thread',
    data,
    limits,
  )

type Reply = (text: string, signal: AbortSignal) => Promise<{ length: number }>

/** A desk whose judge counts characters, unless it is told otherwise. */
function deskOf(reply: Reply): JudgeDesk & { readonly payers: JudgePayer[] } {
  const payers: JudgePayer[] = []
  return {
    payers,
    defaultModel: async () => MODEL,
    async close() {},
    open(payer, _model, signal) {
      payers.push(payer)
      let calls = 0
      return {
        async ask({ messages }: JudgeQuestion) {
          calls++
          const [part] = messages[0]?.parts ?? []
          return (await reply((part as { data: string }).data, signal)) as never
        },
        generate: () => Promise.reject(new Error('nobody asks for this')),
        note() {},
        get judgement() {
          return {
            judge: 'openai/m',
            calls,
            cachedCalls: 0,
            promptTokens: 10 * calls,
            completionTokens: calls,
          }
        },
      }
    },
  }
}

const counting: Reply = async (text) => ({ length: text.length })

function poolOf(reply: Reply = counting, limits: Partial<JudgingLimits> = {}) {
  const lines: string[] = []
  const desk = deskOf(reply)
  const pool = new JudgingPool(startTrap, desk, { ...LIMITS, ...limits }, recordingLogger(lines))
  after(() => pool.close())
  return { pool, desk, lines }
}

const execute = (pool: JudgingPool, text: string, signal = new AbortController().signal) =>
  pool.execute({ slug: judgedTrap.slug }, { input: { text } }, { payer: PAYER, model: MODEL }, signal)

/** Runs a job over spans with these answers and gives what became of them, by place. */
async function score(pool: JudgingPool, texts: readonly string[], unitsAtOnce = 4, stop?: AbortSignal) {
  const told: Record<number, string> = {}
  const outcomes: UnitOutcome[] = []
  const tell = (ordinal: number, what: string) => {
    assert.ok(!(ordinal in told), `unit ${ordinal} was told twice`)
    told[ordinal] = what
  }
  const watch: JudgingWatch = {
    onOutcome(_work, outcome) {
      outcomes.push(outcome)
      tell(outcome.ordinal, outcome.status)
    },
    onSampledOut: (_work, ordinal) => tell(ordinal, 'sampled out'),
    onPutOff: (_work, { ordinal }, { reason }) => tell(ordinal, `put off: ${reason}`),
    onLost: (_work, ordinal, why) => tell(ordinal, `lost: ${why}`),
  }
  const version = monitorVersion(judgedTrap.slug, 1, {
    mapping: { text: { from: { field: 'completion' } } },
    judge: 'openai/m',
  })
  const job = {
    batch: storedBatch(texts.map((text, at) => chatSpan(at, text))),
    works: [
      {
        version,
        evaluator: { slug: judgedTrap.slug },
        units: unitsOf(texts.keys()),
        payer: PAYER,
        model: MODEL,
      },
    ],
    unitsAtOnce,
  }
  let error: unknown
  await pool.score(job, watch, stop ?? new AbortController().signal).catch((thrown) => {
    error = thrown
  })
  return { told, outcomes, error }
}

test('runs an evaluator with the judge of the other side and tells what it took and what it rests on', async () => {
  const { pool, desk } = poolOf()
  const { output, judgement } = await execute(pool, 'four')
  assert.deepEqual(output, { length: 4 })
  assert.deepEqual(judgement, {
    judge: 'openai/m',
    calls: 1,
    cachedCalls: 0,
    promptTokens: 10,
    completionTokens: 1,
    evidence: { asked: 'four' },
  })
  assert.deepEqual(desk.payers, [PAYER])
})

test('carries errors of the client and of the judge as what they are', async () => {
  const { pool } = poolOf(async () => {
    throw new NoVerdict('over_budget', 'the budget is spent', 5_000)
  })
  await assert.rejects(execute(pool, 'refuse'), { kind: 'invalid_input', message: /input\.text is refused/ })
  await assert.rejects(
    pool.execute(
      { slug: judgedTrap.slug },
      { input: {} },
      { payer: PAYER, model: MODEL },
      new AbortController().signal,
    ),
    { kind: 'invalid_input', message: /input\.text is required/ },
  )
  await assert.rejects(execute(pool, 'bug'), (error) => error instanceof TypeError)
  await assert.rejects(
    execute(pool, 'x'),
    (error) => error instanceof NoVerdict && error.reason === 'over_budget' && error.retryAfterMs === 5_000,
  )
})

test('waits for many judges at the same time', async () => {
  let waiting = 0
  const all = Promise.withResolvers<void>()
  const { pool } = poolOf(async (text) => {
    if (++waiting === 20) all.resolve()
    await all.promise
    return { length: text.length }
  })
  await Promise.all(Array.from({ length: 20 }, (_, at) => execute(pool, 'x'.repeat(at))))
  assert.equal(waiting, 20)
})

test('ends an evaluation whose judge takes too long, and says that it was the time', async () => {
  const { pool } = poolOf(
    (_text, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          assert.equal(signal.reason.name, 'TimeoutError')
          reject(new NoVerdict('deadline', 'the judge did not answer in time'))
        })
      }),
    { evaluationMsMax: 100 },
  )
  await assert.rejects(execute(pool, 'x'), { kind: 'deadline' })
})

test('stops asking for a client that has gone', async () => {
  const gone = new AbortController()
  let isStopped = false
  const { pool } = poolOf((_text, signal) => {
    signal.addEventListener('abort', () => {
      isStopped = true
    })
    gone.abort()
    return new Promise(() => {})
  })
  await assert.rejects(execute(pool, 'x', gone.signal))
  assert.ok(isStopped)
})

test('refuses more calls than may be under way', async () => {
  const { pool } = poolOf(() => new Promise(() => {}), { callsMax: 1 })
  execute(pool, 'x').catch(() => {})
  await assert.rejects(execute(pool, 'y'), { kind: 'unavailable' })
})

test('judges the spans of a batch and tells each of them once', async () => {
  const { pool, lines } = poolOf(async (text) => {
    if (text === 'away') throw new NoVerdict('unavailable', 'the provider is away')
    if (text === 'no') throw new NoVerdict('refused', 'it declined')
    return { length: text.length }
  })
  const { told, outcomes, error } = await score(pool, ['one', 'away', 'no', 'refuse', 'bug', 'three'])
  assert.equal(error, undefined)
  assert.deepEqual(told, {
    0: 'scored',
    1: 'put off: unavailable',
    2: 'refused',
    3: 'error',
    4: 'error',
    5: 'scored',
  })
  const first = outcomes.find(({ ordinal }) => ordinal === 0)
  assert.deepEqual(first?.output, { length: 3 })
  assert.equal(first?.traceId, Buffer.from(testId(16, 1)).toString('hex'))
  assert.deepEqual([first?.judgement?.calls, first?.judgement?.evidence], [1, { asked: 'one' }])
  const bug = outcomes.find(({ ordinal }) => ordinal === 4)
  assert.equal(bug?.errorMessage, 'the evaluator failed on this span')
  assert.ok(lines.some((line) => line.includes('a bug')))
})

for (const [name, text] of [
  ['hangs', 'hang'],
  ['dies', 'die'],
] as const) {
  test(`replaces a thread that ${name}, and names the units that were in it`, async () => {
    const { pool } = poolOf(counting, { silentMsMax: 5_000 })
    const { told, error } = await score(pool, ['fine', text, 'later'], 1)
    assert.deepEqual(told, { 0: 'scored' })
    assert.ok(error instanceof JudgingThreadLost)
    assert.deepEqual(
      error.begun.map(({ work, ids }) => [work, ids.ordinal, ids.spanId]),
      [[0, 1, Buffer.from(testId(8, 2)).toString('hex')]],
    )
    assert.deepEqual((await execute(pool, 'alive')).output, { length: 5 })
  })
}

test('begins no further unit of a job that nobody wants any more', async () => {
  const stopping = new AbortController()
  const { pool } = poolOf(async (text) => {
    stopping.abort()
    return { length: text.length }
  })
  const { told, error } = await score(pool, ['a', 'b', 'c'], 1, stopping.signal)
  assert.equal(error, undefined)
  assert.deepEqual(told, { 0: 'scored' })
})
