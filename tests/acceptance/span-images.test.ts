import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testId } from '../otlp/encode-traces.ts'
import { startService } from '../support/service.ts'
import { eventually, sendSpans } from '../support/spans.ts'
import { assertError } from './setup-calls.ts'

const service = await startService()
const PNG = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.from('pixels')])
const TRACE = Buffer.from(testId(16, 7)).toString('hex')
const SPAN = Buffer.from(testId(8, 8)).toString('hex')
const pathOf = (name: string, trace = TRACE) => `/v2/traces/${trace}/spans/${SPAN}/images/${name}`

async function upload(path: string, bytes: Buffer = PNG) {
  return service.call('POST', path, { body: { image_data: bytes.toString('base64') } })
}

test('200 takes an image the way the SDKs send it, and shows it in the trace', async () => {
  const startUnixNano = BigInt(Date.now()) * 1_000_000n
  const times = { startUnixNano, endUnixNano: startUnixNano + 1_000_000n }
  await sendSpans(service, [{ ...{ traceId: testId(16, 7), spanId: testId(8, 8), name: 'chat', ...times } }])
  // The SDK in Python writes both ids as decimal numbers.
  const [trace, span] = [BigInt(`0x${TRACE}`), BigInt(`0x${SPAN}`)]
  const named = await service.call('POST', `/v2/traces/${trace}/spans/${span}/images`, {
    body: { image_name: 'message_0_content_1.png' },
  })
  assert.deepEqual(
    [named.status, named.json],
    [200, { url: `${service.url}${pathOf('message_0_content_1.png')}` }],
  )
  const { pathname } = new URL(named.json.url)
  assert.deepEqual((await upload(pathname)).json, {})

  const response = await fetch(named.json.url, {
    headers: { authorization: 'Bearer test-key-0123456789abcdef' },
  })
  assert.deepEqual(Buffer.from(await response.arrayBuffer()), PNG)
  assert.equal(response.headers.get('content-type'), 'image/png')
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff')
  assert.equal(response.headers.get('content-security-policy'), "default-src 'none'; sandbox")

  const shown = await eventually(async () => {
    const { status, json } = await service.call('GET', `/v2/traces/${TRACE}`)
    return status === 200 && json.spans[0]
  }, 'the trace is there')
  assert.deepEqual(shown.images, [
    { name: 'message_0_content_1.png', content_type: 'image/png', bytes: PNG.length, path: pathname },
  ])
  const { json } = await service.call('GET', '/v2/limits')
  assert.match(JSON.stringify(json), /stored_bytes/)
})

test('200 names an address with https behind a proxy that ends TLS', async () => {
  const { json } = await service.call('POST', `/v2/traces/${TRACE}/spans/${SPAN}/images`, {
    body: { image_name: 'a b/c.png' },
    headers: { 'x-forwarded-proto': 'https' },
  })
  assert.equal(json.url, `${service.url.replace('http:', 'https:')}${pathOf('a%20b%2Fc.png')}`)
  assert.equal((await upload(new URL(json.url).pathname)).status, 200)
  assert.equal((await service.call('GET', pathOf('a%20b%2Fc.png'))).status, 200)
})

test('200 takes a data URL, and a body that says more', async () => {
  const image_data = `data:image/png;base64,${PNG.toString('base64')}`
  for (const [name, body] of [
    ['url.png', { image_data }],
    ['more.png', { other: 'x', image_data }],
  ] as const) {
    assert.equal((await service.call('POST', pathOf(name), { body })).status, 200)
    assert.equal((await service.call('GET', pathOf(name))).status, 200)
  }
})

for (const [what, body, message] of [
  ['nothing', {}, 'image_data is required'],
  ['null', { image_data: null }, 'image_data is required'],
  ['a number', { image_data: 1 }, 'image_data must be a string'],
  ['no base64', { image_data: 'a\u00fc!' }, 'image_data must be base64'],
  ['an empty text', { image_data: '' }, 'image_data must be base64'],
  [
    'an SVG, which may hold scripts',
    { image_data: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>').toString('base64') },
    'image_data must be one of image/png, image/jpeg, image/gif, image/webp',
  ],
  [
    'an image that is too large',
    { image_data: Buffer.concat([PNG, Buffer.alloc(8_388_608)]).toString('base64') },
    'image_data must be at most 8388608 bytes',
  ],
] as const)
  test(`400 for ${what} in place of an image`, async () =>
    assertError(await service.call('POST', pathOf('bad.png'), { body }), 400, `invalid input: ${message}`))

test('400 names the id or the name that is wrong', async () => {
  for (const [path, message] of [
    ['/v2/traces/xyz/spans/1/images', 'trace_id must be 32 hex digits'],
    [`/v2/traces/${TRACE}/spans/12/images`, 'span_id must be 16 hex digits'],
    [`/v2/traces/${'9'.repeat(40)}/spans/12/images`, 'trace_id must be 32 hex digits'],
  ] as const)
    assertError(
      await service.call('POST', path, { body: { image_name: 'a' } }),
      400,
      `invalid input: ${message}`,
    )
  const names = `/v2/traces/${TRACE}/spans/${SPAN}/images`
  for (const [body, message] of [
    [{}, 'image_name is required'],
    [{ image_name: '' }, 'image_name is required'],
    [{ image_name: '..' }, 'image_name must not be . or ..'],
    [{ image_name: 'x'.repeat(256) }, 'image_name must be at most 255 characters'],
  ] as const)
    assertError(await service.call('POST', names, { body }), 400, `invalid input: ${message}`)
})

test('400 for one image too many of a span', async () => {
  const trace = Buffer.from(testId(16, 70)).toString('hex')
  for (let at = 0; at < 50; at++) assert.equal((await upload(pathOf(`${at}.png`, trace))).status, 200)
  assertError(
    await upload(pathOf('50.png', trace)),
    400,
    /a span has at most 50 images and a trace at most 500/,
  )
  assert.equal((await upload(pathOf('49.png', trace))).status, 200)
})

test('404 for an image of somebody else, and 403 for a key that may not', async () => {
  const { json } = await service.call('POST', '/v2/organizations', { body: { org_name: 'Foreigner' } })
  const key = json.environments[0].api_key
  await upload(pathOf('mine.png'))
  assertError(await service.call('GET', pathOf('mine.png'), { key }), 404, 'image not found')
  const made = await service.call('POST', '/v2/api-keys', { body: { scopes: ['read'] } })
  const body = { image_data: PNG.toString('base64') }
  assertError(await service.call('POST', pathOf('x.png'), { key: made.json.api_key, body }), 403)
  assertError(await service.call('GET', pathOf('mine.png'), { key: null }), 401, 'Unauthorized')
})

test('404 for the images of a deleted trace, and nothing late is kept', async () => {
  const trace = Buffer.from(testId(16, 71)).toString('hex')
  await upload(pathOf('a.png', trace))
  assert.equal((await service.call('DELETE', `/v2/traces/${trace}`)).status, 202)
  assertError(await service.call('GET', pathOf('a.png', trace)), 404)
  assert.equal((await upload(pathOf('b.png', trace))).status, 200)
  assertError(await service.call('GET', pathOf('b.png', trace)), 404)
})

test('403 when the organization has stored as much as it may', async () => {
  const small = await startService({ ASSAY_LIMIT_STORED_BYTES: '10' })
  const body = { image_data: PNG.toString('base64') }
  await small.call('POST', pathOf('a.png'), { body })
  await eventually(
    async () => (await small.call('POST', pathOf('b.png'), { body })).status === 403,
    'no room is left',
  )
  assert.equal((await small.call('GET', pathOf('a.png'))).status, 200)
})
