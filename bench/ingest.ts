// npm run bench:ingest [-- --prefill 10000000 --requests 200 --rounds 3 --warm-up 40 --in-flight 4 --matches 0.3,3
//   --collector --dir /path --profile /path]: spans per second from the wire to the disk, against raw SQLite inserts in the same run.
// bench/README.md fixes the measurement and its baseline.

import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import {
  type IngestFigures,
  type IngestPlan,
  measureRawInsert,
  measureService,
  type ServiceRound,
  SPANS_PER_REQUEST,
} from './measure-ingest.ts'
import { describeRun, median, percentile, wholeNumber } from './run-report.ts'
import { MATCHES_PER_WATCHED_SPAN } from './span-workload.ts'

/** Generous, so that a disk does not fill up half way: a row of the baseline, a stored span, an evaluation. */
const BASELINE_BYTES = 2_400
const SPAN_BYTES = 700
const EVALUATION_BYTES = 450
const SPARE_BYTES = 2_000_000_000

const { values } = parseArgs({
  options: {
    prefill: { type: 'string', default: '200000' },
    requests: { type: 'string', default: '200' },
    rounds: { type: 'string', default: '3' },
    'warm-up': { type: 'string', default: '40' },
    'in-flight': { type: 'string', default: '4' },
    matches: { type: 'string', default: '0.3,3' },
    collector: { type: 'boolean', default: false },
    dir: { type: 'string', default: os.tmpdir() },
    profile: { type: 'string' },
  },
})
const plan: IngestPlan = {
  prefill: wholeNumber('prefill', values.prefill),
  requestsPerRound: wholeNumber('requests', values.requests, 1),
  rounds: wholeNumber('rounds', values.rounds, 1),
  warmUp: wholeNumber('warm-up', values['warm-up']),
  inFlight: wholeNumber('in-flight', values['in-flight'], 1),
  isCollector: values.collector,
  ...(values.profile === undefined ? {} : { profileDir: values.profile }),
}
const cases = values.matches.split(',').map(matchesOf)

describeRun([
  `${plan.prefill.toLocaleString('en')} spans stored before; ${plan.rounds} rounds of ${plan.requestsPerRound} requests of ${SPANS_PER_REQUEST} spans,`,
  `${plan.inFlight} under way, each from ${plan.isCollector ? 'all of' : 'one of'} 20 applications; 100 setups;`,
  `SQLite, WAL, synchronous=FULL, on the file system of ${values.dir}`,
])
requireSpace(
  plan.prefill * Math.max(BASELINE_BYTES, SPAN_BYTES + EVALUATION_BYTES * Math.max(...cases)) + SPARE_BYTES,
)

const baseline = await inDirectory(async (directory) => measureRawInsert(directory, plan))
const columns = [{ name: 'raw insert', lines: linesOf(baseline) }]
for (const matches of cases) {
  const figures = await inDirectory((directory) => measureService(directory, plan, matches))
  columns.push({
    name: `${matches} matches a span`,
    lines: { ...linesOf(figures), ...linesOfService(figures.rounds) },
  })
}
const titles = new Set(columns.flatMap(({ lines }) => Object.keys(lines)))
console.table(
  Object.fromEntries(
    Array.from(titles, (title) => [
      title,
      Object.fromEntries(columns.map(({ name, lines }) => [name, lines[title] ?? ''])),
    ]),
  ),
)

function linesOf({ spansPerSecond, bytesPerSpan, cpuUsPerSpan }: IngestFigures): Record<string, string> {
  const shown = [median(spansPerSecond), Math.min(...spansPerSecond), Math.max(...spansPerSecond)]
  const [middle, least, most] = shown.map((rate) => Math.round(rate).toLocaleString('en'))
  return {
    'spans/s': plan.rounds === 1 ? `${middle}` : `${middle} (${least} to ${most})`,
    'times the raw insert': (median(spansPerSecond) / median(baseline.spansPerSecond)).toFixed(2),
    'bytes/span': bytesPerSpan.toFixed(0),
    'CPU time/span, microseconds': cpuUsPerSpan?.toFixed(1) ?? 'unknown',
  }
}

function linesOfService(rounds: readonly ServiceRound[]): Record<string, string> {
  const total = (pick: (round: ServiceRound) => number) => rounds.reduce((sum, round) => sum + pick(round), 0)
  const units = total((round) => round.units)
  const stored = total((round) => round.stored)
  const requestMs = rounds.flatMap((round) => round.requestMs)
  const wholeMs = total((round) => round.tookMs + round.drainMs)
  return {
    'acknowledged, all of them stored': stored.toLocaleString('en'),
    'matches/span': (units / stored).toFixed(2),
    'request ms, p50 and p99': [50, 99].map((at) => percentile(requestMs, at).toFixed(0)).join(' and '),
    'scored when the last was answered': `${((100 * total((round) => round.scoredMeanwhile)) / units).toFixed(0)} %`,
    'seconds to the last score': (total((round) => round.drainMs) / rounds.length / 1_000).toFixed(1),
    'evaluations/s from first to last': Math.round((units * 1_000) / wholeMs).toLocaleString('en'),
  }
}

/** A directory for one store; it is gone afterwards, so that two large stores never lie on the disk together. */
async function inDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(values.dir, 'assay-bench-'))
  try {
    return await use(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

function matchesOf(given: string): number {
  const matches = Number(given)
  if (matches > 0 && matches <= MATCHES_PER_WATCHED_SPAN) return matches
  throw new Error(`--matches must be numbers above 0 and at most ${MATCHES_PER_WATCHED_SPAN}, not ${given}`)
}

function requireSpace(bytes: number): void {
  const { bavail, bsize } = statfsSync(values.dir)
  const gigabytes = (count: number) => `${(count / 1e9).toFixed(0)} GB`
  if (bavail * bsize >= bytes) return
  throw new Error(
    `${values.dir} has ${gigabytes(bavail * bsize)} free and ${gigabytes(bytes)} may be needed: give another --dir or a smaller --prefill`,
  )
}
