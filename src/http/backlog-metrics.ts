import { Gauge, type Registry } from 'prom-client'
import type { Backlog, Waiting } from '../ports/storage.ts'

/** How long a page of metrics waits for the store; without an answer it shows nothing about what waits. */
const READ_MS_MAX = 2_000

/** The numbers by which an operator or an autoscaler sets the number of workers. `read` them before each page. */
export function createBacklogGauges(registry: Registry, readBacklog: () => Promise<Backlog>) {
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name, help, labelNames, registers: [registry] })
  const ready = gauge('assay_work_ready', 'Pieces of work that wait or are being done, by kind.', ['kind'])
  const spans = gauge('assay_work_lag_spans', 'Matched spans that are not evaluated yet, by kind of work.', [
    'kind',
  ])
  const seconds = gauge(
    'assay_work_lag_seconds',
    'Age of the oldest matched span that is not evaluated yet, since its arrival, by kind of work.',
    ['kind'],
  )
  const batches = gauge('assay_digest_lag_batches', 'Batches that are not summed up yet.')
  const digestSeconds = gauge(
    'assay_digest_lag_seconds',
    'Age of the oldest batch that is not summed up yet.',
  )
  const givenUp = gauge(
    'assay_digest_given_up_batches',
    'Stored batches that cannot be summed up, so that their spans are in no trace. See "assay verify".',
  )
  const units = gauge('assay_units_due', 'Traces and sessions that should be evaluated now.')
  // A store that is slower than pages are asked for is not asked once more for each of them.
  let reading: Promise<Backlog> | undefined
  const readOnce = () => {
    reading ??= readBacklog().finally(() => {
      reading = undefined
    })
    return reading
  }
  return {
    async read(): Promise<void> {
      const backlog = await within(READ_MS_MAX, readOnce())
      // A number of before would look like one of now.
      for (const each of [ready, spans, seconds]) each.reset()
      // Without labels there would be a zero.
      for (const each of [batches, digestSeconds, givenUp, units]) each.remove()
      if (!backlog) return
      for (const kind of ['local', 'judged'] as const) {
        const waiting = backlog.work[kind]
        ready.set({ kind }, waiting.pieces)
        spans.set({ kind }, waiting.spans)
        seconds.set({ kind }, ageSeconds(waiting))
      }
      batches.set(backlog.digest.pieces)
      digestSeconds.set(ageSeconds(backlog.digest))
      givenUp.set(backlog.givenUpBatches)
      units.set(backlog.unitsDue)
    },
  }
}

function ageSeconds({ oldestAtMs }: Waiting): number {
  return oldestAtMs === undefined ? 0 : Math.max(0, Date.now() - oldestAtMs) / 1_000
}

function within<Value>(ms: number, value: Promise<Value>): Promise<Value | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([value.catch(() => undefined), late]).finally(() => clearTimeout(timer))
}
