import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chat, chatWith, read, tool, workflow } from '../../../tests/support/trace-builders.ts'
import { spansOfTrace, transcript } from '../../../tests/support/trace-case.ts'
import { traceFields } from './trace-fields.ts'

describe('order:', () => {
  test('branches that ran at the same time are read one after the other', () => {
    const spans = spansOfTrace(
      1,
      workflow(
        'Both?',
        'Done.',
        { name: 'left', within: [chat('L1', 'l1'), chat('L2', 'l2')] },
        { name: 'right', within: [chat('R1', 'r1'), chat('R2', 'r2')] },
      ),
    )
    // Both branches begin together, and their calls alternate.
    const at: Readonly<Record<string, number>> = { left: 10, L1: 11, L2: 13, right: 10.5, R1: 12, R2: 14 }
    const moved = spans.map((span) => {
      const start = at[span.name] ?? at[String(span.attributes.get('gen_ai.prompt.0.content'))]
      if (start === undefined) return { ...span, startUnixNano: 0n, endUnixNano: 99_000n }
      const isBranch = span.name === 'left' || span.name === 'right'
      const startUnixNano = BigInt(start * 1000)
      return { ...span, startUnixNano, endUnixNano: isBranch ? 20_000n : startUnixNano + 1_500n }
    })
    assert.deepEqual(transcript(traceFields(moved)), [
      ...['user: Both?', 'user: L1', 'assistant: l1', 'user: L2', 'assistant: l2'],
      ...['user: R1', 'assistant: r1', 'user: R2', 'assistant: r2', 'assistant: Done.'],
    ])
  })

  test('a tool on a machine whose clock is behind stays between the calls around it', () => {
    const fields = read(
      workflow('Q', 'A', chat('Q', 'I look.'), tool('sky', {}, 'rain', { behindMs: 5_000 }), chat('Q', 'A')),
    )
    assert.deepEqual(transcript(fields), [
      ...['user: Q', 'assistant: I look.', 'assistant: -> sky({})', 'tool sky: rain', 'assistant: A'],
    ])
  })

  test('a span whose parent never came is read where its time says', () => {
    const lost = { name: 'lost', within: [chat('two', '2')] }
    const agent = { name: 'agent', within: [chat('one', '1'), lost, chat('three', '3')] }
    const spans = spansOfTrace(1, { name: 'root', within: [agent] }).filter(({ name }) => name !== 'lost')
    assert.deepEqual(traceFields(spans)?.get('prompts'), ['one', 'two', 'three'])
  })

  test('spans that no clock tells apart are always read in the same order', () => {
    const spans = spansOfTrace(1, chat('one', '1'), chat('two', '2'), chat('three', '3')).map((span) => ({
      ...span,
      ...{ startUnixNano: 1n, endUnixNano: 2n },
    }))
    const prompts = traceFields(spans)?.get('prompts')
    assert.deepEqual(traceFields(spans.toReversed())?.get('prompts'), prompts)
  })

  test("spans that are each other's parents are read by their time", () => {
    const [one, two] = spansOfTrace(1, chat('one', '1'), chat('two', '2'))
    assert.ok(one && two)
    const circle = [
      { ...two, parentSpanId: one.spanId },
      { ...one, parentSpanId: two.spanId },
    ]
    assert.deepEqual(traceFields(circle)?.get('prompts'), ['one', 'two'])
    assert.deepEqual(traceFields([{ ...one, parentSpanId: one.spanId }])?.get('prompts'), ['one'])
  })
})

describe('a session', () => {
  test('reads its traces by their beginnings, and takes the same words in another trace for new ones', () => {
    const first = spansOfTrace(1, chat('Again.', 'One.'))
    const second = spansOfTrace(2, chat('Again.', 'Two.'))
    const third = spansOfTrace(3, chatWith(['Again.', 'One.', 'Again.', 'Two.', 'Thanks.'], 'Welcome.'))
    assert.deepEqual(transcript(traceFields([...second, ...first])), [
      ...['user: Again.', 'assistant: One.', 'user: Again.', 'assistant: Two.'],
    ])
    const fields = traceFields([...third, ...first, ...second])
    assert.deepEqual(transcript(fields), [
      ...['user: Again.', 'assistant: One.', 'user: Again.', 'assistant: Two.'],
      ...['user: Thanks.', 'assistant: Welcome.'],
    ])
    assert.deepEqual([fields?.get('prompt'), fields?.get('completion')], ['Thanks.', 'Welcome.'])
  })
})
