import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chat, chatWith, read, tool, workflow } from '../../../tests/support/trace-builders.ts'
import { transcript } from '../../../tests/support/trace-case.ts'
import {
  genAiAgents,
  openinferenceAgent,
  openllmetryAgent,
  type Sample,
  vercelAgent,
} from '../../../tests/support/trace-samples.ts'
import { traceFields } from './trace-fields.ts'

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

  test('an agent within has a task and an answer of its own', () => {
    const agent = {
      name: 'agent',
      attributes: { 'openinference.span.kind': 'AGENT', 'input.value': 'Do it.', 'output.value': 'Did it.' },
      within: [chat('Task: do it.', 'It is done.')],
    }
    assert.deepEqual(transcript(read(workflow('All?', 'All done.', agent))), [
      ...['user: All?', 'user: Do it.', 'user: Task: do it.', 'assistant: It is done.', 'assistant: Did it.'],
      'assistant: All done.',
    ])
  })

  test('the answer of a trace is what came back to the user, whatever was said after it', () => {
    const fields = read(workflow('Hi?', 'Hello.', chat('Hi?', 'Hello.'), chat('A title?', 'A greeting')))
    assert.deepEqual([fields.get('prompt'), fields.get('completion')], ['Hi?', 'Hello.'])
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

test('a hundred calls that each remember something else before the same words are told in order', () => {
  const calls = Array.from({ length: 100 }, (_, at) =>
    chatWith([`old ${at}`, `so ${at}`, 'Hi'], `answer ${at}`),
  )
  const numbers = Array.from({ length: 100 }, (_, at) => at)
  const everything = chatWith([...numbers.flatMap((at) => [`old ${at}`, `so ${at}`]), 'Hi'], 'At last.')
  assert.deepEqual(transcript(read(...calls, everything)), [
    ...numbers.flatMap((at) => [`user: old ${at}`, `assistant: so ${at}`]),
    'user: Hi',
    ...numbers.map((at) => `assistant: answer ${at}`),
    'assistant: At last.',
  ])
})

describe('other values:', () => {
  const embedding = {
    name: 'embed',
    attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.request.model': 'embedder' },
  }
  const asked = (model: string, logprobs: string) =>
    chat('Hi', 'Hello.', {
      attributes: { 'gen_ai.request.model': model, 'gen_ai.response.logprobs': logprobs },
    })

  test('model and log-probabilities are those of the last call that talked', () => {
    const fields = read(embedding, asked('first', '[-1]'), asked('second', '[-2, -3]'), embedding)
    assert.deepEqual([fields.get('model'), fields.get('logprobs')], ['second', [-2, -3]])
    assert.equal(read(embedding).get('model'), 'embedder')
  })

  test('of several alternatives of one answer the first counts', () => {
    const attributes = { 'gen_ai.completion.1.role': 'assistant', 'gen_ai.completion.1.content': 'Or that.' }
    assert.deepEqual(transcript(read(chat('Hi', 'This.', { attributes }))), ['user: Hi', 'assistant: This.'])
  })

  test('a prompt and the completion of the same number belong together, whatever was said without being asked', () => {
    const fields = read(
      workflow('Rain?', 'Yes.', tool('sky', { at: 1 }, 'rain'), tool('sky', { at: 2 }, 'snow')),
    )
    const call = (at: number) => ({
      role: 'assistant',
      content: '',
      tool_calls: [{ name: 'sky', arguments: { at } }],
    })
    const result = (content: string) => ({ role: 'tool', content, name: 'sky' })
    assert.deepEqual(fields.get('prompts'), ['Rain?', result('rain'), result('snow')])
    assert.deepEqual(fields.get('completions'), [call(1), call(2), 'Yes.'])
    const unasked = read({
      name: 'chat',
      attributes: {
        'gen_ai.input.messages': '[{"role":"assistant","content":"Welcome."},{"role":"user","content":"Hi"}]',
        'gen_ai.output.messages': '[{"role":"assistant","content":"Hello."}]',
      },
    })
    assert.deepEqual(unasked.get('prompts'), [
      [
        { role: 'assistant', content: 'Welcome.' },
        { role: 'user', content: 'Hi' },
      ],
    ])
    assert.deepEqual(unasked.get('completions'), ['Hello.'])
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
