// The measuring of bench:ingest: the raw insert and the service, each on a store of its own with a history.

import { statSync } from 'node:fs'
import path from 'node:path'
import type { EnvironmentTenant } from '../src/domain/tenant.ts'
import { DATABASE_FILE } from '../src/stores/sqlite/sqlite-storage.ts'
import { FIRST_KEY } from '../tests/support/call.ts'
import { cpuMs, createSetups, StoreView, setupsCompleted, startBenchService, until } from './bench-service.ts'
import { OtlpSender } from './otlp-sender.ts'
import { prefillStore } from './prefill-store.ts'
import { RawInsert } from './raw-insert.ts'
import {
  MATCHES_PER_WATCHED_SPAN,
  type SpanRequest,
  SpanWorkload,
  TEMPLATES,
  workloadSetups,
} from './span-workload.ts'

/** Spans of a request, and rows of a transaction of the baseline. */
export const SPANS_PER_REQUEST = 512
/** Enough of an application's spans for each of its setups to see some, also where few of them are watched. */
const SPANS_TO_BIND = 120

/** The workload of a measurement and its length. */
export interface IngestPlan {
  readonly prefill: number
  /** Requests that are not measured: code is compiled, threads are up. */
  readonly warmUp: number
  readonly rounds: number
  readonly requestsPerRound: number
  readonly inFlight: number
  readonly isCollector: boolean
  /** Where the service leaves CPU profiles, if anywhere. */
  readonly profileDir?: string
}

/** The figures that both stores report. */
export interface IngestFigures {
  /** Of each round. */
  readonly spansPerSecond: readonly number[]
  readonly bytesPerSpan: number
  /** Of the process that stores, scoring included; undefined where the system does not tell. */
  readonly cpuUsPerSpan: number | undefined
}

/** One round with the service. */
export interface ServiceRound {
  readonly tookMs: number
  /** Of each request, from its sending to its answer. */
  readonly requestMs: readonly number[]
  /** Units that were to be evaluated: one for each span and setup that match. */
  readonly units: number
  /** How many of them had their score when the last request was answered. */
  readonly scoredMeanwhile: number
  /** From the last answer to the last score. */
  readonly drainMs: number
  /** Spans in the store that were not there before; all that were acknowledged, or the benchmark fails. */
  readonly stored: number
}

/** Rows per second of the baseline. */
export function measureRawInsert(directory: string, plan: IngestPlan): IngestFigures {
  const workload = workloadFor(plan, MATCHES_PER_WATCHED_SPAN)
  const file = path.join(directory, 'baseline.db')
  const store = new RawInsert(file)
  store.prefill(workload, plan.prefill, progress('raw insert', plan.prefill))
  const before = store.countSpans()
  store.insert(encode(workload, plan.warmUp))
  let cpuUs = 0
  const spansPerSecond = Array.from({ length: plan.rounds }, () => {
    const requests = encode(workload, plan.requestsPerRound)
    const cpuBefore = process.cpuUsage()
    const startMs = performance.now()
    store.insert(requests)
    const tookMs = performance.now() - startMs
    const { user, system } = process.cpuUsage(cpuBefore)
    cpuUs += user + system
    return rateOf(plan, tookMs)
  })
  const rows = store.countSpans()
  const inserted = plan.warmUp * SPANS_PER_REQUEST + plan.rounds * spansOf(plan)
  requireEqual('rows', rows - before, inserted)
  store.close()
  return {
    spansPerSecond,
    bytesPerSpan: statSync(file).size / rows,
    cpuUsPerSpan: cpuUs / spansOf(plan) / plan.rounds,
  }
}

/** Spans per second of the service, with so many matches a span on average. */
export async function measureService(
  dataDir: string,
  plan: IngestPlan,
  matches: number,
): Promise<IngestFigures & { rounds: readonly ServiceRound[] }> {
  const workload = workloadFor(plan, matches)
  const tenant = await makeStore(dataDir, plan, workloadFor(plan, matches, SPANS_TO_BIND))
  const report = progress(`${matches} matches a span`, plan.prefill)
  await prefillStore(path.join(dataDir, DATABASE_FILE), tenant, workload, plan.prefill, report)

  const service = await startBenchService(dataDir, plan.profileDir)
  const sender = new OtlpSender(service.url, FIRST_KEY, plan.inFlight)
  const view = new StoreView(dataDir)
  try {
    await sender.sendAll(bodiesOf(encode(workload, plan.warmUp)), plan.inFlight)
    await allScored(view)
    const rounds: ServiceRound[] = []
    const cpuBefore = cpuMs(service.child.pid ?? 0)
    while (rounds.length < plan.rounds) rounds.push(await measureRound(plan, sender, view, workload))
    const cpuAfter = cpuMs(service.child.pid ?? 0)
    return {
      spansPerSecond: rounds.map(({ tookMs }) => rateOf(plan, tookMs)),
      bytesPerSpan: view.bytes() / view.count().spans,
      cpuUsPerSpan:
        cpuBefore === undefined || cpuAfter === undefined
          ? undefined
          : ((cpuAfter - cpuBefore) * 1_000) / spansOf(plan) / plan.rounds,
      rounds,
    }
  } finally {
    sender.close()
    view.close()
    await service.end('SIGTERM')
  }
}

async function measureRound(
  plan: IngestPlan,
  sender: OtlpSender,
  view: StoreView,
  workload: SpanWorkload,
): Promise<ServiceRound> {
  const requests = encode(workload, plan.requestsPerRound)
  const bodies = bodiesOf(requests)
  const before = view.count()
  const startMs = performance.now()
  const requestMs = await sender.sendAll(bodies, plan.inFlight)
  const tookMs = performance.now() - startMs
  const open = view.openUnits()
  await allScored(view)
  const drainMs = performance.now() - startMs - tookMs
  const after = view.count()
  const units = view.unitsAfter(before.lastBatch)
  const stored = after.spans - before.spans
  requireEqual('stored spans', stored, spansOf(plan))
  requireEqual('acknowledged spans that are missing', view.countMissing(requests), 0)
  requireEqual('evaluations', after.evaluations - before.evaluations, units)
  return { requestMs, tookMs, drainMs, units, scoredMeanwhile: units - open, stored }
}

/** A store with 100 setups that have their monitors, made by the service itself. */
async function makeStore(
  dataDir: string,
  { inFlight }: IngestPlan,
  workload: SpanWorkload,
): Promise<EnvironmentTenant> {
  const service = await startBenchService(dataDir)
  const sender = new OtlpSender(service.url, FIRST_KEY, inFlight)
  try {
    const tenant = await createSetups(service.url, workloadSetups())
    // Every application's spans, so that every setup sees some.
    await sender.sendAll(bodiesOf(encode(workload, TEMPLATES)), inFlight)
    await setupsCompleted(service.url)
    const view = new StoreView(dataDir)
    await allScored(view)
    view.close()
    return tenant
  } finally {
    sender.close()
    await service.end('SIGTERM')
  }
}

function allScored(view: StoreView): Promise<void> {
  return until('everything is scored', () => view.openUnits() === 0)
}

function workloadFor(
  { isCollector }: IngestPlan,
  matches: number,
  spansPerRequest = SPANS_PER_REQUEST,
): SpanWorkload {
  const watchedShare = matches / MATCHES_PER_WATCHED_SPAN
  return new SpanWorkload({ spansPerRequest, watchedShare, isCollector })
}

function encode(workload: SpanWorkload, count: number): SpanRequest[] {
  return Array.from({ length: count }, () => workload.nextRequest(Date.now()))
}

function bodiesOf(requests: readonly SpanRequest[]): Buffer[] {
  return requests.map(({ body }) => body)
}

/** Of one round. */
function spansOf({ requestsPerRound }: IngestPlan): number {
  return requestsPerRound * SPANS_PER_REQUEST
}

function rateOf(plan: IngestPlan, tookMs: number): number {
  return (spansOf(plan) * 1_000) / tookMs
}

function requireEqual(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${what}: ${found} instead of ${expected}`)
}

function progress(name: string, prefill: number): (spans: number) => void {
  const startMs = performance.now()
  return (spans) => {
    if (spans < prefill) return
    const seconds = ((performance.now() - startMs) / 1_000).toFixed(0)
    console.log(`${name}: ${spans.toLocaleString('en')} spans stored before, in ${seconds} s`)
  }
}
