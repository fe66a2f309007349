// npm run bench:evaluators: calls per second and p99 of the evaluators that call nothing outside the process, for three sizes
// of input, peers beside them; then how fast the detectors read (detector-speed.ts).
// Times are of the evaluation itself (validation included), on one thread, without HTTP. Compare lines of one run only.

import { findBuiltIn } from '../src/evaluators/catalogue.ts'
import { withEmbeddedJudge } from '../src/evaluators/embedded-judge.ts'
import { executeEvaluator } from '../src/evaluators/kit/execute-evaluator.ts'
import { PublicError } from '../src/lib/public-error.ts'
import { showDetectorSpeed } from './detector-speed.ts'
import { CASES, SIZES } from './evaluator-cases.ts'
import { loadPeers } from './evaluator-peers.ts'

/** Each line is measured for this long, after a warm-up of a fifth of it. */
const MEASURE_MS = 500
const CALLS_MIN = 5

interface Timing {
  readonly perSecond: number
  readonly p99Ms: number
}

const rows: Record<string, string>[] = []
for (const { slug, input, config } of CASES) {
  const found = findBuiltIn(slug)
  const evaluator = found && withEmbeddedJudge(found, 'answers')
  if (!evaluator?.evaluate) continue
  const name = config?.['schema_string'] ? `${slug} with schema` : slug
  rows.push(
    await measureSizes(name, (chars) => {
      const call = input(chars)
      return () => executeEvaluator(evaluator, call, config)
    }),
  )
}
for (const { name, besides, prepare } of await loadPeers()) {
  rows.push(await measureSizes(`peer: ${name} (beside ${besides})`, (chars) => prepare(chars)))
}
console.log(`Node.js ${process.version}, ${process.arch}; calls/s and p99 in ms`)
console.table(Object.fromEntries(rows.map(({ name = '', ...columns }) => [name, columns])))
await showDetectorSpeed()

async function measureSizes(
  name: string,
  prepare: (chars: number) => () => unknown,
): Promise<Record<string, string>> {
  const columns: Record<string, string> = { name }
  for (const [label, chars] of SIZES) {
    const timing = await measure(prepare(chars)).catch(refusalOf)
    columns[label] =
      typeof timing === 'string'
        ? timing
        : `${Math.round(timing.perSecond).toLocaleString('en')}/s  ${timing.p99Ms.toFixed(3)}`
  }
  return columns
}

/** Models refuse what would take them too long; that is a result, anything else is a fault. */
function refusalOf(error: unknown): string {
  if (error instanceof PublicError && error.kind === 'too_large') return 'refused, too large'
  throw error
}

async function measure(call: () => unknown): Promise<Timing> {
  await runFor(call, MEASURE_MS / 5)
  const times = await runFor(call, MEASURE_MS)
  const totalMs = times.reduce((sum, ms) => sum + ms, 0)
  const sorted = times.toSorted((a, b) => a - b)
  return {
    perSecond: (times.length / totalMs) * 1_000,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  }
}

async function runFor(call: () => unknown, ms: number): Promise<number[]> {
  const times: number[] = []
  const endMs = performance.now() + ms
  while (performance.now() < endMs || times.length < CALLS_MIN) {
    const startMs = performance.now()
    await call()
    times.push(performance.now() - startMs)
  }
  return times
}
