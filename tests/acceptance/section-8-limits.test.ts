import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { assertError, createSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const items = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, n) => ({ external_id: `${prefix}-${n}`, evaluators: ['char-count'] }))
const bulk = (setups: unknown) => service.call('POST', `${SETUPS}/bulk`, { body: { setups } })

for (const count of [1, 99, 100]) {
  test(`200 for a batch of ${count}`, async () => {
    const answer = await bulk(items(count, `batch-${count}`))
    assert.equal(answer.status, 200, answer.text)
    assert.deepEqual(
      answer.json.setups.map((setup: { external_id: string }) => setup.external_id),
      items(count, `batch-${count}`).map(({ external_id: id }) => id),
    )
  })
}

test('200 for a batch of 100 that replaces 100', async () => {
  const before = (await bulk(items(100, 'again'))).json.setups
  const after = (await bulk(items(100, 'again'))).json.setups
  const idOf = ({ id }: { id: string }) => id
  assert.deepEqual(after.map(idOf), before.map(idOf))
})

for (const count of [101, 200, 1000]) {
  test(`400 for a batch of ${count} writes nothing`, async () => {
    assertError(await bulk(items(count, `over-${count}`)), 400, 'setups exceeds max of 100')
    assertError(await service.call('GET', setupPath(`over-${count}-0`)), 404)
  })
}

test('400 for a batch of none', async () => {
  assertError(await bulk([]), 400, 'setups must contain at least 1 item')
})

test('201 for one evaluator and 400 for none', async () => {
  await createSetup(service, { external_id: 'one', evaluators: ['char-count'] })
  assertError(
    await service.call('POST', SETUPS, { body: { external_id: 'none', evaluators: [] } }),
    400,
    'invalid input: evaluators must contain at least one item',
  )
})

test('an external_id is unique in a project: 400 on create, one setup after a batch', async () => {
  const { id } = await createSetup(service, { external_id: 'unique' })
  assertError(
    await service.call('POST', SETUPS, { body: { external_id: 'unique', evaluators: ['char-count'] } }),
    400,
    'invalid input: external_id unique already exists',
  )
  const [setup] = (await bulk([{ external_id: 'unique', evaluators: ['char-count'] }])).json.setups
  assert.equal(setup.id, id)
  assert.equal((await service.call('GET', `${SETUPS}?external_id=unique`)).json.length, 1)
})

test('400 for an external_id that is twice in a batch, though each item is valid', async () => {
  const setups = [...items(98, 'twin'), ...items(1, 'twin')]
  assertError(await bulk(setups), 400, 'setups[98]: duplicate external_id twin-0 (also at setups[0])')
})

test('255 characters are the most that an external_id has, alone and in a batch', async () => {
  await createSetup(service, { external_id: 'a'.repeat(255) })
  const body = { external_id: 'a'.repeat(256), evaluators: ['char-count'] }
  assertError(await service.call('POST', SETUPS, { body }), 400, /255/)
  assertError(await bulk([...items(1, 'short'), body]), 400, /^setups\[1\]: external_id .*255/)
  assert.equal((await bulk([{ ...body, external_id: 'ä'.repeat(255) }])).status, 200)
})

test('200 lists more setups than a batch has without a limit', async () => {
  for (const part of ['x', 'y', 'z']) assert.equal((await bulk(items(100, `all-${part}`))).status, 200)
  const list = (await service.call('GET', SETUPS)).json as { external_id: string }[]
  assert.equal(list.filter(({ external_id: id }) => id.startsWith('all-')).length, 300)
})

test('413 for a body of more than 2 MiB that configures something; an evaluation may be larger', async () => {
  const padding = 'x'.repeat(2_200_000)
  const body = { external_id: 'large', evaluators: ['char-count'], padding }
  assertError(await service.call('POST', SETUPS, { body }), 413)
  const executed = await service.call('POST', '/v2/evaluators/char-count/execute', {
    body: { input: { text: padding } },
  })
  assert.deepEqual([executed.status, executed.json], [200, { char_count: 2_200_000 }])
})

test('400 for a selector, a mapping or a config with the key __proto__, which must not get lost', async () => {
  for (const [part, place] of [
    ['"selector":{"__proto__":"x"}', 'selector'],
    [
      '"evaluator_configs":[{"slug":"char-count","mapping":{"__proto__":{}}}]',
      'evaluator_configs[0].mapping',
    ],
    ['"evaluator_configs":[{"slug":"char-count","config":{"__proto__":1}}]', 'evaluator_configs[0].config'],
  ]) {
    const body = `{"external_id":"proto","evaluators":["char-count"],${part}}`
    for (const [method, path] of [
      ['POST', SETUPS],
      ['PUT', setupPath('proto')],
    ] as const) {
      assertError(
        await service.call(method, path, { body }),
        400,
        `invalid input: ${place} must not contain the key __proto__`,
      )
    }
  }
})

test('400 for limits that are not plain digits', async () => {
  for (const limit of ['1e2', '0x10', '%201', '+5', '1.0', '0', '1001', '']) {
    assertError(await service.call('GET', `${SETUPS}?limit=${limit}`), 400)
  }
})

test('404 for a path id of any length, 400 for a content encoding that is only a word of the language', async () => {
  assertError(await service.call('GET', setupPath('x'.repeat(9_000))), 404)
  const body = { external_id: 'e', evaluators: ['char-count'] }
  assertError(
    await service.call('POST', SETUPS, { body, headers: { 'content-encoding': 'constructor' } }),
    400,
  )
})
