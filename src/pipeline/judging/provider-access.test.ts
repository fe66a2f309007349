import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { GPT_4O, newPayer, patient, QUESTION, startDesk } from '../../../tests/support/judge-desk.ts'
import { rejectsWith } from '../../../tests/support/no-verdict.ts'
import type { StoredProviderKey } from '../../ports/judge-storage.ts'

const sealedKey = (change: Partial<StoredProviderKey> = {}): StoredProviderKey => ({
  provider: 'openai',
  sealed: Buffer.from('tenant-secret').toString('base64'),
  hint: 'cret',
  updatedAtMs: 1,
  ...change,
})

describe('an organization’s own key', () => {
  test('wins over the operator’s, and nobody else uses it', async () => {
    const { desk, model, payer, storage } = await startDesk()
    const other = await newPayer(storage, 'two')
    await storage.putProviderKey(payer, sealedKey({ baseUrl: model.url }))
    await desk.open(payer, GPT_4O, patient()).ask(QUESTION)
    await desk.open(other, GPT_4O, patient()).ask(QUESTION)
    assert.deepEqual(
      model.requests.map(({ headers }) => headers['authorization']),
      ['Bearer tenant-secret', 'Bearer operator-secret'],
    )
  })

  test('takes effect within seconds, and so does its removal', async () => {
    const { desk, model, payer, storage, clock } = await startDesk()
    const ask = async (prompt: string) => {
      await desk.open(payer, GPT_4O, patient()).ask({ ...QUESTION, prompt })
      return model.requests.at(-1)?.headers['authorization']
    }
    assert.equal(await ask('1'), 'Bearer operator-secret')
    await storage.putProviderKey(payer, sealedKey({ baseUrl: model.url }))
    clock.atMs += 3_000
    assert.equal(await ask('2'), 'Bearer tenant-secret')
    await storage.deleteProviderKey(payer, 'openai')
    clock.atMs += 3_000
    assert.equal(await ask('3'), 'Bearer operator-secret')
  })

  test('that cannot be opened never gives way to the operator’s', async () => {
    const { desk, model, payer, storage } = await startDesk({
      openKey: () => {
        throw new Error('wrong key')
      },
    })
    await storage.putProviderKey(payer, sealedKey())
    const asking = desk.open(payer, GPT_4O, patient()).ask(QUESTION)
    const error = await rejectsWith(asking, 'not_configured', /store it again/)
    assert.doesNotMatch(error.message, /tenant-secret/)
    assert.equal(model.requests.length, 0)
  })

  test('is not sent to an address that the operator does not allow', async () => {
    const { desk, model, payer, storage } = await startDesk({
      tenantBaseUrls: ['https://openrouter.ai/api/v1'],
    })
    for (const [at, baseUrl] of [model.url, 'http://169.254.169.254/latest', 'file:///etc'].entries()) {
      const tenant = at === 0 ? payer : await newPayer(storage, `tenant ${at}`)
      await storage.putProviderKey(tenant, sealedKey({ baseUrl }))
      await rejectsWith(desk.open(tenant, GPT_4O, patient()).ask(QUESTION), 'not_configured', /base_url/)
    }
    assert.equal(model.requests.length, 0)
  })

  test('does not get the operator’s address, which may be a server of his own', async () => {
    const hosts: (string | undefined)[] = []
    const { desk, payer, storage } = await startDesk({
      client: {
        async call({ access }) {
          hosts.push(access.baseUrl)
          return { kind: 'refused', why: '', usage: {} }
        },
      },
    })
    await storage.putProviderKey(payer, sealedKey())
    await rejectsWith(desk.open(payer, GPT_4O, patient()).ask(QUESTION), 'refused')
    assert.deepEqual(hosts, [undefined])
  })
})

describe('without a key', () => {
  for (const provider of ['openai', 'anthropic', 'google', 'azure', 'bedrock']) {
    test(`${provider} is not configured, and the answer says how to`, async () => {
      const { desk, payer, model } = await startDesk({ operator: { access: {} } })
      const asking = desk.open(payer, { provider, model: 'any' }, patient()).ask(QUESTION)
      await rejectsWith(asking, 'not_configured', new RegExp(`set \\w+.*PUT /v2/provider-keys/${provider}`))
      assert.equal(model.requests.length, 0)
    })
  }

  test('an unknown provider is told which there are', async () => {
    const { desk, payer } = await startDesk()
    const asking = desk.open(payer, { provider: 'acme', model: 'any' }, patient()).ask(QUESTION)
    await rejectsWith(asking, 'not_configured', /openai, anthropic/)
  })
})

test('a model that an evaluator names is called as its provider is, the judge as the judge is', async () => {
  const { desk, model, payer } = await startDesk()
  const { again } = await startDesk({
    operator: {
      defaultModel: GPT_4O,
      judge: { apiKey: 'judge-secret', baseUrl: model.url },
      access: { openai: { apiKey: 'provider-secret', baseUrl: model.url } },
    },
  })
  await desk.close()
  const session = again().open(payer, GPT_4O, patient())
  await session.ask(QUESTION)
  await session.ask({ ...QUESTION, model: { provider: 'openai', model: 'gpt-4.1' } })
  assert.deepEqual(
    model.requests.map(({ headers }) => headers['authorization']),
    ['Bearer judge-secret', 'Bearer provider-secret'],
  )
  assert.equal(session.judgement.judge, 'openai/gpt-4.1')
})

describe('the default model', () => {
  test('is the operator’s', async () => {
    const { desk, payer } = await startDesk()
    assert.deepEqual(await desk.defaultModel(payer), GPT_4O)
  })

  test('is a usual one of the provider that the organization brought a key for', async () => {
    const { desk, payer, storage, clock } = await startDesk({ operator: { access: {} } })
    assert.equal(await desk.defaultModel(payer), undefined)
    await storage.putProviderKey(payer, sealedKey({ provider: 'anthropic' }))
    clock.atMs += 3_000
    assert.equal((await desk.defaultModel(payer))?.provider, 'anthropic')
    assert.equal(await desk.defaultModel({ orgId: 'somebody else' }), undefined)
  })

  test('is the operator’s model with the organization’s key where only that is there', async () => {
    const claude = { provider: 'anthropic', model: 'claude-sonnet-4' }
    const { desk, payer, storage, clock } = await startDesk({
      operator: { defaultModel: claude, access: {} },
    })
    assert.equal(await desk.defaultModel(payer), undefined)
    await storage.putProviderKey(payer, sealedKey({ provider: 'anthropic' }))
    clock.atMs += 3_000
    assert.deepEqual(await desk.defaultModel(payer), claude)
  })
})
