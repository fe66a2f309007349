import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as traceloop from '@traceloop/node-server-sdk'
import OpenAI from 'openai'
import { FIRST_KEY } from '../support/call.ts'
import { startFakeOpenAi } from '../support/fake-openai.ts'
import { startService } from '../support/service.ts'
import { readStoredSpans } from '../support/stored-spans.ts'

// The SDK that applications really use, initialised as its documentation says, around the real client of OpenAI.
test('a call of OpenAI that the SDK has instrumented arrives with its messages, model and usage', async () => {
  const service = await startService()
  const selector = { 'gen_ai.system': 'openai' }
  const setup = { external_id: 'chats', evaluators: ['char-count'], selector }
  assert.equal((await service.call('POST', '/v2/auto-monitor-setups', { body: setup })).status, 201)
  traceloop.initialize({
    appName: 'shop',
    baseUrl: service.url,
    apiKey: FIRST_KEY,
    disableBatch: true,
    silenceInitializationMessage: true,
    // Its types mean the CommonJS form of the same class.
    instrumentModules: { openAI: OpenAI as never },
  })
  const client = new OpenAI({ apiKey: 'none', baseURL: await startFakeOpenAi('Rain, 4 degrees.') })
  await traceloop.withWorkflow({ name: 'weather' }, async () => {
    await client.chat.completions.create({
      model: 'gpt-4o',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Weather in Oslo?' }],
    })
  })
  await traceloop.forceFlush()

  const spans = await readStoredSpans(service.store)
  const chat = spans.find(({ attributes }) => attributes.get('gen_ai.request.model') === 'gpt-4o')
  assert.ok(chat, spans.map(({ name }) => name).join())
  const text = (key: string) => String(chat.attributes.get(key))
  assert.match(text('gen_ai.input.messages'), /Weather in Oslo\?/)
  assert.match(text('gen_ai.output.messages'), /Rain, 4 degrees\./)
  assert.equal(chat.attributes.get('gen_ai.usage.input_tokens'), 11)
  assert.equal(chat.attributes.get('gen_ai.request.max_tokens'), 100)
  assert.equal(chat.attributes.get('traceloop.workflow.name'), 'weather')
  assert.equal(chat.resource.get('service.name'), 'shop')
  // The SDK says gen_ai.provider.name; the setup asks for the older name of the same thing.
  assert.deepEqual(chat.matchedBy, ['chats'])
  const workflow = spans.find(({ name }) => name === 'weather.workflow')
  assert.equal(chat.parentSpanId, workflow?.spanId)
  assert.deepEqual(workflow?.matchedBy, [])
})
