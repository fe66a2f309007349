import { Counter, Gauge, type Registry } from 'prom-client'
import type { IntakeCounters } from '../pipeline/ingest/stream-intake.ts'
import type { StreamState } from '../ports/span-stream.ts'

/** How long a page of metrics waits for the servers of the stream. */
const READ_MS_MAX = 2_000

/** The numbers of the stream between those who receive spans and those who store them. `read` them before each page. */
export interface StreamMetrics {
  readonly counters: IntakeCounters
  read(): Promise<void>
}

/** Registers the numbers of the stream; only where there is one. */
export function createStreamMetrics(
  registry: Registry,
  readState: () => Promise<StreamState>,
): StreamMetrics {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] })
  const lag = gauge('assay_stream_lag_messages', 'Requests in the stream that are not stored yet.')
  const seconds = gauge('assay_stream_lag_seconds', 'Age of the oldest request in the stream.')
  const parked = gauge('assay_stream_parked', 'Requests that could not be stored and were put aside.')
  return {
    counters: createCounters(registry),
    async read() {
      const late = AbortSignal.timeout(READ_MS_MAX)
      const state = await Promise.race([
        readState().catch(() => undefined),
        new Promise<undefined>((resolve) => late.addEventListener('abort', () => resolve(undefined))),
      ])
      // A number of before would look like one of now, and 0 like all is well.
      lag.set(state?.lagMessages ?? Number.NaN)
      seconds.set(state?.lagSeconds ?? Number.NaN)
      parked.set(state?.parked ?? Number.NaN)
    },
  }
}

function createCounters(registry: Registry): IntakeCounters {
  const counter = (name: string, help: string) => new Counter({ name, help, registers: [registry] })
  const redelivered = counter(
    'assay_stream_redelivered_total',
    'Requests that came out of the stream not for the first time.',
  )
  const parked = counter('assay_stream_parked_total', 'Requests that this process has put aside.')
  const repeated = counter(
    'assay_stream_repeated_total',
    'Requests out of the stream all of whose spans were stored before.',
  )
  const dropped = counter(
    'assay_stream_dropped_total',
    'Requests out of the stream whose project no longer exists.',
  )
  return {
    countRedelivered: () => redelivered.inc(),
    countParked: () => parked.inc(),
    countRepeated: () => repeated.inc(),
    countDropped: () => dropped.inc(),
  }
}
