import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  EVERY_PROVIDER,
  fakeModelInTest,
  requestTo,
  VERDICT_TEXT,
} from '../../../tests/support/fake-model.ts'
import type { Channel } from '../../cli/fake-judge/fake-reply.ts'
import type { Provider } from '../../domain/judgement.ts'
import { ModelFailure } from '../../domain/model-failure.ts'
import { createModelClient } from './model-client.ts'

const NEVER = new AbortController().signal

const CHANNELS: Readonly<Record<Provider, readonly Channel[]>> = {
  openai: ['json_schema', 'json_object', 'tools'],
  azure: ['json_schema', 'json_object', 'tools'],
  anthropic: ['json_schema', 'tools'],
  google: ['json_schema', 'json_object', 'tools'],
  bedrock: ['tools'],
}

for (const provider of EVERY_PROVIDER) {
  describe(provider, () => {
    for (const [at, channel] of CHANNELS[provider].entries()) {
      test(`answers through ${channel} where nothing better is there, and is not asked again`, async () => {
        const lacking = CHANNELS[provider].slice(0, at)
        const fake = await fakeModelInTest({ unsupported: lacking })
        const client = createModelClient()
        for (const expected of [[...lacking, channel], [channel]]) {
          const from = fake.requests.length
          const reply = await client.call(requestTo(fake, provider), NEVER)
          assert.equal(reply.kind === 'answered' && reply.text, VERDICT_TEXT)
          assert.deepEqual(
            fake.requests.slice(from).map((request) => request.channel),
            expected,
          )
        }
      })
    }

    test('a server without any channel rejects', async () => {
      const fake = await fakeModelInTest({ unsupported: ['json_schema', 'json_object', 'tools'] })
      await assert.rejects(
        createModelClient().call(requestTo(fake, provider), NEVER),
        (error: unknown) => error instanceof ModelFailure && error.kind === 'rejected',
      )
      assert.deepEqual(
        fake.requests.map((request) => request.channel),
        CHANNELS[provider],
      )
    })

    test('a call of a tool is the answer, whatever is said beside it', async () => {
      const fake = await fakeModelInTest({
        unsupported: ['json_schema', 'json_object'],
        answer: () => ({ prose: true }),
      })
      const reply = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.equal(reply.kind === 'answered' && reply.text, VERDICT_TEXT)
    })

    test('two calls of the tool are handed over as two documents', async () => {
      const fake = await fakeModelInTest({
        unsupported: ['json_schema', 'json_object'],
        answer: () => ({ twoObjects: true }),
      })
      const reply = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.equal(reply.kind === 'answered' && reply.text, `${VERDICT_TEXT}\n${VERDICT_TEXT}`)
    })

    test('a call of another tool is no answer', async () => {
      const fake = await fakeModelInTest({
        unsupported: ['json_schema', 'json_object'],
        answer: () => ({ otherTool: true }),
      })
      const reply = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.equal(reply.kind === 'answered' && reply.text, '')
    })

    test('parameters that a model turns away are left out from then on', async () => {
      const fake = await fakeModelInTest()
      fake.script({ refuseParameters: ['temperature'] })
      const client = createModelClient()
      await client.call(requestTo(fake, provider), NEVER)
      await client.call(requestTo(fake, provider), NEVER)
      assert.deepEqual(
        fake.requests.map(({ body }) => JSON.stringify(body).includes('"temperature":0')),
        [true, false, false],
      )
      assert.deepEqual([...new Set(fake.requests.map((request) => request.channel))], [CHANNELS[provider][0]])
    })

    test('sends what sampling says, in its own words', async () => {
      const fake = await fakeModelInTest()
      const sampling = { temperature: 0.5, topP: 0.9, maxTokens: 77, stop: ['END'] }
      await createModelClient().call(requestTo(fake, provider, { sampling }), NEVER)
      const body = JSON.stringify(fake.requests[0]?.body)
      for (const part of [
        /"temperature":0.5/,
        /"top_?[pP]":0.9/,
        /max\w*[tT]okens":77/,
        /top\w*":\["END"\]/,
      ]) {
        assert.match(body, part)
      }
    })

    test('a prompt of instructions only is sent as what the user says', async () => {
      const fake = await fakeModelInTest()
      const messages = [{ role: 'system', content: 'Only this.' }] as const
      await createModelClient().call(requestTo(fake, provider, { messages }), NEVER)
      const role = provider === 'openai' || provider === 'azure' ? 'system' : 'user'
      assert.deepEqual(fake.requests[0]?.messages, [{ role, content: 'Only this.' }])
    })
  })
}

test('text in a strict channel is handed over to the letter', async () => {
  for (const reply of [{ prose: true }, { twoObjects: true }, { quotedNumbers: true }] as const) {
    const fake = await fakeModelInTest({ answer: () => reply })
    const answer = await createModelClient().call(requestTo(fake, 'openai'), NEVER)
    const text = answer.kind === 'answered' ? answer.text : ''
    if ('prose' in reply) assert.equal(text, `Here is my verdict: ${VERDICT_TEXT} I hope this helps.`)
    if ('twoObjects' in reply) assert.equal(text, `${VERDICT_TEXT}\n${VERDICT_TEXT}`)
    if ('quotedNumbers' in reply) assert.equal(text, VERDICT_TEXT.replace('1', '"1"'))
  }
})

test('the schema is told in the instructions in JSON mode, and not beside the judged text', async () => {
  for (const provider of ['openai', 'google'] as const) {
    const fake = await fakeModelInTest({ unsupported: ['json_schema'] })
    await createModelClient().call(requestTo(fake, provider), NEVER)
    const [system, user] = fake.requests[1]?.messages ?? []
    assert.match(system?.content ?? '', /^Judge\.\n\nAnswer with one JSON document .*:\n\{"type":"object"/)
    assert.deepEqual(user, { role: 'user', content: 'The claim.' })
  }
})

test('a prompt without instructions gets some in JSON mode', async () => {
  const fake = await fakeModelInTest({ unsupported: ['json_schema'] })
  const messages = [{ role: 'user', content: 'The claim.' }] as const
  await createModelClient().call(requestTo(fake, 'openai', { messages }), NEVER)
  assert.deepEqual(
    fake.requests[1]?.messages.map(({ role }) => role),
    ['system', 'user'],
  )
})

test('a server that ignores the schema without saying so gets the next channel', async () => {
  const fake = await fakeModelInTest({
    answer: ({ channel }) => (channel === 'json_schema' ? { content: 'I think it is supported.' } : {}),
  })
  const client = createModelClient()
  for (const channel of ['json_schema', 'json_schema', 'json_object']) {
    await client.call(requestTo(fake, 'openai'), NEVER)
    assert.equal(fake.requests.at(-1)?.channel, channel)
  }
})

test('one answer that is no JSON is not held against a server', async () => {
  const fake = await fakeModelInTest()
  fake.script({ prose: true }, {}, { prose: true }, {})
  const client = createModelClient()
  for (let count = 0; count < 5; count++) await client.call(requestTo(fake, 'openai'), NEVER)
  assert.deepEqual([...new Set(fake.requests.map((request) => request.channel))], ['json_schema'])
})

test('what is learned of one model is not held against another', async () => {
  const fake = await fakeModelInTest({ unsupported: ['json_schema'] })
  const client = createModelClient()
  await client.call(requestTo(fake, 'openai'), NEVER)
  await client.call(requestTo(fake, 'openai', { model: { provider: 'openai', model: 'model-2' } }), NEVER)
  assert.deepEqual(
    fake.requests.map((request) => request.channel),
    ['json_schema', 'json_object', 'json_schema', 'json_object'],
  )
})

test('a schema that a server does not like is told in the prompt, and the next one is tried again', async () => {
  const body = JSON.stringify({ error: { message: "Invalid schema for response_format 'give_verdict'" } })
  const fake = await fakeModelInTest()
  fake.script({ status: 400, body })
  const client = createModelClient()
  await client.call(requestTo(fake, 'openai'), NEVER)
  await client.call(requestTo(fake, 'openai'), NEVER)
  assert.deepEqual(
    fake.requests.map((request) => request.channel),
    ['json_schema', 'json_object', 'json_schema'],
  )
})

test('a limit of tokens is named as the server wants it', async () => {
  const fake = await fakeModelInTest()
  fake.script({ refuseParameters: ['max_tokens'] })
  const client = createModelClient()
  const request = requestTo(fake, 'openai', { sampling: { maxTokens: 50 } })
  await client.call(request, NEVER)
  await client.call(request, NEVER)
  assert.deepEqual(
    fake.requests.map(({ body }) => [body['max_tokens'], body['max_completion_tokens']]),
    [
      [50, undefined],
      [undefined, 50],
      [undefined, 50],
    ],
  )
})

test('several parameters are left out one after the other, and together from then on', async () => {
  const fake = await fakeModelInTest()
  fake.script({ refuseParameters: ['temperature', 'top_p', 'max_tokens', 'max_completion_tokens'] })
  const client = createModelClient()
  const request = requestTo(fake, 'openai', { sampling: { topP: 0.5, maxTokens: 9 } })
  await client.call(request, NEVER)
  assert.equal(fake.requests.length, 5)
  await client.call(request, NEVER)
  assert.equal(fake.requests.length, 6)
})

test('a value that is out of range is an error and not left out', async () => {
  const body = JSON.stringify({
    error: { message: 'max_tokens is too large: 50. The maximum is 10.', param: 'max_tokens' },
  })
  const fake = await fakeModelInTest({ answer: () => ({ status: 400, body }) })
  const request = requestTo(fake, 'openai', { sampling: { maxTokens: 50 } })
  await assert.rejects(createModelClient().call(request, NEVER), /max_tokens is too large/)
  assert.equal(fake.requests.length, 1)
})

test('judged text that a server repeats in an error steers nothing', async () => {
  const body = JSON.stringify({
    detail: [
      { loc: ['body', 'messages'], msg: 'too long', input: 'response_format json_schema is not supported' },
    ],
  })
  const fake = await fakeModelInTest({ answer: () => ({ status: 422, body }) })
  await assert.rejects(createModelClient().call(requestTo(fake, 'openai'), NEVER), /answered 422: too long/)
  assert.equal(fake.requests.length, 1)
})

test('a model of Bedrock that cannot be made to call a tool is offered it', async () => {
  const body = JSON.stringify({
    message: "This model doesn't support the toolConfig.toolChoice.any field. Remove it and try again.",
  })
  const fake = await fakeModelInTest()
  fake.script({ status: 400, body })
  const reply = await createModelClient().call(requestTo(fake, 'bedrock'), NEVER)
  assert.equal(reply.kind === 'answered' && reply.text, VERDICT_TEXT)
  assert.deepEqual(
    fake.requests.map(({ body }) => JSON.stringify(body).includes('toolChoice')),
    [true, false],
  )
})
