// npm run test:simulation -- --runs 100000 --seed 1: plays that many interleavings, one per seed, and names the seed of the
// first that breaks a promise. With --seed and --runs 1 it plays that one again.

// Must come first: see there.
import './virtual-platform.ts'

import { parseArgs } from 'node:util'
import { MemoryStore } from './memory-store.ts'
import { SABOTAGES } from './sabotages.ts'
import { simulate } from './simulation.ts'
import { realNowMs } from './virtual-platform.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    sabotage: { type: 'string' },
  },
})
const [runs, first] = [Number(values.runs), Number(values.seed)]
const sabotage = SABOTAGES.find(({ name }) => name === values.sabotage)
const store = new MemoryStore()
const total = { steps: 0, acknowledged: 0, scores: 0, crashes: 0, faults: 0, virtualMs: 0 }
const startedMs = realNowMs()
let seed = first
for (; seed < first + runs; seed++) {
  try {
    const report = await simulate(store, seed, sabotage)
    for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += report[name]
  } catch (error) {
    console.error(`seed ${seed}: ${(error as Error).message}`)
    console.error(`again: npm run test:simulation -- --runs 1 --seed ${seed}`)
    process.exitCode = 1
    break
  }
  if ((seed - first + 1) % 200 === 0) process.stderr.write(`${seed - first + 1} runs\n`)
}
console.table({
  runs: seed - first,
  ...total,
  seconds: Math.round((realNowMs() - startedMs) / 1_000),
  cpuSeconds: Math.round(process.cpuUsage().user / 1e6),
})
