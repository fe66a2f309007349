import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type SampleSpan, spansOfTrace, transcript } from '../../../tests/support/trace-case.ts'
import {
  genAiAgents,
  openinferenceAgent,
  openllmetryAgent,
  type Sample,
  vercelAgent,
} from '../../../tests/support/trace-samples.ts'
import { type TraceFields, traceFields } from './trace-fields.ts'

const read = (...samples: readonly SampleSpan[]): TraceFields => {
  const fields = traceFields(spansOfTrace(1, ...samples))
  assert.ok(fields)
  return fields
}

const chat = (prompt: string, completion: string, rest: Partial<SampleSpan> = {}): SampleSpan => ({
  name: 'openai.chat',
  ...rest,
  attributes: {
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': prompt,
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': completion,
    ...rest.attributes,
  },
})

/** A call of a model with the whole conversation so far: user, assistant, user and so on. */
const chatWith = (history: readonly string[], completion: string): SampleSpan => ({
  name: 'openai.chat',
  attributes: {
    'gen_ai.input.messages': JSON.stringify(
      history.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content })),
    ),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: completion }]),
  },
})

const workflow = (input: unknown, output: unknown, ...within: readonly SampleSpan[]): SampleSpan => ({
  name: 'workflow',
  attributes: {
    'traceloop.span.kind': 'workflow',
    'traceloop.entity.input': JSON.stringify(input),
    'traceloop.entity.output': JSON.stringify(output),
  },
  within,
})

const tool = (
  name: string,
  input: unknown,
  output?: unknown,
  rest: Partial<SampleSpan> = {},
): SampleSpan => ({
  name,
  ...rest,
  attributes: {
    'traceloop.span.kind': 'tool',
    'traceloop.entity.name': name,
    'traceloop.entity.input': JSON.stringify(input),
    ...(output !== undefined && { 'traceloop.entity.output': JSON.stringify(output) }),
  },
})

describe('a trajectory', () => {
  const samples: readonly Sample[] = [openllmetryAgent, openinferenceAgent, vercelAgent, genAiAgents]
  for (const { name, spans, lines, fields: expected } of samples) {
    test(`${name} reads as a person would write it down`, () => {
      const fields = read(...spans)
      assert.deepEqual(transcript(fields), lines)
      for (const [field, value] of Object.entries(expected)) {
        assert.deepEqual(fields.get(field as keyof typeof expected), value, field)
      }
      assert.equal(fields.isSampled, false)
    })
  }
})

describe('what several spans repeat is told once:', () => {
  test('a workflow and the call of a model within it', () => {
    const fields = read(workflow({ question: 'Hi?' }, 'Hello.', chat('Hi?', 'Hello.')))
    assert.deepEqual(transcript(fields), ['user: Hi?', 'assistant: Hello.'])
  })

  test('a conversation that is sent again with every call', () => {
    const fields = read(
      chatWith(['Hi', 'Hello.', 'yes'], 'Which?'),
      chatWith(['Hi', 'Hello.', 'yes', 'Which?', 'yes'], 'Again: which?'),
    )
    assert.deepEqual(transcript(fields), [
      ...['user: Hi', 'assistant: Hello.', 'user: yes', 'assistant: Which?', 'user: yes'],
      'assistant: Again: which?',
    ])
    assert.deepEqual(fields.get('prompts'), ['Hi', 'yes', 'yes'])
    assert.deepEqual(fields.get('completions'), ['Hello.', 'Which?', 'Again: which?'])
  })

  test('but an answer that a model gave twice is two answers', () => {
    const fields = read(chat('Try.', 'I will look.'), chat('Try.', 'I will look.'))
    assert.deepEqual(transcript(fields), ['user: Try.', 'assistant: I will look.', 'assistant: I will look.'])
  })

  test('steps between a workflow and its calls say nothing by themselves', () => {
    const task = {
      name: 'task',
      attributes: {
        'traceloop.span.kind': 'task',
        'traceloop.entity.input': '{"state": 1}',
        'traceloop.entity.output': '"state 2"',
      },
      within: [chat('Hi?', 'Hello.')],
    }
    const fields = read(workflow('Hi?', 'Hello!', task))
    assert.deepEqual(transcript(fields), ['user: Hi?', 'assistant: Hello.', 'assistant: Hello!'])
    assert.deepEqual([fields.get('prompt'), fields.get('completion')], ['Hi?', 'Hello!'])
  })

  test('a workflow that returns nothing leaves question and answer to the calls within it', () => {
    const fields = read(workflow({ dry_run: true }, null, chat('Hi?', 'Hello.')))
    assert.deepEqual([fields.get('prompt'), fields.get('completion')], ['Hi?', 'Hello.'])
    assert.deepEqual(transcript(fields), ['user: Hi?', 'assistant: Hello.'])
  })

  test('instructions stand before the question that a workflow had told already', () => {
    const call = chat('unused', 'Hello.', {
      attributes: {
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'Be brief.',
        'gen_ai.prompt.1.role': 'user',
        'gen_ai.prompt.1.content': 'Hi?',
      },
    })
    const fields = read(workflow('Hi?', 'Hello.', call))
    assert.deepEqual(transcript(fields), ['system: Be brief.', 'user: Hi?', 'assistant: Hello.'])
    assert.equal(fields.get('system_prompt'), 'Be brief.')
    assert.deepEqual(fields.get('input_messages'), [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi?' },
    ])
  })

  test('words that a framework gives back to the model as words of the user', () => {
    const plan = 'The plan: look for flights on Friday, then ask which one to book.'
    const next = {
      name: 'chat',
      attributes: {
        'gen_ai.input.messages': JSON.stringify([plan, 'Go.'].map((content) => ({ role: 'user', content }))),
        'gen_ai.output.messages': '[{"role": "assistant", "content": "Going."}]',
      },
    }
    assert.deepEqual(transcript(read(chat('Plan.', plan), next)), [
      ...['user: Plan.', `assistant: ${plan}`, 'user: Go.', 'assistant: Going.'],
    ])
  })

  test('instructions that come later do not stand before what was answered without them', () => {
    const last = chat('unused', 'Bye.', {
      attributes: {
        'gen_ai.prompt.0.role': 'system',
        'gen_ai.prompt.0.content': 'End it.',
        'gen_ai.prompt.1.role': 'user',
        'gen_ai.prompt.1.content': 'Hi?',
      },
    })
    assert.deepEqual(transcript(read(chat('Hi?', 'Hello.'), last)), [
      ...['user: Hi?', 'assistant: Hello.', 'system: End it.', 'assistant: Bye.'],
    ])
  })

  test('what only a later conversation remembers is put where it was said', () => {
    const fields = read(chat('Hi', 'Hello.'), chatWith(['Hi', 'Hello.', 'Lost?', 'Lost.', 'Bye'], 'Bye.'))
    const remembering = read(
      chatWith(['Hi', 'Hello.'], 'And you?'),
      chatWith(['First', 'Before', 'Hi'], 'Yes.'),
    )
    assert.deepEqual(fields.get('prompts'), ['Hi', 'Lost?', 'Bye'])
    assert.deepEqual(transcript(remembering), [
      ...['user: First', 'assistant: Before', 'user: Hi', 'assistant: Hello.', 'assistant: And you?'],
      'assistant: Yes.',
    ])
  })
})

describe('tools:', () => {
  test('one that only its span tells of is called and answers', () => {
    const fields = read(workflow('Rain?', 'Yes.', tool('sky', { city: 'Oslo' }, { rain: true })))
    assert.deepEqual(transcript(fields), [
      ...['user: Rain?', 'assistant: -> sky({"city":"Oslo"})', 'tool sky: {"rain":true}', 'assistant: Yes.'],
    ])
    assert.deepEqual(fields.get('tool_results'), [{ name: 'sky', result: { rain: true } }])
    assert.deepEqual(
      fields.get('output_messages')?.map(({ role }) => role),
      ['assistant', 'tool', 'assistant'],
    )
  })

  test('arguments may hold integers that JSON has no numbers for', () => {
    const attributes = {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'look',
      'gen_ai.tool.call.arguments': { id: 9_007_199_254_740_993n },
    }
    const fields = read(workflow('Who?', 'Ann.', { name: 'look', attributes }))
    assert.deepEqual(fields.get('tool_calls'), [{ name: 'look', arguments: { id: 9_007_199_254_740_993n } }])
  })

  test('one that failed answers with its error', () => {
    const fields = read(workflow('Rain?', 'No idea.', tool('sky', {}, undefined, { error: 'no network' })))
    assert.deepEqual(fields.get('tool_results'), [{ name: 'sky', result: { error: 'no network' } }])
  })

  test('an execution that two SDKs report, one within the other, is one', () => {
    const mcp = {
      name: 'tools/call sky',
      attributes: {
        'mcp.method.name': 'tools/call',
        'mcp.request.argument': '{"name": "sky", "arguments": {"city": "Oslo"}}',
        'mcp.response.value': '"rain"',
      },
    }
    const outer = tool('sky', { city: 'Oslo' }, undefined, { within: [mcp] })
    assert.deepEqual(transcript(read(workflow('Rain?', 'Yes.', outer))), [
      ...['user: Rain?', 'assistant: -> sky({"city":"Oslo"})', 'tool sky: "rain"', 'assistant: Yes.'],
    ])
  })

  test('a second try is a second call', () => {
    const fields = read(
      workflow('Rain?', 'Yes.', tool('sky', { at: 1 }, 'busy'), tool('sky', { at: 1 }, 'rain')),
    )
    assert.equal(fields.get('tool_calls')?.length, 2)
    assert.deepEqual(
      fields.get('tool_results')?.map(({ result }) => result),
      ['busy', 'rain'],
    )
  })

  test('a result that the model is shown in other words is not told twice', () => {
    const call = { id: 'c1', type: 'tool_call', name: 'sky', arguments: {} }
    const asked = { role: 'assistant', parts: [call] }
    const first = {
      name: 'chat',
      attributes: {
        'gen_ai.input.messages': '[{"role": "user", "content": "Rain?"}]',
        'gen_ai.output.messages': JSON.stringify([asked]),
      },
    }
    const shown = { role: 'tool', content: 'Observation: rain' }
    const last = {
      name: 'chat',
      attributes: {
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', content: 'Rain?' }, asked, shown]),
        'gen_ai.output.messages': '[{"role": "assistant", "content": "Yes."}]',
      },
    }
    assert.deepEqual(transcript(read(first, tool('sky', {}, 'rain'), last)), [
      ...['user: Rain?', 'assistant: -> sky({})', 'tool sky: rain', 'assistant: Yes.'],
    ])
  })

  test('an agent that is a tool of another one is read between the call and its result', () => {
    const research = { ...tool('research', { q: 'Oslo' }, 'big'), within: [chat('Find Oslo.', 'It is big.')] }
    assert.deepEqual(transcript(read(workflow('How big?', 'Big.', research))), [
      ...[
        'user: How big?',
        'assistant: -> research({"q":"Oslo"})',
        'user: Find Oslo.',
        'assistant: It is big.',
      ],
      ...['tool research: big', 'assistant: Big.'],
    ])
  })
})

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
    const fields = traceFields([...third, ...first, ...second])
    assert.deepEqual(transcript(fields), [
      ...['user: Again.', 'assistant: One.', 'user: Again.', 'assistant: Two.'],
      ...['user: Thanks.', 'assistant: Welcome.'],
    ])
    assert.deepEqual([fields?.get('prompt'), fields?.get('completion')], ['Thanks.', 'Welcome.'])
  })
})

describe('what is no part of the conversation:', () => {
  const retriever = {
    name: 'retriever',
    attributes: {
      'openinference.span.kind': 'RETRIEVER',
      'input.value': 'flights oslo',
      'retrieval.documents.0.document.content': 'Flights leave at nine.',
      'retrieval.documents.1.document.content': 'Flights cost 90.',
    },
  }

  test('retrieved documents are context, and the search is no prompt', () => {
    const fields = read({ name: 'root', within: [retriever, chat('When?', 'At nine.'), retriever] })
    assert.deepEqual(fields.get('context'), ['Flights leave at nine.', 'Flights cost 90.'])
    assert.deepEqual(transcript(fields), ['user: When?', 'assistant: At nine.'])
  })

  test('a trace that is nothing but a search has it as its prompt', () => {
    assert.deepEqual(
      [read(retriever).get('prompt'), read(retriever).get('completion')],
      ['flights oslo', undefined],
    )
  })

  test('what a guard asks a model is not told', () => {
    const guard = {
      name: 'guard',
      attributes: { 'openinference.span.kind': 'GUARDRAIL', 'input.value': 'When?', 'output.value': 'safe' },
      within: [chat('Is this safe: When?', 'safe')],
    }
    const fields = read({ name: 'root', within: [guard, chat('When?', 'At nine.')] })
    assert.deepEqual(transcript(fields), ['user: When?', 'assistant: At nine.'])
  })

  test('spans of anything else are no steps', () => {
    const fields = read({ name: 'GET /', attributes: { 'http.method': 'GET' }, within: [chat('Hi', 'Ho')] })
    assert.deepEqual([fields.steps, fields.root.name], [1, 'GET /'])
  })

  test('a trace without any of it has no fields, and no spans are no trace', () => {
    assert.deepEqual(read({ name: 'GET /' }).found(), [])
    assert.equal(traceFields([]), undefined)
  })
})
