import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { startRestingService, type TestService } from '../support/service.ts'
import { assertError, createSetup, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const small = await startRestingService({ ASSAY_BODY_BYTES_MAX: '2048' })
await createSetup(service, { external_id: 'existing' })
const BODY_ROUTES = [
  ['POST', SETUPS],
  ['POST', `${SETUPS}/bulk`],
  ['PUT', setupPath('existing')],
  ['POST', '/v2/organizations'],
  ['POST', '/v2/projects'],
  ['POST', '/v2/api-keys'],
] as const

const good = (id: string, rest: object = {}) => ({ external_id: id, evaluators: ['char-count'], ...rest })
const text = (id: string) => JSON.stringify(good(id))
const send = (body: unknown, headers: Record<string, string> = {}, target: TestService = service) =>
  target.call('POST', SETUPS, { body, headers })

/** A JSON text whose depth is `levels`: the body is the first, arrays in an unknown field the rest. */
const nested = (id: string, levels: number) =>
  `{"external_id":"${id}","evaluators":["char-count"],"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`

for (const [name, body] of [
  ['an empty body', ''],
  ['only spaces', '  \n '],
  ['half an object', '{"external_id":'],
  ['something after the object', '{}x'],
  ['two objects', '{}{}'],
  ['a trailing comma', '{"external_id":"a",}'],
  ['single quotes', "{'external_id':'a'}"],
  ['a comment', '{/* */}'],
  ['a raw line break in a string', '{"external_id":"a\nb"}'],
  ['NaN', '{"x":NaN}'],
  ['a leading zero', '{"x":01}'],
  ['an array', '[]'],
  ['an array that holds the object', '[{"external_id":"a","evaluators":["char-count"]}]'],
  ['a string', '"text"'],
  ['null', 'null'],
  ['a number', '5'],
  ['true', 'true'],
] as const) {
  test(`400 for ${name} as the body of every operation`, async () => {
    for (const [method, route] of BODY_ROUTES) {
      const answer = await service.call(method, route, { body })
      assertError(answer, 400)
      assert.doesNotMatch(answer.text, /\bat .*\.(ts|js|mjs):\d/, 'no stack trace')
    }
  })
}

test('400 for a missing body', async () => {
  for (const [method, route] of BODY_ROUTES) {
    assertError(await service.call(method, route), 400)
    assertError(await service.call(method, route, { headers: { 'content-type': 'application/json' } }), 400)
  }
})

for (const [name, body] of [
  ['an external_id that is a number', good('x', { external_id: 1 })],
  ['an external_id that is null', good('x', { external_id: null })],
  ['an external_id that is an array', good('x', { external_id: ['a'] })],
  ['evaluators that are a string', good('x', { evaluators: 'char-count' })],
  ['evaluators that are an object', good('x', { evaluators: { 0: 'char-count' } })],
  ['evaluators that hold null', good('x', { evaluators: [null] })],
  ['evaluators that hold an object', good('x', { evaluators: [{ evaluator_type: 'char-count' }] })],
  ['an entity_type that is a number', good('x', { entity_type: 1 })],
  ['an external_id that is null', good('x', { external_id: null })],
  ['an entity_value that is an object', good('x', { entity_value: {} })],
  ['a selector that is a boolean', good('x', { selector: true })],
  ['evaluator_configs that are a number', good('x', { evaluator_configs: 1 })],
] as const) {
  test(`400 for ${name}, alone and in a batch`, async () => {
    assertError(await send(body), 400, /^invalid input: /)
    const answer = await service.call('POST', `${SETUPS}/bulk`, { body: { setups: [good('ok'), body] } })
    assertError(answer, 400, /^setups\[1\]: /)
    assertError(await service.call('GET', setupPath('ok')), 404)
  })
}

test('400 for setups that are missing or no array', async () => {
  for (const body of [{}, { setups: null }, { setups: {} }, { setups: 'x' }, { setups: 1 }]) {
    assertError(await service.call('POST', `${SETUPS}/bulk`, { body }), 400, /setups/)
  }
})

test('400 for bytes that are not UTF-8', async () => {
  for (const bytes of [
    [0xff],
    [0xc3, 0x28],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0xc0, 0x80],
    [0xe2, 0x82],
  ]) {
    const body = Buffer.concat([
      Buffer.from('{"external_id":"'),
      Buffer.from(bytes),
      Buffer.from('","evaluators":["char-count"]}'),
    ])
    assertError(await send(body), 400)
  }
})

test('201 at 64 levels of nesting and 400 above', async () => {
  assert.equal((await send(nested('deep-64', 64))).status, 201)
  for (const levels of [65, 66, 1000, 200_000]) assertError(await send(nested('deep', levels)), 400)
  const objects = `{"x":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`
  assertError(await send(objects), 400)
})

test('201 for brackets that are only text', async () => {
  await createSetup(service, { external_id: 'brackets', entity_value: `"${'[{'.repeat(200)}\\"` })
})

for (const [name, body] of [
  ['in the body', '{"external_id":"a","external_id":"b","evaluators":["char-count"]}'],
  ['with the same value', '{"external_id":"a","external_id":"a","evaluators":["char-count"]}'],
  ['in an escaped spelling', '{"external_id":"a","\\u0065xternal_id":"b","evaluators":["char-count"]}'],
  ['in a map', '{"external_id":"a","evaluators":["char-count"],"selector":{"k":"1","k":"2"}}'],
  ['in a rule', '{"external_id":"a","evaluators":["char-count"],"selector":[{"key":"k","key":"l"}]}'],
  ['in an unknown field', '{"external_id":"a","evaluators":["char-count"],"x":[{"y":{"z":1,"z":2}}]}'],
  ['that is empty', '{"external_id":"a","evaluators":["char-count"],"":1,"":2}'],
  ['that is __proto__', '{"external_id":"a","evaluators":["char-count"],"__proto__":1,"__proto__":2}'],
] as const) {
  test(`400 for a duplicate key ${name}`, async () => {
    assertError(await send(body), 400)
    assertError(await service.call('GET', setupPath('a')), 404)
  })
}

test('201 for the same key in different objects and as a value', async () => {
  const body =
    '{"external_id":"keys","evaluators":["char-count"],"x":{"k":"k","y":{"k":1}},"z":[{"k":1},{"k":1}]}'
  assert.equal((await send(body)).status, 201)
})

test('201 for a __proto__ key changes no prototype', async () => {
  const body = '{"external_id":"proto","evaluators":["char-count"],"__proto__":{"entity_type":"polluted"}}'
  const answer = await send(body)
  assert.equal(answer.status, 201, answer.text)
  assert.equal(answer.json.entity_type, '')
  assert.equal(({} as Record<string, unknown>)['entity_type'], undefined)
})

test('400 for U+0000 in the text of a setup', async () => {
  for (const body of [
    good('a\u0000b'),
    good('nul', { entity_value: '\u0000' }),
    good('nul', { selector: { k: 'a\u0000' } }),
  ]) {
    assertError(await send(body), 400)
  }
  assertError(await service.call('GET', `${SETUPS}/a%00b`), 404)
})

test('400 for unpaired surrogates', async () => {
  for (const surrogate of ['\\ud800', '\\udc00', '\\udc00\\ud800', 'x\\uD83Dx']) {
    assertError(await send(`{"external_id":"${surrogate}","evaluators":["char-count"]}`), 400)
    assertError(
      await send(`{"external_id":"s","entity_type":"${surrogate}","evaluators":["char-count"]}`),
      400,
    )
  }
  const paired = '{"external_id":"\\ud83d\\ude00","evaluators":["char-count"]}'
  assert.equal((await send(paired)).status, 201)
  assert.equal((await readSetup(service, '😀')).external_id, '😀')
})

test('413 for a body above the limit and 201 for one at the limit', async () => {
  const padded = (id: string, bytes: number) => {
    const start = text(id)
    return start + ' '.repeat(bytes - start.length)
  }
  assert.equal((await send(padded('at-limit', 2048), {}, small)).status, 201)
  for (const bytes of [2049, 4096, 1_000_000]) {
    assertError(await send(padded('above', bytes), {}, small), 413)
  }
  assertError(await small.call('GET', setupPath('above')), 404)
  assert.equal((await send(text('after'), {}, small)).status, 201)
})

test('413 for a body above the limit of 16 MiB that holds by default', async () => {
  assertError(await send(' '.repeat(16 * 1024 * 1024 + 1)), 413)
})

test('413 for a body that comes in chunks without a length', async () => {
  const chunks = new ReadableStream({
    start(controller) {
      for (let n = 0; n < 8; n++) controller.enqueue(new Uint8Array(1024).fill(0x20))
      controller.close()
    },
  })
  const response = await fetch(small.url + SETUPS, {
    method: 'POST',
    headers: { authorization: 'Bearer test-key-0123456789abcdef', 'content-type': 'application/json' },
    body: chunks,
    duplex: 'half',
  } as RequestInit)
  assert.equal(response.status, 413)
})

const ENCODERS = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
} as const
for (const [encoding, encode] of Object.entries(ENCODERS)) {
  const headers = { 'content-encoding': encoding }
  test(`201 for a body in ${encoding}`, async () => {
    const answer = await send(encode(Buffer.from(text(`in-${encoding}`))), headers)
    assert.equal(answer.status, 201, answer.text)
    assert.equal(answer.json.external_id, `in-${encoding}`)
  })
  test(`413 for a bomb in ${encoding}`, async () => {
    const bomb = encode(Buffer.concat([Buffer.from(text('bomb')), Buffer.alloc(8_000_000, 0x20)]))
    assertError(await send(bomb, headers, small), 413)
    assertError(await small.call('GET', setupPath('bomb')), 404)
  })
  test(`400 for a body that is not ${encoding} or only half of it`, async () => {
    assertError(await send(text('broken'), headers), 400)
    const whole = encode(Buffer.from(text('broken')))
    assertError(await send(whole.subarray(0, whole.length - 6), headers), 400)
    assertError(await send(encode(Buffer.from('{')), headers), 400)
    assertError(await service.call('GET', setupPath('broken')), 404)
  })
}

test('400 for an unknown encoding', async () => {
  assertError(await send(text('rot13'), { 'content-encoding': 'rot13' }), 400)
})

for (const type of [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/xml',
  'multipart/form-data',
]) {
  test(`400 for a body of the type ${type}`, async () => {
    for (const [method, route] of BODY_ROUTES) {
      assertError(
        await service.call(method, route, { body: text('typed'), headers: { 'content-type': type } }),
        400,
      )
    }
    assertError(await service.call('GET', setupPath('typed')), 404)
  })
}

test('201 for the JSON type with a charset and in capitals', async () => {
  for (const type of [
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ]) {
    const answer = await send(text(`as ${type}`), { 'content-type': type })
    assert.equal(answer.status, 201, answer.text)
  }
})
