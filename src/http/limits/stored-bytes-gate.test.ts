import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import type { ResourceUse } from '../../domain/limits.ts'
import { StoredBytesGate } from './stored-bytes-gate.ts'

function gateOver(bytes: Record<string, number>) {
  const store = { nowMs: 0, reads: [] as string[], isAway: false }
  const storage = {
    async readResourceUse({ orgId }: { orgId: string }): Promise<ResourceUse> {
      store.reads.push(orgId)
      if (store.isAway) throw new Error('away')
      return { storedBytes: bytes[orgId] ?? 0, setups: 0, projects: 0, apiKeys: 0, customEvaluators: 0 }
    },
  }
  const gate = new StoredBytesGate(storage, recordingLogger([]), () => store.nowMs)
  return { store, check: (orgId: string, limit: number) => gate.requireRoom({ orgId }, limit) }
}

test('an organization that has reached its limit is refused with the remedy, another one is not', async () => {
  const { check } = gateOver({ full: 100, other: 99 })
  await assert.rejects(check('full', 100), {
    kind: 'limit_reached',
    message:
      'limit reached: the organization has 100 bytes of spans and may have at most 100; delete traces, or ask the operator ' +
      'to raise stored_bytes',
  })
  await check('other', 100)
})

test('the store is asked once in a second, and not at all without a limit', async () => {
  const bytes = { org: 1 }
  const { store, check } = gateOver(bytes)
  await check('org', 0)
  assert.deepEqual(store.reads, [])
  for (let at = 0; at < 10; at++) await check('org', 100)
  assert.equal(store.reads.length, 1)
  bytes.org = 100
  store.nowMs = 1_000
  // This one has it read again, and the next ones know.
  await check('org', 100)
  await setImmediate()
  assert.equal(store.reads.length, 2)
  await assert.rejects(check('org', 100))
  bytes.org = 99
  store.nowMs = 2_000
  await assert.rejects(check('org', 100))
  await setImmediate()
  await check('org', 100)
})

test('a store that does not answer holds up nobody for long', async () => {
  const gate = new StoredBytesGate({ readResourceUse: () => new Promise(() => {}) }, recordingLogger([]))
  await gate.requireRoom({ orgId: 'org' }, 1)
})

test('a store that is away turns nobody away who was not already', async () => {
  const { store, check } = gateOver({ full: 100 })
  store.isAway = true
  await check('full', 100)
  store.isAway = false
  await assert.rejects(check('full', 100))
  store.isAway = true
  store.nowMs = 60_000
  await assert.rejects(check('full', 100))
})
