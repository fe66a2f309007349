import type { MessagePort } from 'node:worker_threads'
import { PublicError } from '../../lib/public-error.ts'
import { releaseBytes } from '../../lib/release-bytes.ts'
import { threadProcessorMs } from '../../lib/thread-processor-time.ts'
import { BatchPacker, type CheckedRequest, type PackedRequest } from './batch-packer.ts'
import type { IngestCall, IngestOutcome, IngestThreadData } from './ingest-thread-client.ts'
import { ThreadProgress } from './thread-progress.ts'
import { ThreadSchedule } from './thread-schedule.ts'

/**
 * The inside of a thread that reads spans: requests in slices, fair by project. Between two slices, messages that have
 * arrived come first, so that a new request takes part in the next turn; `later` decides how that is waited for.
 */
export function serveIngest(
  port: MessagePort,
  { callMsMax, progress }: IngestThreadData,
  later: (next: () => void) => void = setImmediate,
): void {
  const here = new ThreadProgress(progress)
  const packer = new BatchPacker()
  const schedule = new ThreadSchedule({
    callMsMax,
    onSlice: (id) => here.enter(id),
    now: threadProcessorMs,
    later,
  })
  port.on('message', ({ id, projectId, name, args }: IngestCall) => {
    schedule.add({
      id,
      projectId,
      begin() {
        // Each name comes with the arguments of its own method; the client's types see to it.
        const method = packer[name] as (...given: unknown[]) => unknown
        return method.apply(packer, [...args])
      },
      end(outcome, usedMs) {
        const value = 'value' in outcome ? outcome.value : undefined
        port.postMessage(outcomeOf(id, outcome, usedMs), buffersIn(value))
        // The body was handed over to this thread, and nothing that was made of it refers to it.
        if (name === 'pack') releaseBytes(args[1] as Uint8Array)
        if (name === 'check' || name === 'readLogs' || name === 'checkLogs')
          releaseBytes(args[0] as Uint8Array)
      },
    })
  })
}

function outcomeOf(
  id: number,
  outcome: { readonly value: unknown } | { readonly error: unknown },
  usedMs: number,
): IngestOutcome {
  if ('value' in outcome) return { id, usedMs, value: outcome.value }
  const { error } = outcome
  // A class does not survive the way between threads; what makes the error public does.
  if (error instanceof PublicError)
    return { id, usedMs, refusal: { kind: error.kind, message: error.message } }
  return { id, usedMs, fault: error instanceof Error ? error : new Error(String(error)) }
}

/** The buffers of an answer that can be transferred instead of copied. */
function buffersIn(value: unknown): ArrayBuffer[] {
  if (!isReadRequest(value)) return []
  const packed = 'packed' in value ? value.packed : undefined
  if (packed) return [packed.bytes.buffer as ArrayBuffer]
  const batch = 'batch' in value ? value.batch : undefined
  if (!batch) return []
  const { bytes, ids, startSeconds, matches } = batch
  return [bytes, ids, startSeconds, ...matches.map(({ units }) => units)].map(
    ({ buffer }) => buffer as ArrayBuffer,
  )
}

function isReadRequest(value: unknown): value is PackedRequest | CheckedRequest {
  return typeof value === 'object' && value !== null && 'acceptedSpans' in value
}
