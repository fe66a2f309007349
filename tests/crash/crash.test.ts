import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { runCrashRounds } from './crash-rounds.ts'

// The short form; npm run test:crash -- --rounds 100 is the long one.
test('acknowledged writes survive kill -9 and no bulk request is stored in part', async () => {
  const report = await runCrashRounds(temporaryDirectory(), 4)
  assert.equal(report.lost, 0)
  assert.equal(report.torn, 0)
  assert.ok(report.acknowledged > 0, 'nothing was acknowledged, so nothing was tested')
})
