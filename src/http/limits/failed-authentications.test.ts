import assert from 'node:assert/strict'
import { test } from 'node:test'
import { forbidden, unauthorized } from '../../domain/errors.ts'
import { PublicError } from '../../lib/public-error.ts'
import { FailedAuthentications } from './failed-authentications.ts'

function failures(perMinute: number) {
  const clock = { nowMs: 0 }
  const failed = new FailedAuthentications(perMinute, () => clock.nowMs)
  const kindOf = (address: string, error: unknown = unauthorized()) =>
    (failed.judge(error, address) as PublicError).kind
  return { clock, failed, kindOf }
}

test('failures up to the limit are answered as they are, further ones with when to try again', () => {
  const { clock, failed, kindOf } = failures(60)
  for (let at = 0; at < 60; at++) assert.equal(kindOf('192.0.2.1'), 'unauthorized')
  const judged = failed.judge(unauthorized(), '192.0.2.1')
  assert.ok(judged instanceof PublicError)
  assert.deepEqual([judged.kind, judged.retryAfterMs], ['rate_limited', 1_000])
  assert.equal(kindOf('192.0.2.2'), 'unauthorized')
  clock.nowMs += 1_000
  assert.equal(kindOf('192.0.2.1'), 'unauthorized')
  assert.equal(kindOf('192.0.2.1'), 'rate_limited')
})

test('addresses of one IPv6 network count as one', () => {
  const { kindOf } = failures(1)
  assert.equal(kindOf('2001:db8:1:2::1'), 'unauthorized')
  assert.equal(kindOf('2001:db8:1:2::ffff'), 'rate_limited')
  assert.equal(kindOf('2001:db8:1:3::1'), 'unauthorized')
})

test('only failed authentications count', () => {
  const { kindOf } = failures(1)
  for (let at = 0; at < 5; at++) assert.equal(kindOf('192.0.2.1', forbidden('no')), 'forbidden')
  assert.equal(kindOf('192.0.2.1'), 'unauthorized')
})

test('any number of addresses takes a bounded amount of memory', () => {
  const { failed } = failures(1)
  for (let at = 0; at < 30_000; at++) failed.judge(unauthorized(), `10.0.${at >> 8}.${at & 255}`)
  assert.equal(failed.size, 10_000)
})

test('0 is no limit', () => {
  const { failed, kindOf } = failures(0)
  for (let at = 0; at < 1_000; at++) assert.equal(kindOf('192.0.2.1'), 'unauthorized')
  assert.equal(failed.size, 0)
})
