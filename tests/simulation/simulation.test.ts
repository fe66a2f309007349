// Must come first: see there.
import './virtual-platform.ts'
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Violation } from './invariants.ts'
import { MemoryStore } from './memory-store.ts'
import { SABOTAGES } from './sabotages.ts'
import { simulate } from './simulation.ts'

/** The short form; npm run test:simulation -- --runs 100000 is the long one. */
const RUNS = 60
/** Within so many runs every planted bug is found. */
const SABOTAGED_RUNS_MAX = 300

test('every promise holds after every event, whatever the order of events, crashes and faults', async () => {
  const store = new MemoryStore()
  const total = { acknowledged: 0, scores: 0, crashes: 0, faults: 0 }
  for (let seed = 1; seed <= RUNS; seed++) {
    const report = await simulate(store, seed).catch((error) => {
      throw new Error(`npm run test:simulation -- --runs 1 --seed ${seed}`, { cause: error })
    })
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += report[name]
  }
  for (const [name, count] of Object.entries(total)) assert.ok(count > RUNS / 2, `only ${count} ${name}`)
})

test('the same seed gives the same run', async () => {
  const store = new MemoryStore()
  assert.deepEqual(await simulate(store, 3), await simulate(store, 3))
})

for (const sabotage of SABOTAGES) {
  test(`finds the planted bug: ${sabotage.name}`, async () => {
    const store = new MemoryStore()
    await assert.rejects(async () => {
      const { firstSeed = 1 } = sabotage
      for (let run = 0; run < SABOTAGED_RUNS_MAX; run++) await simulate(store, firstSeed + run, sabotage)
    }, Violation)
  })
}
