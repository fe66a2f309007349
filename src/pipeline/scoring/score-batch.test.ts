import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeSpan, testId } from '../../../tests/otlp/encode-traces.ts'
import {
  chatSpan,
  monitorVersion,
  RECEIVED_AT_MS,
  storedBatch,
  unitsOf,
} from '../../../tests/support/scoring.ts'
import { findWithTrap } from '../../../tests/support/trap-evaluator.ts'
import { samplingNumber } from '../../domain/sampling.ts'
import { JobProgress } from './job-progress.ts'
import { type FindEvaluator, PreparedMonitors, prepareAlone } from './prepared-monitors.ts'
import { JOB_MS_MAX, type ScoringWatch, scoreBatch, TaintedByUnit } from './score-batch.ts'
import type { ScoringJob } from './scoring-job.ts'

interface Run {
  readonly start?: Partial<Pick<ScoringWatch, 'from' | 'poisoned' | 'usedMs'>>
  readonly find?: FindEvaluator
}

/** Scores a job here, and what it entered, handed over and reported. */
async function run(job: ScoringJob, { start = {}, find = findWithTrap }: Run = {}) {
  const progress = new JobProgress(job)
  const entered: string[] = []
  const reported: string[] = []
  let error: unknown
  await scoreBatch(job, new PreparedMonitors(find, prepareAlone), {
    ...progress.start,
    ...start,
    enter: (ordinal, work) => entered.push(`${ordinal} ${work}`),
    isWanted: false,
    hand: (part) => progress.take(part),
    report: (slug) => reported.push(slug),
  }).catch((thrown) => {
    error = thrown
  })
  return { scores: progress.scores, upTo: progress.start.from, entered, reported, error }
}

const answers = ['Rain.', '', '{"sky": "rain", "degrees": 4}', 'two  words\n', '👋 hi', '[1, 2']
const spans = answers.map((answer, at) => chatSpan(at, answer))

test('gives what evaluating every span by itself gives', async () => {
  const all = unitsOf(answers.keys())
  const slugs = ['char-count', 'word-count', 'json-validator']
  const works = slugs.map((slug, at) => ({ version: monitorVersion(slug, at), units: all }))
  const { scores } = await run({ project: 1, batch: storedBatch(spans), works })
  const said = scores.map(({ outcomes }) =>
    outcomes.map(({ status, output, ordinal }) => [ordinal, status, output]),
  )
  // Counted here, from the texts above, with none of the code that is tested. An empty answer is no answer.
  const naive = (output: (text: string) => object) =>
    answers.map((text, at) => (text === '' ? [at, 'missing_input', undefined] : [at, 'scored', output(text)]))
  assert.deepEqual(said, [
    naive((text) => ({ char_count: [...text].length })),
    naive((text) => ({ word_count: text.split(/\s+/).filter((word) => word !== '').length })),
    naive((text) => ({ is_valid_json: text.startsWith('{') })),
  ])
  assert.ok(scores.every(({ sampledOut, lost }) => sampledOut === 0 && lost === 0))
})

test('says of each outcome which span it is about, when that began, in which session and application', async () => {
  const attributes = { 'gen_ai.conversation.id': 'session 1', 'traceloop.workflow.name': 'refund' }
  const given = [chatSpan(0, 'hello', { attributes }), { ...chatSpan(1, 'hello'), startUnixNano: 0n }]
  const works = [{ version: monitorVersion('char-count', 1), units: unitsOf([0, 1]) }]
  const [outcome, untimed] =
    (await run({ project: 1, batch: storedBatch(given), works })).scores[0]?.outcomes ?? []
  assert.ok(outcome && untimed)
  const { durationUs, ...rest } = outcome
  assert.deepEqual(rest, {
    ordinal: 0,
    traceId: testId(16, 1).toString('hex'),
    spanId: testId(8, 1).toString('hex'),
    sessionId: 'session 1',
    application: 'refund',
    unitAtMs: 1_800_000_000_000,
    status: 'missing_input',
    errorMessage: 'the span does not carry input text (field completion)',
  })
  assert.ok(Number.isInteger(durationUs) && durationUs >= 0)
  assert.equal(untimed.unitAtMs, RECEIVED_AT_MS)
  assert.ok(!('sessionId' in untimed))
})

test('evaluates only the units of each piece of work, and reads a span once for all of them', async (context) => {
  // Finished units are handed over from time to time, and here only at the end.
  context.mock.method(performance, 'now', () => 0)
  const works = [
    { version: monitorVersion('char-count', 1), units: unitsOf([0, 2, 5]) },
    { version: monitorVersion('word-count', 2), units: unitsOf([2]) },
    { version: monitorVersion('char-count', 3), units: unitsOf([]) },
  ]
  const { scores, entered } = await run({ project: 1, batch: storedBatch(spans), works })
  assert.deepEqual(
    scores.map(({ outcomes }) => outcomes.map(({ ordinal }) => ordinal)),
    [[0, 2, 5], [2], []],
  )
  assert.deepEqual(entered, ['-1 -1', '0 -1', '0 0', '2 -1', '2 0', '2 1', '5 -1', '5 0', '-1 -1'])
})

test('counts ordinals over accepted spans: what was rejected on arrival has none', async () => {
  const works = [{ version: monitorVersion('char-count', 1), units: unitsOf([0, 1]) }]
  const bad = { ...chatSpan(9, 'no id'), traceId: Buffer.alloc(3) }
  const batch = storedBatch([bad, chatSpan(0, 'a'), chatSpan(1, 'late rejection'), chatSpan(2, 'abc')], {
    knownFaults: [0, 2],
  })
  const [work] = (await run({ project: 1, batch, works })).scores
  assert.deepEqual(
    work?.outcomes.map(({ spanId, output }) => [spanId, output?.['char_count']]),
    [
      [testId(8, 1).toString('hex'), 1],
      [testId(8, 3).toString('hex'), 3],
    ],
  )
})

describe('sampling', () => {
  const many = Array.from({ length: 200 }, (_, at) => chatSpan(at, 'x'.repeat(at + 1)))
  const work = (samplingRate: number) => ({
    version: monitorVersion('char-count', samplingRate, { samplingRate }),
    units: unitsOf(many.keys()),
  })
  test('lets through the traces whose number is below the rate, counts the others and decodes none of them', async () => {
    const job = { project: 1, batch: storedBatch(many), works: [work(0), work(0.3), work(1)] }
    const { scores, entered } = await run(job)
    const through = many.flatMap(({ traceId }, at) =>
      samplingNumber(traceId as Uint8Array) < 0.3 ? [at] : [],
    )
    assert.ok(through.length > 30 && through.length < 90)
    assert.deepEqual(
      scores.map(({ sampledOut }) => sampledOut),
      [200, 200 - through.length, 0],
    )
    assert.deepEqual(
      scores.map(({ outcomes }) => outcomes.length),
      [0, through.length, 200],
    )
    assert.deepEqual(
      scores[1]?.outcomes.map(({ ordinal, output }) => [ordinal, output]),
      through.map((ordinal) => [ordinal, { char_count: ordinal + 1 }]),
    )
    const onlyFew = await run({ ...job, works: [work(0.3)] })
    const decoded = onlyFew.entered.filter((place) => /^\d+ -1$/.test(place))
    assert.equal(decoded.length, through.length)
    assert.equal(entered.filter((place) => /^\d+ -1$/.test(place)).length, 200)
  })
})

describe('what a span holds is an outcome of that span:', () => {
  const outcomesOf = async (texts: readonly string[]) => {
    const units = unitsOf(texts.keys())
    const batch = storedBatch(texts.map((text, at) => chatSpan(at, text)))
    const works = [
      { version: monitorVersion('trap', 1), units },
      { version: monitorVersion('char-count', 2), units },
    ]
    return run({ project: 1, batch, works })
  }
  test('a refusal has the words of the evaluator', async () => {
    const { scores, reported } = await outcomesOf(['refuse', 'ok'])
    assert.deepEqual(
      scores[0]?.outcomes.map(({ status, errorMessage, output }) => [status, errorMessage ?? output]),
      [
        ['error', 'invalid input: input.text is refused'],
        ['scored', { length: 2 }],
      ],
    )
    assert.deepEqual(
      scores[1]?.outcomes.map(({ output }) => output),
      [{ char_count: 6 }, { char_count: 2 }],
    )
    assert.deepEqual(reported, [])
  })
  test('a bug is an error without its words, and an output that is none is a bug; each is reported once', async () => {
    const { scores, reported } = await outcomesOf(['throw', 'wrong', 'throw', 'ok'])
    assert.deepEqual(
      scores[0]?.outcomes.map(({ status, errorMessage }) => [status, errorMessage]),
      [...new Array(3).fill(['error', 'the evaluator failed on this span']), ['scored', undefined]],
    )
    assert.deepEqual(reported, ['trap'])
  })
  test('a unit that taints its thread stops the run behind the last span that is whole', async () => {
    const { scores, upTo, error } = await outcomesOf(['ok', 'taint', 'ok'])
    assert.ok(error instanceof TaintedByUnit)
    assert.deepEqual(error.poison, { ordinal: 1, work: 0, message: 'invalid input: input.text is too deep' })
    assert.equal(upTo, 1)
    assert.deepEqual(
      scores.map(({ outcomes }) => outcomes.map(({ ordinal }) => ordinal)),
      [[0], [0]],
    )
  })
})

describe('a monitor that cannot run', () => {
  const cases = {
    'of an evaluator that is gone': { evaluatorId: 'gone' },
    'of another version of its evaluator': { evaluatorVersion: 9 },
    'with a config that is no longer valid': { config: { regex: 7 } },
    'with a pattern that cannot be read': {
      mapping: { text: { from: { field: 'completion' }, regex: '(' } },
    },
  } as const
  const messages = [
    'evaluator regex-validator cannot run in this version of the service',
    'this monitor was bound to version 9 of regex-validator, and version 1 is here',
    'config.regex must be a string',
    /^a regex of the mapping is not valid: /,
  ]
  for (const [at, [name, changes]] of Object.entries(cases).entries()) {
    test(`${name} says so for each unit, and the others run`, async () => {
      const works = [
        { version: monitorVersion('regex-validator', 1, changes), units: unitsOf([0, 2]) },
        { version: monitorVersion('char-count', 2), units: unitsOf([0]) },
      ]
      const { scores } = await run({ project: 1, batch: storedBatch(spans), works })
      const [unable, able] = scores
      assert.equal(unable?.outcomes.length, 2)
      for (const { status, errorMessage } of unable?.outcomes ?? []) {
        assert.equal(status, 'error')
        const expected = messages[at]
        if (typeof expected === 'string') assert.equal(errorMessage, expected)
        else assert.match(errorMessage ?? '', expected as RegExp)
      }
      assert.deepEqual(able?.outcomes[0]?.output, { char_count: 5 })
    })
  }
})

describe('a batch', () => {
  const works = [
    { version: monitorVersion('char-count', 1, { samplingRate: 0.5 }), units: unitsOf([0, 1, 3]) },
    { version: monitorVersion('word-count', 2), units: unitsOf([1]) },
  ]
  const whole = storedBatch(spans)
  const broken = {
    'that is no zstd': storedBatch(spans, { bytes: Buffer.from('no zstd') }),
    'that is longer than it says': { ...whole, byteLength: 10 },
    'of no bytes': { ...whole, bytes: new Uint8Array(0) },
    'with broken framing': storedBatch([{ extra: encodeSpan({ name: 'x' }).subarray(0, 2) }]),
  }
  for (const [name, batch] of Object.entries(broken)) {
    test(`${name} loses all its units, with the reason`, async () => {
      const { scores, error } = await run({ project: 1, batch, works })
      assert.equal(error, undefined)
      assert.deepEqual(
        scores.map(({ outcomes, sampledOut, lost }) => [outcomes.length, sampledOut, lost]),
        [
          [0, 0, 3],
          [0, 0, 1],
        ],
      )
      assert.match(scores[0]?.lossReason ?? '', /./)
    })
  }
  test('that has fewer spans than units loses those only', async () => {
    const beyond = [{ version: monitorVersion('char-count', 1), units: unitsOf([0, 6, 1_000]) }]
    const { scores } = await run({ project: 1, batch: storedBatch(spans), works: beyond })
    assert.equal(scores[0]?.outcomes.length, 1)
    assert.equal(scores[0]?.lost, 2)
    assert.equal(scores[0]?.lossReason, 'unit 6 is not in the batch, which has 6 spans')
  })
})

describe('taken up again', () => {
  const units = unitsOf(answers.keys())
  const works = ['char-count', 'word-count'].map((slug, at) => ({ version: monitorVersion(slug, at), units }))
  const job = { project: 1, batch: storedBatch(spans), works }
  test('it goes on behind what is finished', async () => {
    const { scores } = await run(job, { start: { from: 4 } })
    assert.deepEqual(
      scores.map(({ outcomes }) => outcomes.map(({ ordinal }) => ordinal)),
      [
        [4, 5],
        [4, 5],
      ],
    )
  })
  test('it leaves out exactly what ended a thread, and records why', async () => {
    const { scores, entered } = await run(job, {
      start: {
        poisoned: [
          { ordinal: 2, work: 1, message: 'the evaluation took longer than 9 ms' },
          { ordinal: 4, message: 'reading the span ended its thread' },
        ],
      },
    })
    const errors = scores.map(({ outcomes }) =>
      outcomes.flatMap(({ ordinal, status, errorMessage }) =>
        status === 'error' ? [[ordinal, errorMessage]] : [],
      ),
    )
    assert.deepEqual(errors, [
      [[4, 'reading the span ended its thread']],
      [
        [2, 'the evaluation took longer than 9 ms'],
        [4, 'reading the span ended its thread'],
      ],
    ])
    assert.ok(scores.every(({ outcomes }) => outcomes.length === answers.length))
    assert.ok(entered.includes('2 0') && !entered.includes('2 1') && !entered.includes('4 -1'))
  })
  test('it does not open a batch that ended a thread', async () => {
    const message = 'reading the batch needs more memory than an evaluation may use'
    const { scores } = await run(job, { start: { poisoned: [{ message }] } })
    assert.deepEqual(
      scores,
      new Array(2).fill({ outcomes: [], sampledOut: 0, skipped: 0, lost: 6, lossReason: message }),
    )
  })
  test('it gives up work that has used more than its share when the time of the batch is over', async () => {
    const errorsOf = async (usedMs: number[]) =>
      (await run(job, { start: { usedMs } })).scores.map(
        ({ outcomes }) => outcomes.filter(({ status }) => status === 'error').length,
      )
    assert.deepEqual(await errorsOf([JOB_MS_MAX + 1, 0]), [6, 0])
    assert.deepEqual(await errorsOf([JOB_MS_MAX - 1_000, 0]), [0, 0])
    assert.deepEqual(await errorsOf([JOB_MS_MAX * 0.7, JOB_MS_MAX * 0.4]), [6, 0])
    const { scores } = await run(job, { start: { usedMs: [JOB_MS_MAX * 2, 0] } })
    assert.equal(
      scores[0]?.outcomes[0]?.errorMessage,
      'not evaluated: the spans before it took all the time of the batch',
    )
  })
})

test('monitors are made ready once, and only as many are kept as may be', () => {
  let found = 0
  const find: FindEvaluator = (version) => {
    found++
    return findWithTrap(version)
  }
  const monitors = new PreparedMonitors(find, prepareAlone, 2)
  const [one, two, three] = [1, 2, 3].map((number) => monitorVersion('char-count', number))
  assert.ok(one && two && three)
  const first = monitors.get(one)
  monitors.get(two)
  assert.equal(monitors.get(one), first)
  monitors.get(three)
  assert.equal(found, 3)
  assert.equal(monitors.get(one), first)
  monitors.get(two)
  assert.equal(found, 4)
})
