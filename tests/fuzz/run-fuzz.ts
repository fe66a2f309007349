// npm run fuzz -- --inputs 1000000 --seed 7 --minutes 30 --only routes|otlp|sockets|evaluators --store sqlite|postgres: attacks
// the service with made-up inputs, saves those that break a promise to tests/fuzz/failures, and counts. `--minutes` ends each
// kind early, with what it has tried.

import { parseArgs } from 'node:util'
import { runFuzz } from './fuzz.ts'
import { FUZZ_KINDS, type FuzzKindName } from './fuzz-kind.ts'
import { saveFailure } from './saved-failures.ts'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    inputs: { type: 'string', default: '1000000' },
    minutes: { type: 'string' },
    only: { type: 'string' },
    store: { type: 'string', default: 'sqlite' },
  },
})
const { seed, inputs, minutes, only, store } = values
if (!/^\d+$/.test(inputs) || !/^\d+$/.test(seed)) throw new Error('--inputs and --seed are whole numbers')
if (minutes !== undefined && !(Number(minutes) > 0)) throw new Error('--minutes is a number above 0')
if (only !== undefined && !FUZZ_KINDS.includes(only as FuzzKindName))
  throw new Error(`--only is one of ${FUZZ_KINDS.join(', ')}`)
if (store !== 'sqlite' && store !== 'postgres') throw new Error('--store is sqlite or postgres')

// Ending by a signal alone would skip what is done at the exit, and leave the service running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
console.log(`Seed ${seed}`)
let findings = 0
for (const kind of only === undefined ? FUZZ_KINDS : [only as FuzzKindName]) {
  const report = await runFuzz(kind, {
    seed: Number(seed),
    inputs: Number(inputs),
    store,
    ...(minutes === undefined ? {} : { minutesMax: Number(minutes) }),
    onProgress: (done) => void (process.stderr.isTTY && process.stderr.write(`\r${kind} ${done}  `)),
  })
  console.table({ [kind]: { inputs: report.inputs, seconds: Math.round(report.seconds), ...report.counts } })
  for (const finding of report.findings) {
    const file = finding.input === undefined ? undefined : saveFailure(finding)
    console.log(`${kind}, ${finding.times} times: ${finding.problem}${file ? `\n  ${file}` : ''}`)
  }
  console.log(`${kind}: ${report.inputs} inputs, ${report.findings.length} findings`)
  findings += report.findings.length
}
if (findings > 0) process.exitCode = 1
