import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import type { LongTrace, LongTraceAnswer } from '../../../tests/support/long-trace-thread.ts'
import { STEPS_MAX } from './sample-steps.ts'
import { TRACE_CHARS_MAX } from './trace-fields.ts'

/** The thread ends with an error beyond this; the 30,000 spans themselves take most of it. */
const HEAP_MB_MAX = 256
/** Far more than is needed, for a machine with other work; a cost that grows with the square needs hours. */
const READ_MS_MAX = 60_000

async function read(trace: LongTrace): Promise<LongTraceAnswer> {
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
    const answer = await read({ shape: 'wide', spans: 30_000 })
    t.diagnostic(`${Math.round(answer.ms)} ms`)
    assert.deepEqual([answer.steps, answer.isSampled], [29_999, true])
    assert.ok(answer.messages <= STEPS_MAX && answer.messages > 500, `${answer.messages} messages`)
    assert.ok(answer.chars <= TRACE_CHARS_MAX, `${answer.chars} characters`)
    assert.equal(answer.first, 'question 0')
    assert.match(answer.last, /^answer 29998 /)
    assert.equal(answer.failed, 30)
    assert.ok(answer.ms < READ_MS_MAX, `${answer.ms} ms`)
  })

  test('may be as deep as it is long', async (t) => {
    const answer = await read({ shape: 'deep', spans: 30_000 })
    t.diagnostic(`${Math.round(answer.ms)} ms`)
    assert.deepEqual([answer.steps, answer.isSampled], [30_000, true])
    assert.equal(answer.first, 'question 0')
    assert.ok(answer.ms < READ_MS_MAX, `${answer.ms} ms`)
  })

  test('may send its conversation again with every call', async (t) => {
    const answer = await read({ shape: 'repeating', spans: 500 })
    t.diagnostic(`${Math.round(answer.ms)} ms`)
    assert.deepEqual([answer.steps, answer.first], [500, 'question 0'])
    assert.match(answer.last, /^answer 499 /)
    assert.ok(answer.ms < READ_MS_MAX, `${answer.ms} ms`)
  })
})
