import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Principal } from '../../domain/tenant.ts'
import { recentPrincipals } from './recent-principals.ts'

const principal = { keyId: 'key' } as Principal

function senders() {
  const store = { nowMs: 0, asked: 0, state: 'works' as 'works' | 'away' | 'silent', isRevoked: false }
  const source = recentPrincipals(
    {
      system: {
        async findPrincipal(secretHash) {
          store.asked++
          if (store.state === 'away') throw new Error('away')
          if (store.state === 'silent') return new Promise(() => {})
          return store.isRevoked ? undefined : { principal, secretHash }
        },
      },
    },
    () => store.nowMs,
  )
  const find = async () => (await source.system.findPrincipal('hash'))?.principal.keyId
  return { store, find }
}

test('a key is asked for once in two seconds', async () => {
  const { store, find } = senders()
  for (const atMs of [0, 1_000, 1_999]) {
    store.nowMs = atMs
    assert.equal(await find(), 'key')
  }
  assert.equal(store.asked, 1)
  store.nowMs = 2_000
  await find()
  assert.equal(store.asked, 2)
})

test('a revoked key ends after two seconds, also for the outage that follows', async () => {
  const { store, find } = senders()
  await find()
  store.isRevoked = true
  store.nowMs = 2_000
  assert.equal(await find(), undefined)
  store.state = 'away'
  await assert.rejects(find(), /away/)
})

test('while the store is away or silent a key is good for ten minutes', async () => {
  for (const state of ['away', 'silent'] as const) {
    const { store, find } = senders()
    await find()
    store.state = state
    store.nowMs = 599_999
    assert.equal(await find(), 'key')
  }
  const { store, find } = senders()
  await find()
  store.state = 'away'
  store.nowMs = 600_000
  await assert.rejects(find(), /away/)
})

test('a key that nobody has shown is no good while the store is away', async () => {
  const { store, find } = senders()
  store.state = 'away'
  await assert.rejects(find(), /away/)
})
