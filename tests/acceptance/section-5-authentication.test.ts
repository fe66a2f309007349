import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { assertError, createSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()

test('200 with the key in a Bearer header', async () => {
  const answer = await service.call('GET', SETUPS)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, [])
})

for (const [name, authorization] of [
  ['without the header', undefined],
  ['with another scheme', `Basic ${FIRST_KEY}`],
  ['with the bare key', FIRST_KEY],
  ['with an unknown key', 'Bearer tl_nobody-knows-this-key'],
  ['with an empty key', 'Bearer '],
  ['with the scheme alone', 'Bearer'],
  ['with something after the key', `Bearer ${FIRST_KEY} more`],
  ['with something glued to the key', `Bearer ${FIRST_KEY}x`],
  ['with the beginning of the key', `Bearer ${FIRST_KEY.slice(0, -1)}`],
  ['with the key in another case', `Bearer ${FIRST_KEY.toUpperCase()}`],
  ['with a scheme that only begins like it', `Bearers ${FIRST_KEY}`],
  ['with a very long key', `Bearer ${'x'.repeat(4000)}`],
] as const) {
  test(`401 ${name}`, async () => {
    const answer = await service.call('GET', SETUPS, {
      key: null,
      headers: authorization === undefined ? {} : { authorization },
    })
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.json, { error: 'Unauthorized' })
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  })
}

test('401 comes before the body is looked at', async () => {
  const answer = await service.call('POST', SETUPS, { key: null, body: 'not json' })
  assertError(answer, 401, 'Unauthorized')
})

for (const [method, route] of [
  ['GET', SETUPS],
  ['POST', SETUPS],
  ['POST', `${SETUPS}/bulk`],
  ['GET', `${SETUPS}/guarded`],
  ['PUT', `${SETUPS}/guarded`],
  ['DELETE', `${SETUPS}/guarded`],
  ['POST', '/v2/organizations'],
  ['GET', '/v2/projects'],
  ['POST', '/v2/projects'],
  ['POST', '/v2/projects/x/environments'],
  ['GET', '/v2/api-keys'],
  ['POST', '/v2/api-keys'],
  ['DELETE', '/v2/api-keys/x'],
] as const) {
  test(`401 for ${method} ${route} without a key and with an unknown one`, async () => {
    for (const key of [null, 'tl_nobody-knows-this-key']) {
      assertError(await service.call(method, route, { key }), 401, 'Unauthorized')
    }
  })
}

test('401 does not take the key from the query or from another header', async () => {
  assertError(await service.call('GET', `${SETUPS}?api_key=${FIRST_KEY}`, { key: null }), 401)
  assertError(await service.call('GET', SETUPS, { key: null, headers: { 'x-api-key': FIRST_KEY } }), 401)
})

test('401 for a write leaves nothing behind', async () => {
  await createSetup(service, { external_id: 'guarded' })
  assertError(await service.call('DELETE', setupPath('guarded'), { key: null }), 401)
  const body = { external_id: 'intruder', evaluators: ['char-count'] }
  assertError(await service.call('POST', SETUPS, { key: null, body }), 401)
  assert.equal((await service.call('GET', setupPath('guarded'))).status, 200)
  assertError(await service.call('GET', setupPath('intruder')), 404)
})

for (const open of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs']) {
  test(`200 for ${open} without a key, with one and with a wrong one`, async () => {
    for (const key of [null, FIRST_KEY, 'tl_nobody-knows-this-key']) {
      assert.equal((await service.call('GET', open, { key })).status, 200)
    }
  })
}

test('200 with a first key of 16 and of 256 visible ASCII characters', async () => {
  for (const key of ['!"#$%&\'()*+,-./0', '~'.repeat(256)]) {
    const other = await startRestingService({ ASSAY_API_KEY: key })
    assert.equal((await other.call('GET', SETUPS, { key })).status, 200)
    assertError(await other.call('GET', SETUPS, { key: FIRST_KEY }), 401)
  }
})

for (const [name, key] of [
  ['15 characters', 'x'.repeat(15)],
  ['257 characters', 'x'.repeat(257)],
  ['a space', 'with a space inside it'],
  ['a letter outside ASCII', 'schlüssel-schlüssel'],
] as const) {
  test(`a first key of ${name} does not start the service`, async () => {
    await assert.rejects(startRestingService({ ASSAY_API_KEY: key }), /ASSAY_API_KEY/)
  })
}

test('200 with the random key that the first start writes to a file only its owner reads', async () => {
  const other = await startRestingService({ ASSAY_API_KEY: '' })
  const file = path.join(other.dataDir, 'api-key')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  const key = readFileSync(file, 'utf8').trim()
  assert.match(key, /^tl_[\x21-\x7e]{43,}$/)
  assert.equal((await other.call('GET', SETUPS, { key })).status, 200)
  assert.ok(!other.logLines.some((line) => line.includes(key)))
})

test('200 with the old key when a later start names another, which is ignored with a warning', async () => {
  const directory = temporaryDirectory()
  const first = await startRestingService({ ASSAY_DATA_DIR: directory })
  await createSetup(first, { external_id: 'kept' })
  await first.close()
  const key = 'another-key-0123456789'
  const second = await startRestingService({ ASSAY_DATA_DIR: directory, ASSAY_API_KEY: key })
  assert.equal((await second.call('GET', setupPath('kept'))).status, 200)
  assertError(await second.call('GET', SETUPS, { key }), 401)
  assert.ok(
    second.logLines.some((line) => line.startsWith('warn') && line.includes('ASSAY_API_KEY')),
    second.logLines.join('\n'),
  )
  assert.ok(!second.logLines.some((line) => line.includes(key)))
})
