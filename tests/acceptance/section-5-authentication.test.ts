import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FIRST_KEY, startService } from '../support/service.ts'

const service = await startService()

test('200 with the key in a Bearer header', async () => {
  const answer = await service.call('GET', '/v2/auto-monitor-setups')
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, [])
})

for (const [name, authorization] of [
  ['without the header', undefined],
  ['with another scheme', `Basic ${FIRST_KEY}`],
  ['with the bare key', FIRST_KEY],
  ['with an unknown key', 'Bearer tl_nobody-knows-this-key'],
  ['with an empty key', 'Bearer '],
  ['with something after the key', `Bearer ${FIRST_KEY} more`],
] as const) {
  test(`401 ${name}`, async () => {
    const answer = await service.call('GET', '/v2/auto-monitor-setups', {
      key: null,
      headers: authorization === undefined ? {} : { authorization },
    })
    assert.equal(answer.status, 401)
    assert.deepEqual(answer.json, { error: 'Unauthorized' })
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
  })
}

test('401 comes before the body is looked at', async () => {
  const answer = await service.call('POST', '/v2/auto-monitor-setups', { key: null, body: 'not json' })
  assert.equal(answer.status, 401)
})
