import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'

const service = await startRestingService()

const kindness = {
  name: 'Kindness',
  provider: 'openai',
  model: 'gpt-4o',
  messages: [
    { role: 'developer', content: 'You judge texts.' },
    { role: 'user', content: 'Is {{ text }} kind? Answer like {"a": {"b": {}}}.', tool_call_id: 'x' },
  ],
  input_schema: [{ name: 'text', type: 'string', description: 'The text.' }],
  output_schema: [
    { name: 'pass', type: 'boolean', label: 'Is kind' },
    { name: 'share', type: 'number', minimum: 0, maximum: 1 },
    { name: 'mood', type: 'enum', enum_values: ['good', 'bad'] },
  ],
}

function create(body: unknown, path = '/v2/evaluators') {
  return service.call('POST', path, { body })
}

async function otherTenant(): Promise<string> {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Other' } })
  return json.environments[0].api_key
}

test('200 names the evaluator, its first version and no bindings', async () => {
  const { status, json } = await create({ ...kindness, slug: 'kindness-1' })
  assert.equal(status, 200)
  const { evaluator_id, version_id, ...rest } = json
  assert.ok(evaluator_id && version_id && evaluator_id !== version_id)
  assert.deepEqual(rest, { slug: 'kindness-1', type: 'LLM_AS_A_JUDGE', bindings: [] })
})

test('200 shows everything that was stored, by id, by slug and in the list', async () => {
  const body = {
    ...kindness,
    slug: 'everything',
    description: 'Says whether it is kind.',
    temperature: 0.5,
    top_p: 0.9,
    frequency_penalty: -1,
    presence_penalty: 2,
    max_tokens: 100,
    stop: ['END'],
    logprobs: true,
    mode: 'chat',
    unknown_field: 1,
  }
  const created = (await create(body)).json
  const { json } = await service.call('GET', '/v2/evaluators/everything')
  const { created_at, updated_at, ...shown } = json
  assert.equal(created_at, updated_at)
  assert.deepEqual(shown, {
    id: created.evaluator_id,
    name: 'Kindness',
    slug: 'everything',
    type: 'LLM_AS_A_JUDGE',
    description: 'Says whether it is kind.',
    version: '1',
    version_id: created.version_id,
    source: 'custom',
    method: 'judge',
    input_schema: [{ name: 'text', type: 'string', description: 'The text.', label: 'Text' }],
    output_schema: [
      { name: 'pass', type: 'boolean', description: '', label: 'Is kind' },
      { name: 'share', type: 'float', description: '', label: 'Share', minimum: 0, maximum: 1 },
      { name: 'mood', type: 'enum', description: '', label: 'Mood', enum_values: ['good', 'bad'] },
    ],
    verdict: { rule: 'pass is true', property: 'pass', pass_label: 'Passed', fail_label: 'Failed' },
    config: {
      provider: 'openai',
      messages: [
        { role: 'system', content: 'You judge texts.' },
        { role: 'user', content: 'Is {{ text }} kind? Answer like {"a": {"b": {}}}.' },
      ],
      llm_config: {
        model: 'gpt-4o',
        temperature: 0.5,
        top_p: 0.9,
        frequency_penalty: -1,
        presence_penalty: 2,
        max_tokens: 100,
        stop: ['END'],
      },
    },
  })
  assert.deepEqual((await service.call('GET', `/v2/evaluators/${created.evaluator_id}`)).json, json)
  const custom = (await service.call('GET', '/v2/evaluators?source=custom')).json.evaluators
  assert.deepEqual(
    custom.find(({ slug }: { slug: string }) => slug === 'everything'),
    json,
  )
  const prebuilt = (await service.call('GET', '/v2/evaluators?source=prebuilt')).json.evaluators
  assert.ok(prebuilt.every(({ source }: { source: string }) => source === 'prebuilt'))
  const all = (await service.call('GET', '/v2/evaluators')).json.evaluators
  assert.equal(all.length, prebuilt.length + custom.length)
})

test('200 makes the slug from the name, with a suffix where it is taken or built in', async () => {
  assert.equal((await create({ ...kindness, name: 'Très gentil!' })).json.slug, 'tres-gentil')
  assert.match((await create({ ...kindness, name: 'Très gentil!' })).json.slug, /^tres-gentil-[0-9a-f]{8}$/)
  assert.match((await create({ ...kindness, name: 'Char Count' })).json.slug, /^char-count-[0-9a-f]{8}$/)
  const long = (await create({ ...kindness, name: 'x'.repeat(200) })).json.slug
  assert.equal(long, 'x'.repeat(63))
  assert.equal((await create({ ...kindness, name: 'x'.repeat(200) })).json.slug.length, 63)
})

test('200 at the old path too', async () => {
  const { status, json } = await create({ ...kindness, slug: 'old-path' }, '/v2/evaluators/custom-evaluator')
  assert.deepEqual([status, json.slug], [200, 'old-path'])
})

const field = { name: 'text', type: 'string' }
for (const [name, change, message] of [
  ['no name', { name: undefined }, 'name is required'],
  ['an empty name', { name: '' }, 'name is required'],
  ['a name that is too long', { name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
  ['no provider', { provider: undefined }, 'provider is required'],
  [
    'an unknown provider',
    { provider: 'acme' },
    'provider must be one of openai, anthropic, google, azure, bedrock',
  ],
  ['no model', { model: undefined }, 'model is required'],
  [
    'a model that no header can name',
    { model: 'модель' },
    'model must be visible ASCII characters without blanks',
  ],
  ['no messages', { messages: undefined }, 'messages is required'],
  ['empty messages', { messages: [] }, 'messages must contain at least one item'],
  [
    'an unknown role',
    { messages: [{ role: 'robot', content: 'x' }] },
    'messages[0].role must be one of system, user, assistant, developer',
  ],
  ['a message without content', { messages: [{ role: 'user' }] }, 'messages[0].content is required'],
  ['a message of nothing', { messages: [{ role: 'user', content: '' }] }, 'messages[0].content is required'],
  [
    'too many messages',
    { messages: Array(51).fill({ role: 'user', content: '{{text}}' }) },
    'messages must contain at most 50 items',
  ],
  [
    'a message that is too long',
    { messages: [{ role: 'user', content: 'x'.repeat(32_769) }] },
    'messages[0].content must be at most 32768 characters',
  ],
  [
    'messages that are too long together',
    { messages: Array(3).fill({ role: 'user', content: 'x'.repeat(30_000) }) },
    'messages, input_schema and output_schema together must be at most 65536 characters of JSON, not 90507',
  ],
  [
    'an unknown placeholder',
    { messages: [kindness.messages[0], { role: 'user', content: '{{text}} and {{ context }}' }] },
    'messages[1].content: {{context}} is not in input_schema; placeholders are named after its fields',
  ],
  [
    'a placeholder that is not a name',
    { messages: [{ role: 'system', content: '{{#if text}}' }] },
    'messages[0].content: {{#if text}} is not in input_schema; placeholders are named after its fields',
  ],
  ['no input_schema', { input_schema: undefined }, 'input_schema is required'],
  ['an empty input_schema', { input_schema: [] }, 'input_schema must contain at least one item'],
  ['an empty output_schema', { output_schema: [] }, 'output_schema must contain at least one item'],
  [
    'too many outputs',
    { output_schema: Array.from({ length: 51 }, (_, at) => ({ name: `f${at}`, type: 'int' })) },
    'output_schema must contain at most 50 items',
  ],
  [
    'two inputs of one name',
    { input_schema: [field, { name: 'b', type: 'int' }, field] },
    'input_schema[2].name text is used twice',
  ],
  ['two outputs of one name', { output_schema: [field, field] }, 'output_schema[1].name text is used twice'],
  ['a field without a name', { input_schema: [{ type: 'string' }] }, 'input_schema[0].name is required'],
  [
    'a field whose name has blanks',
    { input_schema: [{ name: 'my text', type: 'string' }] },
    'input_schema[0].name must be a letter, then at most 63 letters, digits, _ or -',
  ],
  [
    'a field named __proto__',
    { output_schema: [{ name: '__proto__', type: 'string' }] },
    'output_schema[0].name must be a letter, then at most 63 letters, digits, _ or -',
  ],
  [
    'an unknown type',
    { output_schema: [{ name: 'a', type: 'date' }] },
    'output_schema[0].type must be one of string, int, float, boolean, enum, number',
  ],
  [
    'an enum without values',
    { output_schema: [{ name: 'a', type: 'enum' }] },
    'output_schema[0].enum_values is required for the type enum',
  ],
  [
    'an enum of nothing',
    { output_schema: [{ name: 'a', type: 'enum', enum_values: [] }] },
    'output_schema[0].enum_values must contain at least one item',
  ],
  [
    'an enum with a value twice',
    { output_schema: [{ name: 'a', type: 'enum', enum_values: ['x', 'x'] }] },
    'output_schema[0].enum_values has "x" twice',
  ],
  [
    'a range of what is no number',
    { output_schema: [{ name: 'a', type: 'string', maximum: 1 }] },
    'output_schema[0].maximum is only for the types int and float',
  ],
  [
    'a range that holds nothing',
    { output_schema: [{ name: 'a', type: 'int', minimum: 2, maximum: 1 }] },
    'output_schema[0].maximum must be at least minimum',
  ],
  [
    'a bad slug',
    { slug: 'My Judge' },
    'slug must be 1 to 63 lower-case letters, digits, or inner hyphens and underscores',
  ],
  [
    'a slug that looks like an id',
    { slug: '0198c0de-0000-7000-8000-000000000000' },
    'slug must not look like an id',
  ],
  [
    'the slug of a built-in evaluator',
    { slug: 'faithfulness' },
    'slug faithfulness is the name of a built-in evaluator',
  ],
  [
    'a name of which no slug can be made',
    { name: '判断' },
    'slug is required when the name has no letter from a to z and no digit',
  ],
  ['a temperature out of range', { temperature: 2.5 }, 'temperature must be at most 2'],
  ['a quoted temperature', { temperature: '0.5' }, 'temperature must be a number'],
  ['max_tokens of 0', { max_tokens: 0 }, 'max_tokens must be at least 1'],
  ['a stop that is a text', { stop: 'END' }, 'stop must be an array'],
] as const) {
  test(`400 for ${name}`, async () => {
    const answer = await create({ ...kindness, ...change })
    assert.deepEqual([answer.status, answer.json], [400, { error: `invalid input: ${message}` }])
  })
}

test('400 for a slug that is taken, but not by another organization', async () => {
  const key = await otherTenant()
  await create({ ...kindness, slug: 'taken' })
  const answer = await create({ ...kindness, slug: 'taken' })
  assert.deepEqual([answer.status, answer.json], [400, { error: 'invalid input: slug taken already exists' }])
  const theirs = await service.call('POST', '/v2/evaluators', { key, body: { ...kindness, slug: 'taken' } })
  assert.equal(theirs.status, 200)
})

test('200 of PATCH makes a new version for a new definition only, and the old one can be read', async () => {
  const { json: created } = await create({ ...kindness, slug: 'patched', temperature: 1 })
  const patch = (body: unknown) => service.call('PATCH', '/v2/evaluators/patched', { body })

  const named = (await patch({ name: 'Other', config: { description: 'D', provider: 'OpenAI' } })).json
  assert.equal(named.evaluator.id, created.evaluator_id)
  assert.deepEqual(
    [named.evaluator.name, named.evaluator.description, named.evaluator.version],
    ['Other', 'D', '1'],
  )
  assert.equal(named.versions.length, 1)

  const config = { messages: [{ role: 'user', content: '{{text}}!' }], llm_config: { top_p: 0.5 } }
  const changed = (await patch({ config })).json
  assert.deepEqual(changed.evaluator.config, {
    provider: 'openai',
    messages: config.messages,
    llm_config: { model: 'gpt-4o', temperature: 1, top_p: 0.5 },
  })
  assert.deepEqual(
    changed.versions.map(({ id, version }: { id: string; version: string }) => [id, version]),
    [
      [created.version_id, '1'],
      [changed.evaluator.version_id, '2'],
    ],
  )
  assert.equal((await patch({ config })).json.versions.length, 2)

  const unset = (await patch({ config: { llm_config: { temperature: null, model: 'gpt-5' } } })).json
  assert.deepEqual(unset.evaluator.config.llm_config, { model: 'gpt-5', top_p: 0.5 })

  const first = (await service.call('GET', '/v2/evaluators/patched?version=1')).json
  assert.equal(first.config.llm_config.temperature, 1)
  assert.deepEqual(
    (await service.call('GET', `/v2/evaluators/patched?version=${created.version_id}`)).json,
    first,
  )
  assert.equal((await service.call('GET', '/v2/evaluators/patched?version=9')).status, 404)
  assert.equal((await service.call('GET', '/v2/evaluators/char-count?version=1')).status, 200)
  assert.equal((await service.call('GET', '/v2/evaluators/char-count?version=9')).status, 404)
})

test('200 of PATCH replaces the schemas together with the messages that use them', async () => {
  const { json } = await create({ ...kindness, slug: 'schemas' })
  const path = `/v2/evaluators/${json.evaluator_id}`
  const body = {
    input_schema: [{ name: 'answer', type: 'string' }],
    config: { messages: [{ role: 'user', content: '{{answer}}' }] },
  }
  const { evaluator } = (await service.call('PATCH', path, { body })).json
  assert.deepEqual(evaluator.input_schema[0].name, 'answer')
  assert.equal(evaluator.output_schema.length, 3)
})

test('200 of PATCH loses no change when many come at once', async () => {
  await create({ ...kindness, slug: 'busy' })
  const patches = [
    { config: { llm_config: { temperature: 0.1 } } },
    { config: { llm_config: { top_p: 0.2 } } },
    { config: { llm_config: { max_tokens: 30 } } },
    { name: 'Busy' },
  ]
  const answers = await Promise.all(
    patches.map((body) => service.call('PATCH', '/v2/evaluators/busy', { body })),
  )
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  const { json } = await service.call('GET', '/v2/evaluators/busy')
  assert.deepEqual(
    [json.name, json.version, json.config.llm_config],
    ['Busy', '4', { model: 'gpt-4o', temperature: 0.1, top_p: 0.2, max_tokens: 30 }],
  )
})

test('400 of PATCH when a placeholder would lose its input, and nothing is changed', async () => {
  await create({ ...kindness, slug: 'kept' })
  const before = (await service.call('GET', '/v2/evaluators/kept')).json
  const body = { name: 'New', input_schema: [{ name: 'other', type: 'string' }] }
  const answer = await service.call('PATCH', '/v2/evaluators/kept', { body })
  assert.equal(answer.status, 400)
  assert.match(answer.json.error, /messages\[1\]\.content: \{\{text\}\} is not in input_schema/)
  assert.deepEqual((await service.call('GET', '/v2/evaluators/kept')).json, before)
})

test('400 of PATCH for a built-in evaluator and for bad fields', async () => {
  const builtIn = await service.call('PATCH', '/v2/evaluators/char-count', { body: { name: 'x' } })
  assert.deepEqual(
    [builtIn.status, builtIn.json.error],
    [400, 'invalid input: evaluator char-count is built in and cannot be changed'],
  )
  await create({ ...kindness, slug: 'bad-patch' })
  for (const [body, message] of [
    [{ name: '' }, 'name is required'],
    [{ config: { provider: 'acme' } }, /^config\.provider must be one of openai/],
    [{ config: { messages: [] } }, 'config.messages must contain at least one item'],
    [{ config: { llm_config: { temperature: 'hot' } } }, 'config.llm_config.temperature must be a number'],
  ] as const) {
    const answer = await service.call('PATCH', '/v2/evaluators/bad-patch', { body })
    assert.equal(answer.status, 400)
    const error = answer.json.error.replace('invalid input: ', '')
    if (typeof message === 'string') assert.equal(error, message)
    else assert.match(error, message)
  }
})

test('404 for what another organization has', async () => {
  const key = await otherTenant()
  const { json } = await create({ ...kindness, slug: 'private' })
  for (const name of ['private', json.evaluator_id]) {
    assert.equal((await service.call('GET', `/v2/evaluators/${name}`, { key })).status, 404)
    const patch = await service.call('PATCH', `/v2/evaluators/${name}`, { key, body: { name: 'theirs' } })
    assert.deepEqual([patch.status, patch.json.error], [404, 'evaluator not found'])
  }
  const list = await service.call('GET', '/v2/evaluators?source=custom', { key })
  assert.deepEqual(list.json.evaluators, [])
})

test('403 for a key that may not write', async () => {
  const { json } = await service.call('POST', '/v2/api-keys', { body: { name: 'reader', scopes: ['read'] } })
  const { status } = await service.call('POST', '/v2/evaluators', { key: json.api_key, body: kindness })
  assert.equal(status, 403)
  assert.equal((await service.call('POST', '/v2/evaluators', { key: FIRST_KEY, body: kindness })).status, 200)
})

test('201 for a setup that names a custom evaluator, with its schemas', async () => {
  const { json: created } = await create({ ...kindness, slug: 'in-a-setup' })
  const body = {
    external_id: 'with-custom',
    evaluators: ['in-a-setup', 'char-count'],
    evaluator_configs: [{ slug: 'in-a-setup', mapping: { text: { field: 'prompt' } } }],
  }
  const { status, json } = await service.call('POST', '/v2/auto-monitor-setups', { body })
  assert.equal(status, 201)
  assert.equal(json.evaluators[0].evaluator_id, created.evaluator_id)
  assert.deepEqual(json.evaluators[0].input_schema, [
    { name: 'text', type: 'string', description: 'The text.', label: 'Text' },
  ])
})
