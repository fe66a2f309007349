import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  EVERY_PROVIDER,
  fakeModelInTest,
  requestTo,
  SECRET_KEY,
  VERDICT_TEXT,
} from '../../../tests/support/fake-model.ts'
import type { FakeReply } from '../../cli/fake-judge/fake-reply.ts'
import type { Provider } from '../../domain/judgement.ts'
import { ModelFailure } from '../../domain/model-failure.ts'
import { createModelClient } from './model-client.ts'

const NEVER = new AbortController().signal

const PATH: Readonly<Record<Provider, string>> = {
  openai: '/chat/completions',
  azure: '/openai/v1/chat/completions',
  anthropic: '/v1/messages',
  google: '/v1beta/models/model-1:generateContent',
  bedrock: '/model/model-1/converse',
}

const KEY_HEADER: Readonly<Record<Provider, readonly [string, string]>> = {
  openai: ['authorization', `Bearer ${SECRET_KEY}`],
  azure: ['api-key', SECRET_KEY],
  anthropic: ['x-api-key', SECRET_KEY],
  google: ['x-goog-api-key', SECRET_KEY],
  bedrock: ['authorization', `Bearer ${SECRET_KEY}`],
}

/** The failure of a call that is answered so; its message must not hold the key. */
async function failureOf(
  provider: Provider,
  reply: FakeReply,
  answerBytesMax?: number,
): Promise<ModelFailure> {
  const fake = await fakeModelInTest()
  fake.script(reply)
  const client = createModelClient(answerBytesMax === undefined ? {} : { answerBytesMax })
  const failure = await client.call(requestTo(fake, provider), NEVER).then(
    (answer) => assert.fail(`answered ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  )
  assert.ok(failure instanceof ModelFailure, String(failure))
  assert.ok(!failure.message.includes(SECRET_KEY), failure.message)
  return failure
}

for (const provider of EVERY_PROVIDER) {
  describe(provider, () => {
    test('is asked at its own address, with the key in its own header', async () => {
      const fake = await fakeModelInTest()
      const reply = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.deepEqual(reply, {
        kind: 'answered',
        text: VERDICT_TEXT,
        usage: { promptTokens: 4, completionTokens: Math.ceil(VERDICT_TEXT.length / 4) },
      })
      const [asked, ...others] = fake.requests
      assert.equal(others.length, 0)
      assert.equal(asked?.path, PATH[provider])
      assert.equal(asked?.model, 'model-1')
      const [name, value] = KEY_HEADER[provider]
      assert.equal(asked?.headers[name], value)
      assert.deepEqual(asked?.messages, [
        { role: 'system', content: 'Judge.' },
        { role: 'user', content: 'The claim.' },
      ])
      assert.equal(asked?.body['stream'], undefined)
    })

    test('answers in free text when no form is asked for', async () => {
      const fake = await fakeModelInTest({ answer: () => ({ content: 'Paris.' }) })
      const { answer: _, ...free } = requestTo(fake, provider)
      const reply = await createModelClient().call(free, NEVER)
      assert.equal(reply.kind === 'answered' && reply.text, 'Paris.')
      assert.equal(fake.requests[0]?.channel, undefined)
    })

    test('does not count tokens that it is not told of', async () => {
      const fake = await fakeModelInTest({ answer: () => ({ noUsage: true }) })
      const reply = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.deepEqual(reply.usage, {})
    })

    for (const reply of [{ refusal: 'I will not judge this.' }, { filtered: true }] as const) {
      test(`refuses, answered ${JSON.stringify(reply)}`, async () => {
        const fake = await fakeModelInTest({ answer: () => reply })
        const outcome = await createModelClient().call(requestTo(fake, provider), NEVER)
        assert.equal(outcome.kind, 'refused')
      })
    }

    test('runs out of tokens', async () => {
      const fake = await fakeModelInTest({ answer: () => ({ truncate: true }) })
      const outcome = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.equal(outcome.kind, 'truncated')
      assert.ok((outcome.usage.promptTokens ?? 0) > 0)
    })

    test('says nothing', async () => {
      const fake = await fakeModelInTest({ answer: () => ({ empty: true }) })
      const outcome = await createModelClient().call(requestTo(fake, provider), NEVER)
      assert.equal(outcome.kind === 'answered' && outcome.text, '')
    })

    for (const status of [408, 429, 500, 503, 529]) {
      test(`is busy, answered ${status}, for as long as it says`, async () => {
        const failure = await failureOf(provider, { status, retryAfter: 7 })
        assert.deepEqual([failure.kind, failure.retryAfterMs], ['busy', 7_000])
      })
    }

    for (const status of [400, 401, 403, 404, 413, 422]) {
      test(`rejects, answered ${status}`, async () => {
        const failure = await failureOf(provider, { status })
        assert.equal(failure.kind, 'rejected')
        assert.match(
          failure.message,
          new RegExp(`${provider}/model-1 at 127.0.0.1:\\d+ answered ${status}: `),
        )
      })
    }

    for (const [what, reply, kind, message] of [
      ['a page', { html: true }, 'rejected', /not JSON \(text\/html\)/],
      ['half of an answer', { body: '{"choices": [' }, 'rejected', /not JSON/],
      [
        'another content type',
        { body: 'ok', headers: { 'content-type': 'text/plain' } },
        'rejected',
        /not JSON \(text\/plain\)/,
      ],
      ['JSON of something else', { body: '{"hello":1}' }, 'rejected', /no answer of a model/],
      ['null', { body: 'null' }, 'rejected', /no answer of a model/],
      ['a page of a proxy that is down', { html: true, status: 502 }, 'busy', /answered 502$/],
      ['a broken connection', { disconnect: true }, 'busy', /cannot be reached or broke/],
      [
        'an error inside of a 200',
        { body: '{"error":{"code":429,"message":"slow down"}}' },
        'busy',
        /answered 429: slow down/,
      ],
      [
        'an error of the caller inside of a 200',
        { body: '{"error":{"code":402,"message":"pay first"}}' },
        'rejected',
        /402: pay first/,
      ],
    ] as const) {
      test(`${what} is no reply`, async () => {
        const failure = await failureOf(provider, reply)
        assert.equal(failure.kind, kind)
        assert.match(failure.message, message)
      })
    }

    test('an answer that is too long is not read to its end', async () => {
      const failure = await failureOf(provider, { content: 'x'.repeat(200_000) }, 100_000)
      assert.equal(failure.kind, 'rejected')
      assert.match(failure.message, /more than 100000 bytes/)
    })

    test('a redirect is not followed', async () => {
      const elsewhere = await fakeModelInTest()
      for (const status of [301, 307, 308]) {
        const failure = await failureOf(provider, {
          status,
          headers: { location: `${elsewhere.url}${PATH[provider]}` },
        })
        assert.equal(failure.kind, 'rejected')
        assert.match(failure.message, /redirects .* correct the base URL/)
      }
      assert.equal(elsewhere.requests.length, 0)
    })

    test('ends when it is told to, before and while it is asked', async () => {
      const fake = await fakeModelInTest({ answer: () => ({ hang: true }) })
      const client = createModelClient()
      const isDeadline = (error: unknown) => error instanceof ModelFailure && error.kind === 'deadline'
      await assert.rejects(client.call(requestTo(fake, provider), AbortSignal.abort()), isDeadline)
      assert.equal(fake.requests.length, 0)
      await assert.rejects(client.call(requestTo(fake, provider), AbortSignal.timeout(50)), isDeadline)
    })

    test('an error that repeats the key is shown without it', async () => {
      const failure = await failureOf(provider, {
        status: 401,
        body: JSON.stringify({ error: { message: `wrong key ${SECRET_KEY}\n${'x'.repeat(1_000)}` } }),
      })
      assert.match(failure.message, /wrong key \*\*\* x+…$/)
      assert.ok(failure.message.length < 400)
    })

    test('a key that cannot be sent is not repeated', async () => {
      const fake = await fakeModelInTest()
      const apiKey = `${SECRET_KEY}\nx-evil: 1`
      const request = requestTo(fake, provider, { access: { baseUrl: fake.url, apiKey } })
      await assert.rejects(
        createModelClient().call(request, NEVER),
        (error: unknown) =>
          error instanceof ModelFailure && error.kind === 'rejected' && !error.message.includes('hidden'),
      )
      assert.equal(fake.requests.length, 0)
    })
  })
}

test('nobody listens', async () => {
  const fake = await fakeModelInTest()
  await fake.close()
  await assert.rejects(
    createModelClient().call(requestTo(fake, 'openai'), NEVER),
    (error: unknown) =>
      error instanceof ModelFailure && error.kind === 'busy' && error.message.includes('ECONNREFUSED'),
  )
})

test('a server without a key is called without one', async () => {
  const fake = await fakeModelInTest()
  await createModelClient().call(requestTo(fake, 'openai', { access: { baseUrl: fake.url } }), NEVER)
  assert.equal(fake.requests[0]?.headers['authorization'], undefined)
})

test('a prompt that the filter of Azure does not let through is a refusal', async () => {
  const body = JSON.stringify({ error: { code: 'content_filter', message: 'The prompt was filtered.' } })
  const fake = await fakeModelInTest({ answer: () => ({ status: 400, body }) })
  const outcome = await createModelClient().call(requestTo(fake, 'azure'), NEVER)
  assert.deepEqual(outcome, { kind: 'refused', why: 'The prompt was filtered.', usage: {} })
})

for (const provider of ['openai', 'azure', 'google'] as const) {
  test(`${provider} tells how sure it was of each token`, async () => {
    const fake = await fakeModelInTest({ answer: () => ({ content: 'Yes', logprobs: [-0.25, -1.5] }) })
    const { answer: _, ...free } = requestTo(fake, provider, { wantsLogprobs: true })
    const reply = await createModelClient().call(free, NEVER)
    assert.deepEqual(reply.kind === 'answered' && reply.logprobs, [-0.25, -1.5])
  })
}

for (const provider of ['anthropic', 'bedrock'] as const) {
  test(`${provider} is not asked for what it does not have`, async () => {
    const fake = await fakeModelInTest()
    const request = requestTo(fake, provider, { wantsLogprobs: true })
    await assert.rejects(createModelClient().call(request, NEVER), /gives no log-probabilities/)
    assert.equal(fake.requests.length, 0)
  })
}

test('log-probabilities that a server does not give are absent', async () => {
  const fake = await fakeModelInTest({ answer: () => ({ logprobs: [] }) })
  const reply = await createModelClient().call(requestTo(fake, 'openai', { wantsLogprobs: true }), NEVER)
  assert.equal(reply.kind === 'answered' && reply.logprobs, undefined)
})

test('Google says in the body how long to wait', async () => {
  const failure = await failureOf('google', {
    status: 429,
    body: JSON.stringify({ error: { code: 429, message: 'quota', details: [{ retryDelay: '1.5s' }] } }),
  })
  assert.equal(failure.retryAfterMs, 1_500)
})

test('an answer that a router gave up in the middle is a failure', async () => {
  const failure = await failureOf('openai', {
    body: JSON.stringify({
      choices: [
        { finish_reason: 'error', message: { content: '{"ver' }, error: { code: 502, message: 'upstream' } },
      ],
    }),
  })
  assert.deepEqual([failure.kind, /answered 502: upstream/.test(failure.message)], ['busy', true])
})

for (const baseUrl of ['localhost', 'ftp://host/v1', '']) {
  test(`the base URL ${JSON.stringify(baseUrl)} is none`, async () => {
    for (const provider of EVERY_PROVIDER) {
      const request = requestTo({ url: baseUrl }, provider)
      await assert.rejects(
        createModelClient().call(request, NEVER),
        (error: unknown) => error instanceof ModelFailure && /base URL of/.test(error.message),
      )
    }
  })
}

test('an unknown provider is named', async () => {
  const request = {
    ...requestTo({ url: 'http://127.0.0.1:9' }, 'openai'),
    model: { provider: 'acme', model: 'm' },
  }
  await assert.rejects(createModelClient().call(request, NEVER), /there is no provider acme/)
})

test('Azure and Bedrock say what they miss', async () => {
  for (const [provider, setting] of [
    ['azure', /AZURE_RESOURCE_NAME/],
    ['bedrock', /AWS_REGION/],
  ] as const) {
    const request = requestTo({ url: '' }, provider, { access: { apiKey: 'k' } })
    await assert.rejects(createModelClient().call(request, NEVER), setting)
  }
})
