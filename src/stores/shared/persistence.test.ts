import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PublicError } from '../../lib/public-error.ts'
import { Persistence } from './persistence.ts'

const away = () => new PublicError('unavailable', 'the store is not available at the moment')

test('does what an outage has kept from being done when it is over, once', async () => {
  const persistence = new Persistence()
  let calls = 0
  await persistence.do(async () => {
    calls++
    if (calls < 2) throw away()
  })
  while (calls < 2) await sleep(20)
  await sleep(1_500)
  assert.equal(calls, 2)
  await persistence.close()
})

test('tells every other fault, and gives up when it is closed', async () => {
  const persistence = new Persistence()
  await assert.rejects(
    persistence.do(() => Promise.reject(new Error('wrong'))),
    /wrong/,
  )
  await persistence.do(() => Promise.reject(away()))
  await persistence.close()
})
