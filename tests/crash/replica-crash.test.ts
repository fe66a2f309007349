import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithoutNats } from '../support/nats-server.ts'
import { runReplicaCrashRounds } from './replica-crash-rounds.ts'

// The short forms; npm run test:crash -- --store postgres|cluster --rounds 100 is the long one.
for (const { rung, rounds, skip } of [
  { rung: 'postgres', rounds: 3, skip: false },
  { rung: 'cluster', rounds: 4, skip: skipWithoutNats },
] as const) {
  test(`acknowledged spans survive the loss of any part of a ${rung}, and each of them is scored exactly once`, {
    skip,
    // Ten processes share the machine; on a busy one all of them start again and again.
    timeout: 1_500_000,
  }, async () => {
    const { acknowledged, lost, doubled, wrong, miscounted, leftInStream, killed } =
      await runReplicaCrashRounds(rung, rounds)
    assert.deepEqual(
      { lost, doubled, wrong, miscounted, leftInStream },
      { lost: 0, doubled: 0, wrong: 0, miscounted: 0, leftInStream: 0 },
    )
    assert.equal(Object.keys(killed).length, rounds)
    assert.ok(acknowledged > 100, `only ${acknowledged} spans were acknowledged`)
  })
}
