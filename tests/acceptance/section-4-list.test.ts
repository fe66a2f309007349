import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService, type TestService } from '../support/service.ts'
import { assertError, createSetup, SETUPS, setupPath } from './setup-calls.ts'

const ids = Array.from({ length: 23 }, (_, n) => `setup-${String((n * 7) % 23).padStart(2, '0')}`)
const service = await startRestingService()
for (const id of ids) await createSetup(service, { external_id: id })

const idsOf = (list: { external_id: string }[]) => list.map(({ external_id: id }) => id)

async function walk(target: TestService, limit: number, filter = '') {
  const pages: string[][] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    assert.ok(pages.length < 100, 'the walk ends')
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await target.call('GET', `${SETUPS}?limit=${limit}${from}${filter}`)
    assert.equal(answer.status, 200, answer.text)
    assert.ok(answer.json.length <= limit)
    pages.push(idsOf(answer.json))
    cursor = answer.headers.get('x-next-cursor')
  }
  return pages
}

test('200 is an empty array on an empty project', async () => {
  const fresh = await startRestingService()
  const answer = await fresh.call('GET', SETUPS)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.json, [])
  assert.deepEqual((await fresh.call('GET', `${SETUPS}?limit=5`)).json, [])
})

test('200 is a bare array of all setups in a stable order, without a cursor', async () => {
  const answer = await service.call('GET', SETUPS)
  assert.equal(answer.status, 200)
  assert.ok(Array.isArray(answer.json))
  assert.deepEqual(idsOf(answer.json).sort(), ids.toSorted())
  assert.equal(answer.headers.get('x-next-cursor'), null)
  for (let n = 0; n < 3; n++) assert.deepEqual((await service.call('GET', SETUPS)).json, answer.json)
})

test('200 keeps the order when a setup is updated', async () => {
  const before = idsOf((await service.call('GET', SETUPS)).json)
  for (const id of [ids[3], ids[11]]) await service.call('PUT', setupPath(id ?? ''), { body: {} })
  const setups = [{ external_id: ids[5], evaluators: ['word-count'] }]
  await service.call('POST', `${SETUPS}/bulk`, { body: { setups } })
  assert.deepEqual(idsOf((await service.call('GET', SETUPS)).json), before)
})

test('200 filters by external_id exactly', async () => {
  assert.deepEqual(idsOf((await service.call('GET', `${SETUPS}?external_id=setup-03`)).json), ['setup-03'])
  for (const other of ['setup-0', 'SETUP-03', 'setup-%25', 'setup-__']) {
    assert.deepEqual((await service.call('GET', `${SETUPS}?external_id=${other}`)).json, [])
  }
})

test('200 filters by status', async () => {
  assert.equal((await service.call('GET', `${SETUPS}?status=pending`)).json.length, 23)
  assert.deepEqual((await service.call('GET', `${SETUPS}?status=completed`)).json, [])
})

test('200 for an empty filter is the whole list', async () => {
  for (const filter of ['status=', 'external_id=', 'status=&external_id='])
    assert.equal((await service.call('GET', `${SETUPS}?${filter}`)).json.length, 23, filter)
})

test('200 is empty for an unknown status', async () => {
  for (const status of ['active', 'PENDING', 'pending,completed', '%27%20or%201%3D1', 'constructor']) {
    const answer = await service.call('GET', `${SETUPS}?status=${status}`)
    assert.equal(answer.status, 200)
    assert.deepEqual(answer.json, [])
  }
})

test('200 holds both filters at once', async () => {
  const both = await service.call('GET', `${SETUPS}?status=pending&external_id=setup-04`)
  assert.deepEqual(idsOf(both.json), ['setup-04'])
  const none = await service.call('GET', `${SETUPS}?status=failed&external_id=setup-04`)
  assert.deepEqual(none.json, [])
})

test('200 ignores unknown query fields', async () => {
  assert.equal((await service.call('GET', `${SETUPS}?colour=red`)).json.length, 23)
})

for (const limit of [1, 5, 22, 23, 24, 100]) {
  test(`200 pages through every setup once, in the order of the list, by ${limit}`, async () => {
    const all = idsOf((await service.call('GET', SETUPS)).json)
    const pages = await walk(service, limit)
    assert.deepEqual(pages.flat(), all)
    for (const page of pages.slice(0, -1)) assert.equal(page.length, limit)
  })
}

test('200 has a cursor while more follows and none on the last page', async () => {
  const first = await service.call('GET', `${SETUPS}?limit=22`)
  const cursor = first.headers.get('x-next-cursor')
  assert.ok(cursor)
  const last = await service.call('GET', `${SETUPS}?limit=22&cursor=${encodeURIComponent(cursor)}`)
  assert.equal(last.json.length, 1)
  assert.equal(last.headers.get('x-next-cursor'), null)
})

test('200 pages with a filter', async () => {
  assert.equal((await walk(service, 4, '&status=pending')).flat().length, 23)
  assert.deepEqual((await walk(service, 4, '&status=failed')).flat(), [])
})

test('200 neither repeats nor skips when setups come and go between pages', async () => {
  const other = await startRestingService()
  for (const id of ids) await createSetup(other, { external_id: id })
  const order = idsOf((await other.call('GET', SETUPS)).json)
  const first = await other.call('GET', `${SETUPS}?limit=10`)
  const seen = idsOf(first.json)
  const cursor = encodeURIComponent(first.headers.get('x-next-cursor') ?? '')
  await other.call('DELETE', setupPath(seen[9] ?? ''))
  await other.call('DELETE', setupPath(seen[0] ?? ''))
  await other.call('DELETE', setupPath(order[12] ?? ''))
  await createSetup(other, { external_id: 'late' })
  const rest = await other.call('GET', `${SETUPS}?cursor=${cursor}&limit=1000`)
  const expected = order.slice(10).filter((id) => id !== order[12])
  assert.deepEqual(
    idsOf(rest.json).filter((id) => id !== 'late'),
    expected,
  )
})

for (const limit of ['0', '-1', '1.5', 'ten', '', '1e400', 'NaN']) {
  test(`400 refuses the limit "${limit}"`, async () => {
    assertError(await service.call('GET', `${SETUPS}?limit=${limit}`), 400, /^invalid input: limit /)
  })
}

test('a cursor that the service did not make never gives a 500 nor setups out of order', async () => {
  for (const cursor of ['zzz', '%00', '%F0%9F%98%80', "'", 'x'.repeat(3000)]) {
    const answer = await service.call('GET', `${SETUPS}?limit=3&cursor=${cursor}`)
    assert.ok(answer.status === 200 || answer.status === 400, `${cursor}: ${answer.status} ${answer.text}`)
  }
})

test('a filter that is given twice never gives a 500', async () => {
  const answer = await service.call('GET', `${SETUPS}?status=pending&status=failed`)
  assert.ok(answer.status === 200 || answer.status === 400, answer.text)
})

test('200 lists more setups than are read at a time, each once and in order', async () => {
  const many = await startRestingService()
  const ids = Array.from({ length: 1_001 }, (_, at) => `many-${at}`)
  for (let start = 0; start < ids.length; start += 100) {
    const setups = ids
      .slice(start, start + 100)
      .map((external_id) => ({ external_id, evaluators: ['char-count'] }))
    assert.equal((await many.call('POST', '/v2/auto-monitor-setups/bulk', { body: { setups } })).status, 200)
  }
  const namesIn = (setups: { external_id: string }[]) => setups.map(({ external_id }) => external_id)
  const all = await many.call('GET', '/v2/auto-monitor-setups')
  assert.deepEqual(namesIn(all.json), ids)
  assert.equal(all.headers.get('content-type'), 'application/json; charset=utf-8')
  const rest = await many.call('GET', `/v2/auto-monitor-setups?cursor=${all.json[499].id}`)
  assert.deepEqual(namesIn(rest.json), ids.slice(500))
})
