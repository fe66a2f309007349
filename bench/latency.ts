// npm run bench:latency [-- --rate 1000 --spans 30000 --request-spans 50 --warm-up 5000 --dir /path --profile /path]: from the 200 that
// acknowledges a span to its scores in GET /v2/evaluations, with three exact evaluators on each span; and the memory of the
// service. bench/README.md says how it is measured. For memory: --rate 10000 --spans 1000000 --request-spans 500

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { FIRST_KEY } from '../tests/support/call.ts'
import {
  createSetups,
  residentMemory,
  StoreView,
  setupsCompleted,
  startBenchService,
  until,
} from './bench-service.ts'
import { OtlpSender } from './otlp-sender.ts'
import { describeRun, percentile, wholeNumber } from './run-report.ts'
import { type ProbeResult, ScoreProbe } from './score-probe.ts'
import { SpanWorkload } from './span-workload.ts'

const EVALUATORS = ['char-count', 'word-count', 'json-validator']
const P50_MS_MAX = 50
const P99_MS_MAX = 250
const MEMORY_BYTES_MAX = 400e6
const PROBES_PER_SECOND_MAX = 20
const CONNECTIONS_MAX = 64

const { values } = parseArgs({
  options: {
    rate: { type: 'string', default: '1000' },
    spans: { type: 'string', default: '30000' },
    'request-spans': { type: 'string', default: '50' },
    'warm-up': { type: 'string', default: '5000' },
    dir: { type: 'string', default: os.tmpdir() },
    profile: { type: 'string' },
  },
})
const rate = wholeNumber('rate', values.rate, 1)
const spansPerRequest = wholeNumber('request-spans', values['request-spans'], 1)
const requestCount = Math.ceil(wholeNumber('spans', values.spans, 1) / spansPerRequest)
// Sent and scored before the clock starts: code is compiled, threads are up.
const warmUpRequests = Math.ceil(wholeNumber('warm-up', values['warm-up']) / spansPerRequest)
const requestsPerSecond = rate / spansPerRequest
const probeEvery = Math.ceil(requestsPerSecond / PROBES_PER_SECOND_MAX)

describeRun([
  `${rate.toLocaleString('en')} spans/s in requests of ${spansPerRequest}, ${(requestCount * spansPerRequest).toLocaleString('en')} spans;`,
  `${EVALUATORS.join(', ')} on each; SQLite, WAL, synchronous=FULL, on the file system of ${values.dir}`,
])

const dataDir = mkdtempSync(path.join(values.dir, 'assay-bench-'))
const service = await startBenchService(dataDir, values.profile)
const sender = new OtlpSender(service.url, FIRST_KEY, CONNECTIONS_MAX)
const probe = new ScoreProbe(service.url, FIRST_KEY)
const workload = new SpanWorkload({ spansPerRequest, watchedShare: 1, isCollector: false })
try {
  await createSetups(service.url, [{ external_id: 'every-span', evaluators: EVALUATORS, selector: [] }])
  const atStart = residentMemory(service.child.pid ?? 0)
  await sendPaced(1)
  await setupsCompleted(service.url)
  await sendPaced(warmUpRequests)
  const view = new StoreView(dataDir)
  const allScored = () => until('everything is scored', () => view.openUnits() === 0)
  await allScored()
  const before = view.count()

  const loopDelay = monitorEventLoopDelay({ resolution: 1 })
  loopDelay.enable()
  const startMs = performance.now()
  const { acknowledgedMs, probes } = await sendPaced(requestCount)
  const tookMs = performance.now() - startMs
  loopDelay.disable()
  const open = view.openUnits()
  await allScored()
  const drainMs = performance.now() - startMs - tookMs
  const memory = residentMemory(service.child.pid ?? 0)
  const after = view.count()
  view.close()
  const spans = requestCount * spansPerRequest
  requireEqual('stored spans', after.spans - before.spans, spans)
  requireEqual('evaluations', after.evaluations - before.evaluations, spans * EVALUATORS.length)

  const readableMs = probes.map((result) => result.readableMs)
  const uncertaintyMs = probes.map((result) => result.uncertaintyMs)
  console.table({
    'sent to acknowledged, ms': row(acknowledgedMs),
    'acknowledged to readable, ms': row(readableMs),
    'of it not known, ms': row(uncertaintyMs),
  })
  console.log(
    `${((spans * 1_000) / tookMs).toFixed(0)} spans/s acknowledged; ${open.toLocaleString('en')} scores were open after the last one, for ${(drainMs / 1_000).toFixed(1)} s`,
  )
  console.log(
    `this client's own delay: p99 ${(loopDelay.percentile(99) / 1e6).toFixed(1)} ms, most ${(loopDelay.max / 1e6).toFixed(1)} ms`,
  )
  judge('p50', percentile(readableMs, 50), P50_MS_MAX, 'ms')
  judge('p99', percentile(readableMs, 99), P99_MS_MAX, 'ms')
  if (memory && atStart) {
    console.log(
      `resident memory: ${(atStart.now / 1e6).toFixed(0)} MB at the start, ${(memory.peak / 1e6).toFixed(0)} MB at its highest`,
    )
    judge(
      `resident memory after ${after.spans.toLocaleString('en')} spans`,
      memory.now / 1e6,
      MEMORY_BYTES_MAX / 1e6,
      'MB',
    )
  } else console.log('resident memory: this system does not tell')
} finally {
  sender.close()
  probe.close()
  await service.end('SIGTERM')
  rmSync(dataDir, { recursive: true })
}

/** Sends on schedule, however long the answers take, and follows a random span of some requests to its scores. */
async function sendPaced(count: number): Promise<{ acknowledgedMs: number[]; probes: ProbeResult[] }> {
  const acknowledgedMs: number[] = []
  const probes: ProbeResult[] = []
  const underWay: Promise<void>[] = []
  let failure: unknown
  const startMs = performance.now()
  for (let at = 0; at < count; at++) {
    const { body, spans } = workload.nextRequest(Date.now())
    const dueMs = startMs + (at * 1_000) / requestsPerSecond
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    const chosen = spans[Math.floor(Math.random() * spans.length)]
    const send = async () => {
      await sender.send(body)
      const nowMs = performance.now()
      // From when it should have been sent: a client that is held up must not make the service look good.
      acknowledgedMs.push(nowMs - dueMs)
      if (at % probeEvery !== 0 || !chosen) return
      probes.push(await probe.waitFor(chosen.traceId.toString('hex'), EVALUATORS.length, nowMs))
    }
    underWay.push(
      send().catch((error) => {
        failure ??= error
      }),
    )
    if (failure) break
  }
  await Promise.all(underWay)
  if (failure) throw failure
  return { acknowledgedMs, probes }
}

function row(ms: readonly number[]): Record<string, string> {
  const shown = (percent: number) => percentile(ms, percent).toFixed(1)
  return { p50: shown(50), p95: shown(95), p99: shown(99), most: shown(100), count: String(ms.length) }
}

function judge(what: string, found: number, max: number, unit: string): void {
  const verdict = found <= max ? 'met' : 'missed'
  console.log(`${what}: ${found.toFixed(1)} ${unit}, goal at most ${max} ${unit}: ${verdict}`)
}

function requireEqual(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`)
}
