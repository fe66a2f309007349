import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { requestTo, VERDICT_TEXT } from '../../../tests/support/fake-model.ts'
import { SELF_SIGNED } from '../../../tests/support/self-signed.ts'
import { ModelFailure } from '../../domain/model-failure.ts'
import { createModelClient } from './model-client.ts'

const NEVER = new AbortController().signal
let server: https.Server
let url: string

before(async () => {
  server = https.createServer(SELF_SIGNED, (request, response) => {
    request.resume().on('end', () => {
      const message = { role: 'assistant', content: VERDICT_TEXT }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ choices: [{ finish_reason: 'stop', message }] }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
})

after(() => {
  server.close()
  server.closeAllConnections()
})

test('a server whose certificate nobody vouches for is told nothing', async () => {
  await assert.rejects(
    createModelClient().call(requestTo({ url }, 'openai'), NEVER),
    (error: unknown) =>
      error instanceof ModelFailure && error.kind === 'rejected' && /certificate/.test(error.message),
  )
})

test('a server with a certificate that is trusted is called over TLS', async () => {
  https.globalAgent.options.ca = SELF_SIGNED.cert
  const reply = await createModelClient().call(requestTo({ url }, 'openai'), NEVER)
  assert.equal(reply.kind === 'answered' && reply.text, VERDICT_TEXT)
})
