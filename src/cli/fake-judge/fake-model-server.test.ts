import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { test } from 'node:test'
import { fakeModelInTest } from '../../../tests/support/fake-model.ts'
import { fillSchema } from './fill-schema.ts'

const SCHEMA = {
  type: 'object',
  properties: { label: { type: 'string', enum: ['no', 'yes'] }, score: { type: 'number' } },
}

function ask(url: string, body: object = {}): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({
      model: 'm',
      messages: [{ role: 'user', content: 'Hello' }],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: SCHEMA } },
      ...body,
    }),
  })
}

async function contentOf(response: Response): Promise<string> {
  const body = (await response.json()) as { choices: { message: { content: string } }[] }
  return body.choices[0]?.message.content ?? ''
}

function post(url: string, script: unknown): Promise<Response> {
  return fetch(`${url}/script`, { method: 'POST', body: JSON.stringify(script) })
}

test('fills in a schema always the same way', () => {
  const schema = {
    type: 'object',
    properties: {
      verdict: { type: 'string', enum: ['b', 'a'] },
      flag: { type: 'boolean' },
      count: { type: 'integer' },
      items: { type: 'array', items: { type: 'object', properties: { quote: { type: 'string' } } } },
    },
  }
  assert.deepEqual(fillSchema(schema), { verdict: 'b', flag: true, count: 1, items: [{ quote: 'text' }] })
})

test('uses up its script in order and then answers rightly', async () => {
  const { url } = await fakeModelInTest()
  const answer = await post(url, [{ status: 429, retryAfter: 2, times: 2 }, { content: { label: 'yes' } }])
  assert.deepEqual(await answer.json(), { queued: 2 })
  for (const status of [429, 429]) {
    const busy = await ask(url)
    assert.deepEqual([busy.status, busy.headers.get('retry-after')], [status, '2'])
  }
  assert.equal(await contentOf(await ask(url)), '{"label":"yes"}')
  assert.equal(await contentOf(await ask(url)), '{"label":"no","score":1}')
})

test('shows what it was asked, and forgets it when told to', async () => {
  const { url } = await fakeModelInTest()
  await ask(url, { temperature: 0 })
  const [asked] = (await (await fetch(`${url}/requests`)).json()) as Record<string, unknown>[]
  assert.equal(asked?.['protocol'], 'openai')
  assert.equal(asked?.['channel'], 'json_schema')
  assert.deepEqual(asked?.['schema'], SCHEMA)
  await post(url, [{ hang: true }])
  await fetch(`${url}/script`, { method: 'DELETE' })
  assert.deepEqual(await (await fetch(`${url}/requests`)).json(), [])
  assert.equal((await ask(url)).status, 200)
})

test('turns channels away from where the script says so until it says otherwise', async () => {
  const fake = await fakeModelInTest()
  fake.script({}, { unsupported: ['json_schema'] })
  assert.deepEqual([(await ask(fake.url)).status, (await ask(fake.url)).status], [200, 400])
  fake.script({ unsupported: [] })
  assert.equal((await ask(fake.url)).status, 200)
})

test('answers in words although a tool is offered, when it is told to', async () => {
  const fake = await fakeModelInTest()
  fake.script({ content: { city: 'Oslo' } }, { content: 'Oslo.', inWords: true })
  const tools = [{ type: 'function', function: { name: 'find', parameters: { type: 'object' } } }]
  // biome-ignore lint/suspicious/noExplicitAny: two messages of different shapes are looked into.
  const next = async (): Promise<any> => {
    const answer = await ask(fake.url, { response_format: undefined, tools })
    return ((await answer.json()) as { choices: { message: object }[] }).choices[0]?.message
  }
  const [called, said] = [await next(), await next()]
  assert.deepEqual(called.tool_calls[0].function, { name: 'find', arguments: '{"city":"Oslo"}' })
  assert.deepEqual([said.content, said.tool_calls], ['Oslo.', undefined])
})

test('400 names what is wrong with a script', async () => {
  const { url } = await fakeModelInTest()
  const answer = await post(url, [{ proze: true }])
  assert.equal(answer.status, 400)
  assert.match(await answer.text(), /proze/)
})

test('404 for what is no protocol of it', async () => {
  const { url } = await fakeModelInTest()
  assert.equal((await fetch(`${url}/v1/embeddings`, { method: 'POST', body: '{}' })).status, 404)
})

test('asks its callback when the script is used up', async () => {
  const fake = await fakeModelInTest({
    answer: ({ messages }) => ({ content: `You said ${messages[0]?.content}.` }),
  })
  assert.equal(await contentOf(await ask(fake.url)), 'You said Hello.')
})

test('runs as a command until it is interrupted', async (context) => {
  const command = path.resolve(import.meta.dirname, '../../../scripts/assay.ts')
  const child = spawn(process.execPath, [
    command,
    'fake-judge',
    '--port',
    '0',
    '--unsupported',
    'json_schema',
  ])
  context.after(() => child.kill('SIGKILL'))
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    if (output.includes('/requests')) break
  }
  const url = /running at (http:\S+)/.exec(output)?.[1] ?? ''
  assert.equal((await ask(url)).status, 400)
  assert.equal((await ask(url, { response_format: undefined })).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

for (const [args, message] of [
  [['--port', '99999'], /--port must be an integer/],
  [['--unsupported', 'xml'], /--unsupported knows json_schema, json_object, tools, not xml/],
  [['--script', '/nowhere.json'], /--script \/nowhere.json cannot be read/],
] as const) {
  test(`the command does not start with ${args.join(' ')}`, async () => {
    const command = path.resolve(import.meta.dirname, '../../../scripts/assay.ts')
    const child = spawn(process.execPath, [command, 'fake-judge', ...args])
    let errors = ''
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
    })
    assert.deepEqual(await once(child, 'close'), [2, null])
    assert.match(errors, message)
  })
}
