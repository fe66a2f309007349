import { createHash } from 'node:crypto'
import { isContentEvent } from '../../domain/content-events.ts'
import { type LogBatch, type LogEvent, scanLogs } from '../../lib/otlp/scan-logs.ts'
import type { OtlpEncoding } from '../../lib/otlp/scan-request.ts'
import { type PackedSpans, unpackSpansSync } from '../../lib/otlp/stored-spans.ts'
import { WireWriter } from '../../lib/otlp/wire-writer.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { NewContent } from '../../ports/content-storage.ts'
import { compress } from './compress.ts'

/** A request with logs, read. */
export interface ReadLogs {
  readonly acceptedRecords: number
  readonly droppedRecords: number
  readonly rejectedRecords: number
  /** The first rejected record and why; absent when none was rejected. */
  readonly errorMessage?: string
  readonly contents: readonly NewContent[]
}

/** A request with logs, read and packed for a stream. */
export interface CheckedLogs extends Omit<ReadLogs, 'contents'> {
  /** Absent when there is nothing to store. */
  readonly packed?: PackedSpans
}

const KEY_BYTES = 16

/** Reads a request; throws an error for its sender when it cannot be read. */
export function readLogs(body: Uint8Array, encoding: OtlpEncoding): ReadLogs {
  const batch = scanLogs(body, encoding, isContentEvent)
  return { ...countsOf(batch), contents: contentsOf(batch.events) }
}

/**
 * Packs the events of a request as a request of spans that carry nothing but one event each: a stream has one form of
 * message, and what it holds can be read with the tools for spans.
 */
export function checkLogs(body: Uint8Array, encoding: OtlpEncoding): CheckedLogs {
  const batch = scanLogs(body, encoding, isContentEvent)
  if (batch.events.length === 0) return countsOf(batch)
  const writer = new WireWriter()
  writer.message(1, () =>
    writer.message(2, () => {
      for (const { traceId, spanId, event } of batch.events)
        writer.message(2, () => {
          writer.bytes(1, traceId)
          writer.bytes(2, spanId)
          writer.bytes(11, event)
        })
    }),
  )
  const bytes = writer.finish()
  return { ...countsOf(batch), packed: { bytes: compress(bytes), byteLength: bytes.length, knownFaults: [] } }
}

/** The events in a message of a stream. */
export function unpackLogs(packed: PackedSpans): NewContent[] {
  try {
    const events = unpackSpansSync(packed).flatMap((view) =>
      view.eventBytes().map((event) => ({ traceId: view.traceIdBytes, spanId: view.spanIdBytes, event })),
    )
    return contentsOf(events)
  } catch (error) {
    throw invalidInput(`the log events cannot be unpacked: ${(error as Error).message}`)
  }
}

function countsOf({ events, droppedCount, rejectedCount, rejection }: LogBatch): Omit<ReadLogs, 'contents'> {
  return {
    acceptedRecords: events.length,
    droppedRecords: droppedCount,
    rejectedRecords: rejectedCount,
    ...(rejection === undefined
      ? {}
      : { errorMessage: `${rejectedCount} log records rejected: ${rejection}` }),
  }
}

function contentsOf(events: readonly LogEvent[]): NewContent[] {
  const seen = new Map<string, number>()
  return events.map(({ traceId, spanId, event }) => {
    const ids = { traceId: hex(traceId), spanId: hex(spanId) }
    const hash = createHash('sha256').update(event)
    // Two equal events of one request are two: a conversation may repeat a message.
    const digest = `${ids.traceId} ${ids.spanId} ${hash.copy().digest('base64')}`
    const repeat = seen.get(digest) ?? 0
    seen.set(digest, repeat + 1)
    if (repeat > 0) hash.update(String(repeat))
    const eventKey = hash.digest().subarray(0, KEY_BYTES)
    return { ...ids, eventKey: new Uint8Array(eventKey), bytes: compress(event), byteLength: event.length }
  })
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
