import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const E = ['char-count']
const good = (id: string) => ({ external_id: id, evaluators: E })
const bulk = (setups: unknown) => service.call('POST', `${SETUPS}/bulk`, { body: { setups } })

test('400 for a create without evaluators in the array', async () => {
  assertError(
    await service.call('POST', SETUPS, { body: { external_id: 'a', evaluators: [] } }),
    400,
    'invalid input: evaluators must contain at least one item',
  )
})

test('400 for an empty batch', async () => {
  assertError(await bulk([]), 400, 'setups must contain at least 1 item')
})

test('400 for more than 100 items, whatever is in them', async () => {
  const items = Array.from({ length: 101 }, (_, n) => good(`many-${n}`))
  assertError(await bulk(items), 400, 'setups exceeds max of 100')
  assertError(await bulk([{}, ...items]), 400, 'setups exceeds max of 100')
  assertError(await service.call('GET', setupPath('many-0')), 404)
})

test('400 for an item without an external_id', async () => {
  assertError(await bulk([good('a'), { evaluators: E }]), 400, 'setups[1]: external_id is required')
  assertError(await bulk([{ external_id: '', evaluators: E }]), 400, 'setups[0]: external_id is required')
})

test('400 for a repeated external_id names both places', async () => {
  assertError(
    await bulk([good('x'), good('a b'), good('y'), good('a b'), good('a b')]),
    400,
    'setups[3]: duplicate external_id a b (also at setups[1])',
  )
})

test('400 for an unknown slug has the value as it is', async () => {
  assertError(
    await bulk([good('a'), { external_id: 'b', evaluators: ['nope'] }]),
    400,
    'setups[1]: evaluators[0]: unknown evaluator slug nope',
  )
  assertError(
    await bulk([{ external_id: 'b', evaluators: ['char-count', 'a "quoted" <slug>'] }]),
    400,
    'setups[0]: evaluators[1]: unknown evaluator slug a "quoted" <slug>',
  )
  assertError(
    await service.call('POST', SETUPS, { body: { external_id: 'b', evaluators: ['nope'] } }),
    400,
    'invalid input: evaluators[0]: unknown evaluator slug nope',
  )
})

test('400 for a bad selector and a bad config in a batch names the item and then the field', async () => {
  const selector = [
    { key: 'k', operator: 'exists', source: 'span_attributes' },
    { key: 'k', source: 'x' },
  ]
  assertError(
    await bulk([good('a'), { ...good('b'), selector }]),
    400,
    /^setups\[1\]: selector\[1\]: source must be one of /,
  )
  assertError(
    await bulk([{ ...good('b'), evaluator_configs: [{ slug: 'char-count', scope: 'x' }] }]),
    400,
    /^setups\[0\]: evaluator_configs\[0\]\.scope must be one of /,
  )
  assertError(
    await bulk([{ external_id: 'b', evaluators: [] }]),
    400,
    'setups[0]: evaluators must contain at least one item',
  )
})

const FAULTS: Record<string, [item: unknown, message: RegExp]> = {
  'an unknown slug': [{ external_id: 'u', evaluators: ['nope'] }, /unknown evaluator slug nope$/],
  'no external_id': [{ evaluators: E }, /external_id is required$/],
  'a duplicate': [good('first'), /duplicate external_id first \(also at setups\[0\]\)$/],
  'a bad selector': [{ ...good('s'), selector: [{ key: 'k' }] }, /selector\[0\]/],
  'a bad map': [{ ...good('m'), selector: { a: null } }, /selector/],
  'a bad config': [{ ...good('c'), evaluator_configs: [{ slug: 'char-count', scope: 'x' }] }, /scope/],
  'an empty evaluators': [{ external_id: 'e', evaluators: [] }, /evaluators must contain at least one item$/],
  'a wrong type': [{ external_id: 7, evaluators: E }, /external_id/],
  'no object': ['text', /./],
}
for (const [early, [earlyItem, message]] of Object.entries(FAULTS)) {
  test(`400 names ${early} at index 2 before any other fault at index 3`, async () => {
    for (const [lateItem] of Object.values(FAULTS)) {
      const answer = await bulk([good('first'), good('second'), earlyItem, lateItem])
      assertError(answer, 400, new RegExp(`^setups\\[2\\]: .*${message.source}`))
    }
  })
}

test('404 for an unknown setup is the error object', async () => {
  for (const method of ['GET', 'DELETE']) {
    assertError(await service.call(method, setupPath('nobody')), 404, /not found/i)
  }
})

for (const route of [
  '/v2',
  '/v2/nope',
  '/v1/auto-monitor-setups',
  `${SETUPS}/a/b`,
  '/V2/auto-monitor-setups',
]) {
  test(`404 for the unknown route ${route}`, async () => {
    for (const method of ['GET', 'POST', 'DELETE']) assertError(await service.call(method, route), 404)
  })
}

for (const [method, route, allowed] of [
  ['PUT', SETUPS, ['GET', 'POST']],
  ['PATCH', SETUPS, ['GET', 'POST']],
  ['DELETE', SETUPS, ['GET', 'POST']],
  ['OPTIONS', SETUPS, ['GET', 'POST']],
  ['POST', `${SETUPS}/x`, ['GET', 'PUT', 'DELETE']],
  ['PATCH', `${SETUPS}/x`, ['GET', 'PUT', 'DELETE']],
  ['PATCH', `${SETUPS}/bulk`, ['POST']],
  ['GET', '/v2/organizations', ['POST']],
  ['PUT', '/v2/api-keys', ['GET', 'POST']],
  ['GET', '/v2/api-keys/x', ['DELETE']],
  ['POST', '/healthz', ['GET']],
  ['DELETE', '/openapi.json', ['GET']],
  ['POST', '/', ['GET', 'HEAD']],
  ['DELETE', '/', ['GET', 'HEAD']],
  ['PUT', '/setups/x', ['GET', 'HEAD']],
] as const) {
  test(`405 for ${method} ${route} says what is allowed`, async () => {
    const answer = await service.call(method, route)
    assertError(answer, 405)
    const allow = (answer.headers.get('allow') ?? '').split(/,\s*/)
    for (const each of allowed) assert.ok(allow.includes(each), `${each} in ${allow}`)
    assert.ok(!allow.includes(method))
  })
}

test('405 with a body that is not JSON stays a 405', async () => {
  assertError(await service.call('PATCH', SETUPS, { body: '{' }), 405)
})

for (const id of ['%', '%zz', '%e', '%ff', '%c3%28', '%ed%a0%80']) {
  test(`400 for the path id ${id}, which does not decode`, async () => {
    for (const method of ['GET', 'DELETE']) assertError(await service.call(method, `${SETUPS}/${id}`), 400)
    assertError(await service.call('PUT', `${SETUPS}/${id}`, { body: {} }), 400)
  })
}

test('204 for a DELETE with a JSON content type and no body', async () => {
  await createSetup(service, { external_id: 'typed' })
  const headers = { 'content-type': 'application/json' }
  const answer = await service.call('DELETE', setupPath('typed'), { headers })
  assert.equal(answer.status, 204)
  assert.equal(answer.text, '')
})

test('500 says nothing about its cause, which is in the log', async () => {
  const broken = await startRestingService()
  await createSetup(broken, { external_id: 'a' })
  // The test destroys the tables under the running service: the one way to provoke an outage from outside.
  const tables = (await broken.store.tableNames()).filter((name) => name.includes('setup'))
  assert.ok(tables.length > 0)
  for (const name of tables) await broken.store.run(`ALTER TABLE "${name}" RENAME TO "gone_${name}"`)
  for (const [method, route, body] of [
    ['GET', SETUPS, undefined],
    ['GET', `${SETUPS}/a`, undefined],
    ['DELETE', `${SETUPS}/a`, undefined],
    ['PUT', `${SETUPS}/a`, {}],
    ['POST', SETUPS, good('b')],
    ['POST', `${SETUPS}/bulk`, { setups: [good('c')] }],
  ] as const) {
    const answer = await broken.call(method, route, { body })
    assertError(answer, 500, 'internal server error')
    assert.equal(answer.text, '{"error":"internal server error"}')
  }
  assert.ok(
    broken.logLines.some((line) => line.startsWith('error') && /no such table|does not exist/.test(line)),
  )
  assert.equal((await broken.call('GET', '/healthz')).status, 200)
})

test('405 with Allow for methods of every kind, and no body is read for them', async () => {
  for (const method of ['PATCH', 'OPTIONS', 'PROPFIND', 'QUERY', 'SEARCH']) {
    const answer = await service.call(method, SETUPS, { key: null })
    assert.deepEqual([method, answer.status, answer.headers.get('allow')], [method, 405, 'GET, HEAD, POST'])
  }
})

test('400 for a batch without setups, as for an empty one', async () => {
  for (const body of [{}, { setups: null }])
    assertError(
      await service.call('POST', `${SETUPS}/bulk`, { body }),
      400,
      'setups must contain at least 1 item',
    )
})

test('400 names the index of an item whose external_id is null', async () => {
  assertError(
    await bulk([good('a'), { external_id: null, evaluators: E }]),
    400,
    'setups[1]: external_id is required',
  )
})

for (const externalId of ['.', '..'])
  test(`400 for the external_id ${externalId}, which no client can put into a path`, async () => {
    const body = { external_id: externalId, evaluators: E }
    const message = 'external_id must not be . or .., which URLs cannot hold'
    assertError(await service.call('POST', SETUPS, { body }), 400, `invalid input: ${message}`)
    assertError(await bulk([good('a'), body]), 400, `setups[1]: ${message}`)
  })
