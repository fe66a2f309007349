import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chat, read, tool, workflow } from '../../../tests/support/trace-builders.ts'
import { transcript } from '../../../tests/support/trace-case.ts'

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
