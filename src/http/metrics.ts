import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { IngestCounters } from '../pipeline/ingest/ingest.ts'
import type { JudgeCounters } from '../pipeline/judging/judge-counters.ts'
import type { PipelineCounters } from '../pipeline/pipeline.ts'
import type { StreamState } from '../ports/span-stream.ts'
import type { Backlog } from '../ports/storage.ts'
import { createBacklogGauges } from './backlog-metrics.ts'
import { createJudgeCounters } from './judge-metrics.ts'
import { createLimitMetrics, type LimitMetrics } from './limit-metrics.ts'
import { createStreamMetrics, type StreamMetrics } from './stream-metrics.ts'

/** Resources of the process that clients hold. */
export interface EdgeState {
  readonly connections: number
  /** Connections that were closed to make room for others, since the start. */
  readonly closedConnections: number
  /** Bytes that are taken of the memory for request bodies. */
  readonly bodyBytes: number
}

/** The numbers that `/metrics` shows. One registry per application, so that two in one process do not mix. */
export interface Metrics {
  /** The whole page, in Prometheus' text format. */
  render(): Promise<string>
  /** Counts one finished request. The route is its pattern, never the address, which would be unbounded. */
  countRequest(route: string, method: string, status: number, seconds: number): void
  /** Counts one finished gRPC call by its method and the status it was answered with. */
  countGrpcCall(method: string, status: number): void
  readonly pipeline: PipelineCounters
  readonly judges: JudgeCounters
  readonly limits: LimitMetrics
  /** Shows what clients hold of the process. */
  showEdge(read: () => EdgeState): void
  /** Shows the stream of spans as well, where there is one. */
  showStream(readState: () => Promise<StreamState>): StreamMetrics['counters']
}

const DURATION_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Makes the registry with the process's own numbers, those of the HTTP interface and what waits in the store. */
export function createMetrics(readBacklog: () => Promise<Backlog>): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'assay_http_requests_total',
    help: 'Finished HTTP requests.',
    labelNames: ['route', 'method', 'status'],
    registers: [registry],
  })
  const durations = new Histogram({
    name: 'assay_http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its answer.',
    labelNames: ['route', 'method'],
    buckets: DURATION_BUCKETS_S,
    registers: [registry],
  })
  const calls = new Counter({
    name: 'assay_grpc_calls_total',
    help: 'Finished gRPC calls.',
    labelNames: ['method', 'status'],
    registers: [registry],
  })
  const backlog = createBacklogGauges(registry, readBacklog)
  let stream: StreamMetrics | undefined
  return {
    async render() {
      await Promise.all([backlog.read(), stream?.read()])
      return registry.metrics()
    },
    countGrpcCall: (method, status) => calls.inc({ method, status: String(status) }),
    pipeline: createPipelineCounters(registry),
    judges: createJudgeCounters(registry),
    limits: createLimitMetrics(registry),
    showEdge: (read) => showEdge(registry, read),
    showStream(readState) {
      stream = createStreamMetrics(registry, readState)
      return stream.counters
    },
    countRequest(route, method, status, seconds) {
      requests.inc({ route, method, status: String(status) })
      durations.observe({ route, method }, seconds)
    },
  }
}

function showEdge(registry: Registry, read: () => EdgeState): void {
  const gauge = (name: string, help: string, show: (state: EdgeState) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(show(read()))
      },
    })
  gauge('assay_connections', 'Connections of clients that are open.', ({ connections }) => connections)
  gauge(
    'assay_request_memory_bytes',
    'Memory that is taken by the bodies of requests under way.',
    ({ bodyBytes }) => bodyBytes,
  )
  new Counter({
    name: 'assay_connections_closed_total',
    help: 'Connections that were closed to make room for others.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read().closedConnections)
    },
  })
}

function createPipelineCounters(registry: Registry): PipelineCounters {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] })
  const evaluations = counter('assay_evaluations_total', 'Evaluations that were recorded.')
  const missing = counter(
    'assay_sweep_missing_work_total',
    'Matched batches that the sweep found without work; more than 0 is a bug.',
  )
  const stale = counter('assay_sweep_stale_leases_total', 'Leases that had run out when the sweep came by.')
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const faults = gauge(
    'assay_verify_faults',
    'Faults that the last pass over the whole store found; more than 0 needs a look.',
  )
  const verifiedAt = gauge(
    'assay_verify_timestamp_seconds',
    'When the last pass over the whole store ended; 0 before the first.',
  )
  const doubted = gauge(
    'assay_clock_doubted',
    '1 while the clock is more than a day ahead of the last known time; retention goes by the latter until then.',
  )
  return {
    countVerified({ wrong }, endedAtMs) {
      faults.set(wrong)
      verifiedAt.set(endedAtMs / 1_000)
    },
    ingest: createIngestCounters(registry),
    countEvaluations: (count) => evaluations.inc(count),
    countMended: ({ missingWork, staleLeases }) => {
      missing.inc(missingWork)
      stale.inc(staleLeases)
    },
    showClock: (isDoubted) => doubted.set(isDoubted ? 1 : 0),
  }
}

function createIngestCounters(registry: Registry): IngestCounters {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] })
  const received = counter('assay_ingest_spans_received_total', 'Spans that arrived, rejected ones included.')
  const rejected = counter('assay_ingest_spans_rejected_total', 'Spans that were rejected and not stored.')
  const batches = counter('assay_ingest_batches_total', 'Requests whose spans were stored.')
  const stale = counter(
    'assay_ingest_stale_retries_total',
    'Times that spans were matched again because setups had changed meanwhile.',
  )
  const logs = new Counter({
    name: 'assay_ingest_log_records_total',
    help: 'Log records that arrived: kept as content of spans, dropped because they are none, or rejected.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return {
    countSpans(acceptedCount, rejectedCount) {
      received.inc(acceptedCount + rejectedCount)
      rejected.inc(rejectedCount)
    },
    countLogs(kept, dropped, rejectedCount) {
      logs.inc({ outcome: 'kept' }, kept)
      logs.inc({ outcome: 'dropped' }, dropped)
      logs.inc({ outcome: 'rejected' }, rejectedCount)
    },
    countBatch: () => batches.inc(),
    countStale: () => stale.inc(),
  }
}
