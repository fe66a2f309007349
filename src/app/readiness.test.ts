import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Readiness } from './readiness.ts'

test('asks what it needs at most once a second, however often it is asked, and tells a failure as well', async () => {
  let nowMs = 0
  let pings = 0
  let fault: Error | undefined
  const needed = {
    async ping() {
      pings++
      if (fault) throw fault
    },
  }
  const readiness = new Readiness([needed], () => nowMs)
  await Promise.all([readiness.check(), readiness.check()])
  fault = new Error('gone')
  await readiness.check()
  assert.equal(pings, 1)
  nowMs = 1_001
  await assert.rejects(readiness.check(), /gone/)
  await assert.rejects(readiness.check(), /gone/)
  assert.equal(pings, 2)
  fault = undefined
  nowMs = 2_002
  await readiness.check()
})

test('a process that is leaving is not ready, whatever was said before', async () => {
  const readiness = new Readiness([])
  await readiness.check()
  readiness.leave()
  await assert.rejects(readiness.check(), /shutting down/)
})
