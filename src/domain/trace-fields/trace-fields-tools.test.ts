import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chat, read, tool, workflow } from '../../../tests/support/trace-builders.ts'
import { type SampleSpan, transcript } from '../../../tests/support/trace-case.ts'

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

  const call = { id: 'c1', type: 'tool_call', name: 'sky', arguments: {} }
  const question = { role: 'user', content: 'Rain?' }
  const asked = { role: 'assistant', parts: [call] }
  const talk = (input: readonly object[], output: object): SampleSpan => ({
    name: 'chat',
    attributes: {
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify([output]),
    },
  })
  const yes = { role: 'assistant', content: 'Yes.' }
  const rain = { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'rain' }] }
  const LINES = ['user: Rain?', 'assistant: -> sky({})', 'tool sky: rain', 'assistant: Yes.']

  test('a result that the model is shown in other words is not told twice', () => {
    const shown = { role: 'tool', content: 'Observation: rain' }
    const last = talk([question, asked, shown], yes)
    assert.deepEqual(transcript(read(talk([question], asked), tool('sky', {}, 'rain'), last)), LINES)
  })

  test('a result that a conversation has told before the span of the tool began is not told twice', () => {
    const late = tool('sky', {}, 'rain')
    const lines = transcript(read(talk([question], asked), talk([question, asked, rain], yes), late))
    assert.deepEqual(lines, ['user: Rain?', 'assistant: -> sky({})', 'tool: rain', 'assistant: Yes.'])
  })

  test('a call is recognised by its id, whatever is said with it', () => {
    const execution = {
      name: 'sky',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'sky',
        'gen_ai.tool.call.id': 'c1',
        'gen_ai.tool.call.result': 'rain',
      },
    }
    const saying = { role: 'assistant', parts: [{ type: 'text', content: 'I look.' }, call] }
    assert.deepEqual(
      transcript(read(workflow('Rain?', 'Yes.', execution, talk([question, saying, rain], yes)))),
      LINES,
    )
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
