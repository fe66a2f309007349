import assert from 'node:assert/strict'
import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { after, test } from 'node:test'
import { EVERY_PROVIDER, fakeModelInTest, requestTo } from '../../../tests/support/fake-model.ts'
import { anthropicProtocol } from './anthropic-protocol.ts'
import { bedrockProtocol } from './bedrock-protocol.ts'
import { googleProtocol } from './google-protocol.ts'
import { createModelClient } from './model-client.ts'
import { azureProtocol, openAiProtocol } from './openai-protocol.ts'

for (const [protocol, base, expected] of [
  [openAiProtocol, undefined, 'https://api.openai.com/v1/chat/completions'],
  [openAiProtocol, 'http://gpu:8000/v1', 'http://gpu:8000/v1/chat/completions'],
  [openAiProtocol, 'http://gpu:8000/v1/', 'http://gpu:8000/v1/chat/completions'],
  [openAiProtocol, 'http://gpu/v1/chat/completions', 'http://gpu/v1/chat/completions'],
  [openAiProtocol, 'http://gpu/v1?team=a', 'http://gpu/v1/chat/completions?team=a'],
  [azureProtocol, 'https://r.openai.azure.com', 'https://r.openai.azure.com/openai/v1/chat/completions'],
  [
    azureProtocol,
    'https://r.openai.azure.com/openai',
    'https://r.openai.azure.com/openai/v1/chat/completions',
  ],
  [
    azureProtocol,
    'https://r.openai.azure.com/openai/v1',
    'https://r.openai.azure.com/openai/v1/chat/completions',
  ],
  [
    azureProtocol,
    'https://r.openai.azure.com/openai/deployments/d?api-version=2024-10-21',
    'https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21',
  ],
  [anthropicProtocol, undefined, 'https://api.anthropic.com/v1/messages'],
  [anthropicProtocol, 'https://proxy', 'https://proxy/v1/messages'],
  [anthropicProtocol, 'https://proxy/anthropic/v1', 'https://proxy/anthropic/v1/messages'],
  [
    googleProtocol,
    undefined,
    'https://generativelanguage.googleapis.com/v1beta/models/m%2F1:generateContent',
  ],
  [googleProtocol, 'https://proxy', 'https://proxy/v1beta/models/m%2F1:generateContent'],
  [bedrockProtocol, 'https://bedrock', 'https://bedrock/model/m%2F1/converse'],
] as const) {
  test(`${base ?? 'no base URL'} leads to ${expected}`, () => {
    assert.equal(protocol.address(base === undefined ? {} : { baseUrl: base }, 'm/1').href, expected)
  })
}

test('no host is contacted but the one that is configured', async () => {
  const contacted = watchConnections()
  const fake = await fakeModelInTest({ unsupported: ['json_schema'] })
  const elsewhere = await fakeModelInTest()
  const client = createModelClient()
  for (const provider of EVERY_PROVIDER) {
    await client.call(requestTo(fake, provider), new AbortController().signal)
    fake.script(
      { status: 307, headers: { location: `${elsewhere.url}/v1/chat/completions` } },
      { status: 503, retryAfter: 1 },
      { html: true },
    )
    for (let count = 0; count < 3; count++) {
      await client.call(requestTo(fake, provider), new AbortController().signal).catch(() => undefined)
    }
  }
  assert.deepEqual([...contacted], [new URL(fake.url).host])

  // The watch sees what it is there for.
  await fetch(`${elsewhere.url}/requests`)
  assert.ok(contacted.has(new URL(elsewhere.url).host))
})

/** The hosts and ports that this process connects to from now on, by whatever means. */
function watchConnections(): ReadonlySet<string> {
  const contacted = new Set<string>()
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket }
    socket.on('connectionAttempt', (ip: string, port: number) => contacted.add(`${ip}:${port}`))
    socket.on('lookup', (_error: unknown, _address: unknown, _family: unknown, host: string) =>
      contacted.add(host),
    )
  }
  diagnostics.subscribe('net.client.socket', onSocket)
  after(() => diagnostics.unsubscribe('net.client.socket', onSocket))
  return contacted
}
