import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { startCounter } from './counting-judge.ts'
import { runCrashRounds } from './crash-rounds.ts'
import { runSpanCrashRounds } from './span-crash-rounds.ts'

// The short forms; npm run test:crash -- --rounds 100 is the long one.
test('acknowledged writes survive kill -9 and no bulk request is stored in part', async () => {
  const report = await runCrashRounds(temporaryDirectory(), 4)
  assert.equal(report.lost, 0)
  assert.equal(report.torn, 0)
  assert.ok(report.acknowledged > 0, 'nothing was acknowledged, so nothing was tested')
})

test('acknowledged spans survive kill -9, and each of them is scored exactly once', async () => {
  const {
    rounds,
    acknowledged,
    slowestResumeMs: _,
    ...faults
  } = await runSpanCrashRounds(temporaryDirectory(), 4)
  assert.deepEqual(faults, { lost: 0, doubled: 0, wrong: 0, miscounted: 0 })
  assert.ok(acknowledged > 20, `only ${acknowledged} spans were acknowledged in ${rounds} rounds`)
})

test('spans that wait for a judge survive kill -9, are scored exactly once, and few calls are paid again', async () => {
  const judge = await startCounter()
  const {
    acknowledged,
    rounds,
    slowestResumeMs: _,
    ...faults
  } = await runSpanCrashRounds(temporaryDirectory(), 4, { judgeUrl: judge.url })
  await judge.close()
  assert.deepEqual(faults, { lost: 0, doubled: 0, wrong: 0, miscounted: 0 })
  assert.ok(acknowledged > 20, `only ${acknowledged} spans were acknowledged in ${rounds} rounds`)
  const paidAgain = judge.calls() - acknowledged
  assert.ok(paidAgain <= acknowledged, `${paidAgain} of ${acknowledged} calls were paid again`)
})
