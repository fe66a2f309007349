import assert from 'node:assert/strict'
import http from 'node:http'
import { test } from 'node:test'
import { FIRST_KEY } from '../support/call.ts'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, entriesOf, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const notFound = /not found/i

/** A request whose path is sent as it is: fetch would resolve the dots in it. */
function rawStatus(method: string, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(service.url)
  const headers = { authorization: `Bearer ${FIRST_KEY}` }
  return new Promise((resolve, reject) => {
    const request = http.request({ hostname, port, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    request.on('error', reject).end()
  })
}

test('201 creates a setup of which one evaluator is known', async () => {
  const setup = await createSetup(service, { external_id: 'plain' })
  assert.equal(setup.external_id, 'plain')
  assert.deepEqual(entriesOf(setup), ['char-count'])
})

test('201 makes one entry of a slug that is listed twice', async () => {
  const evaluators = ['pii-detector', 'char-count', 'pii-detector']
  assert.deepEqual(entriesOf(await createSetup(service, { external_id: 'twice', evaluators })), [
    'pii-detector',
    'char-count',
  ])
})

test('201 ignores unknown fields and does not let a client choose what the service assigns', async () => {
  const setup = await createSetup(service, {
    external_id: 'assigned',
    colour: 'red',
    id: 'mine',
    org_id: 'mine',
    project_id: 'mine',
    env_project_id: 'mine',
    status: 'completed',
    created_at: '2000-01-01T00:00:00Z',
  })
  assert.equal('colour' in setup, false)
  assert.equal(setup.status, 'pending')
  for (const field of ['id', 'org_id', 'project_id', 'env_project_id']) assert.notEqual(setup[field], 'mine')
  assert.ok(!setup.created_at.startsWith('2000'))
})

test('201 is JSON in UTF-8', async () => {
  const body = { external_id: 'ünï', evaluators: ['char-count'] }
  const answer = await service.call('POST', SETUPS, { body })
  assert.equal(answer.status, 201)
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
  assert.equal(answer.json.external_id, 'ünï')
})

test('400 when the external_id exists, and the stored setup stays', async () => {
  const before = await createSetup(service, { external_id: 'taken', selector: { a: 'b' } })
  const body = { external_id: 'taken', evaluators: ['word-count'] }
  assertError(
    await service.call('POST', SETUPS, { body }),
    400,
    'invalid input: external_id taken already exists',
  )
  assert.deepEqual(await readSetup(service, 'taken'), before)
})

test('201 exactly once for many creates at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const body = { external_id: `race-${round}`, evaluators: ['char-count'] }
    const calls = Array.from({ length: 8 }, () => service.call('POST', SETUPS, { body }))
    const answers = await Promise.all(calls)
    assert.equal(answers.filter(({ status }) => status === 201).length, 1)
    for (const answer of answers.filter(({ status }) => status !== 201)) {
      assertError(answer, 400, `invalid input: external_id race-${round} already exists`)
    }
    const winner = answers.find(({ status }) => status === 201)
    assert.deepEqual(await readSetup(service, `race-${round}`), winner?.json)
  }
})

test('201 tells external ids apart by case, spaces and Unicode form', async () => {
  const ids = ['Case', 'case', 'case ', ' case', 'caf\u00e9', 'cafe\u0301']
  const created = new Set<string>()
  for (const id of ids) created.add((await createSetup(service, { external_id: id })).id)
  assert.equal(created.size, ids.length)
  for (const id of ids) assert.equal((await readSetup(service, id)).external_id, id)
})

for (const id of [
  'team/alpha/v1',
  '/',
  'with space',
  'plus+sign',
  'per%cent',
  'looks%2Fencoded',
  '%',
  '日本語-ü-😀',
  'query?a=b&c=d#e',
  'semi;colon,comma:at@',
  '"quotes"\'',
  'back\\slash',
  '<b>',
  '*',
  ':external_id',
  'bulk',
  '__proto__',
  "'; drop table setups; --",
  'new\nline\ttab',
  'x'.repeat(255),
  'é'.repeat(255),
  '/'.repeat(255),
]) {
  const shown = id.length > 40 ? `${id.slice(0, 3)}... (${id.length})` : JSON.stringify(id)
  test(`200 reads, lists, updates and deletes ${shown} by its encoded path`, async () => {
    const created = await createSetup(service, { external_id: id })
    assert.equal(created.external_id, id)
    assert.deepEqual(await readSetup(service, id), created)
    const list = await service.call('GET', `${SETUPS}?external_id=${encodeURIComponent(id)}`)
    assert.deepEqual(list.json, [created])
    const put = await service.call('PUT', setupPath(id), { body: { entity_type: 'changed' } })
    assert.equal(put.status, 200)
    assert.equal(put.json.external_id, id)
    const bulk = { setups: [{ external_id: id, evaluators: ['word-count'] }] }
    assert.equal((await service.call('POST', `${SETUPS}/bulk`, { body: bulk })).json.setups[0].id, created.id)
    assert.equal((await service.call('DELETE', setupPath(id))).status, 204)
    assertError(await service.call('GET', setupPath(id)), 404, notFound)
  })
}

test('200 decodes a path once, not twice', async () => {
  await createSetup(service, { external_id: 'once%2Ftwice' })
  assertError(await service.call('GET', `${SETUPS}/once%2Ftwice`), 404, notFound)
  assert.equal((await service.call('GET', `${SETUPS}/once%252Ftwice`)).status, 200)
})

test('200 reads ids that are dots, as far as a path can hold them', async () => {
  for (const id of ['...', '.a', '..a']) {
    await createSetup(service, { external_id: id })
    const encoded = id.replaceAll('.', '%2E')
    const answer = await rawStatus('GET', `${SETUPS}/${encoded}`)
    assert.equal(answer.status, 200, answer.text)
    assert.equal(JSON.parse(answer.text).external_id, id)
  }
})

test('400 refuses an external_id of more than 255 characters', async () => {
  const body = { external_id: 'x'.repeat(256), evaluators: ['char-count'] }
  assertError(await service.call('POST', SETUPS, { body }), 400, /^invalid input: external_id .*255/)
})

test('404 for path ids that are longer than any setup has', async () => {
  for (const length of [256, 2000, 6000]) {
    for (const method of ['GET', 'DELETE']) {
      const answer = await service.call(method, `${SETUPS}/${'x'.repeat(length)}`)
      assert.ok(answer.status === 404 || answer.status === 400, `${method} ${length}: ${answer.status}`)
      assert.deepEqual(Object.keys(answer.json), ['error'])
    }
  }
})

test('404 reads by external_id, not by id', async () => {
  const { id } = await createSetup(service, { external_id: 'by-external-id' })
  assertError(await service.call('GET', setupPath(id)), 404, notFound)
})

test('404 for an unknown setup on GET, PUT and DELETE', async () => {
  assertError(await service.call('GET', setupPath('nobody')), 404, notFound)
  assertError(await service.call('PUT', setupPath('nobody'), { body: {} }), 404, notFound)
  assertError(await service.call('DELETE', setupPath('nobody')), 404, notFound)
})

test('204 deletes with an empty body, once', async () => {
  await createSetup(service, { external_id: 'gone' })
  const answer = await service.call('DELETE', setupPath('gone'))
  assert.equal(answer.status, 204)
  assert.equal(answer.text, '')
  assertError(await service.call('DELETE', setupPath('gone')), 404, notFound)
  assertError(await service.call('GET', setupPath('gone')), 404, notFound)
  assert.deepEqual((await service.call('GET', `${SETUPS}?external_id=gone`)).json, [])
})

test('201 gives a new id to a setup that is created again after its deletion', async () => {
  const first = await createSetup(service, { external_id: 'again', entity_type: 'old', selector: { a: 1 } })
  await service.call('DELETE', setupPath('again'))
  const second = await createSetup(service, { external_id: 'again' })
  assert.notEqual(second.id, first.id)
  assert.equal(second.entity_type, '')
  assert.deepEqual(second.init_rules, [])
})

test('204 exactly once for deletes at the same time', async () => {
  await createSetup(service, { external_id: 'delete-race' })
  const calls = Array.from({ length: 6 }, () => service.call('DELETE', setupPath('delete-race')))
  const statuses = (await Promise.all(calls)).map(({ status }) => status).sort()
  assert.deepEqual(statuses, [204, 404, 404, 404, 404, 404])
})
