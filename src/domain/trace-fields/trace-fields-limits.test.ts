import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { LongTrace, LongTraceAnswer } from '../../../tests/support/long-trace-thread.ts'
import { chat, read, tool } from '../../../tests/support/trace-builders.ts'
import { STEPS_MAX } from './sample-steps.ts'
import { TRACE_CHARS_MAX } from './trace-fields.ts'

/** The thread ends with an error beyond this; the 30,000 spans themselves take most of it. */
const HEAP_MB_MAX = 256
/** Far more processor time than is needed, also on a slow machine; a cost that grows with the square needs hours. */
const READ_MS_MAX = 60_000

async function readInThread(trace: LongTrace): Promise<LongTraceAnswer> {
  const thread = new Worker(new URL('../../../tests/support/long-trace-thread.ts', import.meta.url), {
    workerData: trace,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB_MAX },
  })
  const [answer] = (await once(thread, 'message')) as [LongTraceAnswer]
  await thread.terminate()
  return answer
}

describe('a trace that is longer than can be read', () => {
  test('shows its beginning, its end, what failed and some of the rest, and says so', async (t) => {
    const answer = await readInThread({ shape: 'wide', spans: 30_000 })
    t.diagnostic(`${Math.round(answer.ms)} ms`)
    assert.deepEqual([answer.steps, answer.isSampled], [29_999, true])
    assert.ok(answer.messages <= STEPS_MAX && answer.messages > 500, `${answer.messages} messages`)
    assert.equal(answer.pairs * 2, answer.messages - answer.failed * 2)
    assert.ok(answer.chars <= TRACE_CHARS_MAX, `${answer.chars} characters`)
    assert.equal(answer.first, 'question 0')
    assert.match(answer.last, /^answer 29998 /)
    assert.equal(answer.failed, 30)
    assert.ok(answer.ms < READ_MS_MAX, `${answer.ms} ms`)
  })

  test('shows no more messages than evaluators take, also where they are short', () => {
    const fields = read(...Array.from({ length: 1_500 }, (_, at) => chat(`q ${at}`, `a ${at}`)))
    assert.deepEqual([fields.steps, fields.isSampled], [1_500, true])
    const messages = fields.get('messages') ?? []
    assert.ok(messages.length <= STEPS_MAX && messages.length > STEPS_MAX / 2, `${messages.length} messages`)
  })

  test('shows steps together with what came of them', () => {
    const steps = Array.from({ length: 2_000 }, (_, at) => [
      chat(`q ${at}`, `a ${at}`),
      tool('look', { at }, at),
    ])
    const fields = read(...steps.flat())
    const [calls, answers] = [fields.get('tool_calls') ?? [], fields.get('completions') ?? []]
    assert.equal(fields.steps, 4_000)
    assert.ok(calls.length > 300 && answers.length > 300, `${calls.length} calls, ${answers.length} answers`)
    assert.equal(fields.get('tool_results')?.length, calls.length)
  })

  test('may be as deep as it is long', async (t) => {
    const answer = await readInThread({ shape: 'deep', spans: 30_000 })
    t.diagnostic(`${Math.round(answer.ms)} ms`)
    assert.deepEqual([answer.steps, answer.isSampled], [30_000, true])
    assert.equal(answer.first, 'question 0')
    assert.ok(answer.ms < READ_MS_MAX, `${answer.ms} ms`)
  })

  test('may send its conversation again with every call', async (t) => {
    const answer = await readInThread({ shape: 'repeating', spans: 500 })
    t.diagnostic(`${Math.round(answer.ms)} ms`)
    assert.deepEqual([answer.steps, answer.first], [500, 'question 0'])
    assert.match(answer.last, /^answer 499 /)
    assert.ok(answer.ms < READ_MS_MAX, `${answer.ms} ms`)
  })
})
