import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SpendAccount, type StoredSpend } from './spend-account.ts'

const NOON_MS = Date.UTC(2026, 4, 15, 12)
const MIDNIGHT_MS = Date.UTC(2026, 4, 16)

test('what others have stored is looked at again after a tenth of a second, and not before', async () => {
  const { account, clock, store } = open(10)
  await account.upToDate()
  store.micros = 50
  clock.atMs += 99
  await account.upToDate()
  assert.equal(spentOf(account), 10)
  clock.atMs += 1
  await account.upToDate()
  assert.equal(spentOf(account), 50)
})

test('what is spent while the store is read counts on top, until the next look has found it there', async () => {
  const { account, clock, store } = open(10)
  const looking = account.upToDate()
  account.spend(5)
  await looking
  assert.equal(spentOf(account), 15)
  store.micros = 15
  clock.atMs += 1_000
  await account.upToDate()
  assert.equal(spentOf(account), 15)
})

test('what could not be written is not forgotten for what is stored', async () => {
  const { account, clock, store } = open(10)
  await account.upToDate()
  account.spend(5)
  store.isComplete = false
  clock.atMs += 1_000
  await account.upToDate()
  assert.equal(spentOf(account), 15)
})

test('while the store is away, what is known counts; without anything known there is no answer', async () => {
  const { account, clock, store } = open(10)
  store.isAway = true
  await assert.rejects(account.upToDate())
  store.isAway = false
  await account.upToDate()
  account.spend(5)
  store.isAway = true
  clock.atMs += 1_000
  await account.upToDate()
  assert.equal(spentOf(account), 15)
})

test('what was read as midnight passed is not taken for the new day', async () => {
  const { account, clock, store } = open(10)
  clock.atMs = MIDNIGHT_MS - 1
  const looking = account.upToDate()
  clock.atMs = MIDNIGHT_MS
  store.micros = 3
  await looking
  assert.equal(spentOf(account), 3)
})

function open(micros: number) {
  const clock = { atMs: NOON_MS }
  const store = { micros, isComplete: true, isAway: false }
  const read = async (): Promise<StoredSpend> => {
    const { isComplete, isAway } = store
    const totals = { dayMicros: store.micros, monthMicros: store.micros }
    if (isAway) throw new Error('away')
    return { totals, isComplete }
  }
  return { account: new SpendAccount(() => clock.atMs, read), clock, store }
}

/** The smallest budget that what was spent fits into. */
function spentOf(account: SpendAccount): number {
  let dayMicros = 0
  while (account.exhausted({ dayMicros, updatedAtMs: 0 }, 0)) dayMicros++
  return dayMicros
}
