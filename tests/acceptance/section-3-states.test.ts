import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRestingService } from '../support/service.ts'
import { createSetup, entriesOf, readSetup, SETUPS, setupPath } from './setup-calls.ts'

const service = await startRestingService()
const STATUSES = ['pending', 'in_progress', 'waiting_for_spans', 'completed', 'partial', 'failed']

interface Setup {
  status: string
  evaluators: { status: string; evaluator_type: string }[]
}

function assertPending(setup: Setup): void {
  assert.equal(setup.status, 'pending')
  assert.ok(setup.evaluators.length > 0)
  for (const entry of setup.evaluators) assert.equal(entry.status, 'pending')
}

test('201 starts as pending with every entry pending', async () => {
  assertPending(
    await createSetup(service, { external_id: 'new', evaluators: ['char-count', 'pii-detector'] }),
  )
})

test('200 starts a new bulk item as pending with every entry pending', async () => {
  const body = { setups: [{ external_id: 'bulk-new', evaluators: ['char-count', 'word-count'] }] }
  const answer = await service.call('POST', `${SETUPS}/bulk`, { body })
  assert.equal(answer.status, 200)
  for (const setup of answer.json.setups) assertPending(setup)
})

test('200 brings a setup back to pending and replaces its evaluators wholesale on PUT', async () => {
  await createSetup(service, { external_id: 'put', evaluators: ['char-count', 'pii-detector'] })
  const body = { evaluators: ['word-count'] }
  const answer = await service.call('PUT', setupPath('put'), { body })
  assert.equal(answer.status, 200)
  assertPending(answer.json)
  assert.deepEqual(entriesOf(answer.json), ['word-count'])
  assert.deepEqual(entriesOf(await readSetup(service, 'put')), ['word-count'])
})

test('200 brings a setup back to pending on an empty PUT', async () => {
  await createSetup(service, { external_id: 'put-empty' })
  const answer = await service.call('PUT', setupPath('put-empty'), { body: {} })
  assert.equal(answer.status, 200)
  assertPending(answer.json)
})

test('200 brings a setup back to pending and replaces its evaluators wholesale on bulk', async () => {
  await createSetup(service, { external_id: 'bulk-old', evaluators: ['char-count', 'pii-detector'] })
  const body = { setups: [{ external_id: 'bulk-old', evaluators: ['word-count', 'char-count'] }] }
  const answer = await service.call('POST', `${SETUPS}/bulk`, { body })
  assert.equal(answer.status, 200)
  assertPending(answer.json.setups[0])
  assert.deepEqual(entriesOf(answer.json.setups[0]), ['word-count', 'char-count'])
})

test('200 lists every setup under one of the six statuses and the status filter splits the list', async () => {
  const all = (await service.call('GET', SETUPS)).json as Setup[]
  assert.ok(all.length >= 5)
  let counted = 0
  for (const status of STATUSES) {
    const some = (await service.call('GET', `${SETUPS}?status=${status}`)).json as Setup[]
    for (const setup of some) assert.equal(setup.status, status)
    counted += some.length
  }
  assert.equal(counted, all.length)
})
