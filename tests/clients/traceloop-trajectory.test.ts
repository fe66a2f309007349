import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as traceloop from '@traceloop/node-server-sdk'
import OpenAI from 'openai'
import { traceFields } from '../../src/domain/trace-fields/trace-fields.ts'
import { FIRST_KEY } from '../support/call.ts'
import { startFakeOpenAi } from '../support/fake-openai.ts'
import { startService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'
import { transcript } from '../support/trace-case.ts'

const QUESTION = 'Shall I take an umbrella in Oslo?'
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
}

// An agent as the SDK's documentation has it: a workflow, an agent, a tool, and the real client of OpenAI.
test('an agent that the SDK has traced is read from what was stored as it happened', async () => {
  const service = await startService()
  traceloop.initialize({
    appName: 'shop',
    baseUrl: service.url,
    apiKey: FIRST_KEY,
    disableBatch: true,
    silenceInitializationMessage: true,
    // Its types mean the CommonJS form of the same class.
    instrumentModules: { openAI: OpenAI as never },
  })
  const baseURL = await startFakeOpenAi({ content: null, tool_calls: [CALL] }, 'Yes, it rains.')
  const client = new OpenAI({ apiKey: 'none', baseURL })
  const getWeather = (city: string) =>
    traceloop.withTool({ name: 'get_weather' }, async (where: string) => ({ city: where, sky: 'rain' }), city)
  const answer = async (question: string) => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: question },
    ]
    const first = await client.chat.completions.create({ model: 'gpt-4o', messages })
    const asked = first.choices[0]?.message
    assert.ok(asked?.tool_calls)
    const content = JSON.stringify(await getWeather('Oslo'))
    messages.push(asked, { role: 'tool', tool_call_id: 'call_1', content })
    const last = await client.chat.completions.create({ model: 'gpt-4o', messages })
    return last.choices[0]?.message.content
  }
  await traceloop.withAssociationProperties({ session_id: 's1' }, () =>
    traceloop.withWorkflow(
      { name: 'umbrella' },
      (question: string) => traceloop.withAgent({ name: 'forecaster' }, answer, question),
      QUESTION,
    ),
  )
  await traceloop.forceFlush()

  const fields = traceFields(await readStoredSpans(service.store))
  assert.deepEqual(transcript(fields), [
    'system: Be brief.',
    `user: ${QUESTION}`,
    'assistant: -> get_weather({"city":"Oslo"})',
    'tool get_weather: {"city":"Oslo","sky":"rain"}',
    'assistant: Yes, it rains.',
  ])
  assert.deepEqual([fields?.get('prompt'), fields?.get('completion')], [QUESTION, 'Yes, it rains.'])
  assert.deepEqual([fields?.get('session_id'), fields?.get('model')], ['s1', 'gpt-4o'])
  assert.equal(fields?.root.name, 'umbrella.workflow')
})
