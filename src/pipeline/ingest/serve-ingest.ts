import type { MessagePort } from 'node:worker_threads'
import { PublicError } from '../../domain/errors.ts'
import { releaseBytes } from '../../domain/release-bytes.ts'
import { BatchPacker, type CheckedRequest, type PackedRequest } from './batch-packer.ts'
import type { IngestCall, IngestOutcome } from './ingest-thread-client.ts'

/** The inside of the thread that reads spans: one request after the other, in the order in which they came. */
export function serveIngest(port: MessagePort): void {
  const packer = new BatchPacker()
  port.on('message', (call: IngestCall) => {
    const outcome = run(packer, call)
    port.postMessage(outcome, 'value' in outcome ? buffersIn(outcome.value) : [])
    // The body was handed over to this thread, and nothing that was made of it refers to it.
    if (call.name === 'pack') releaseBytes(call.args[1] as Uint8Array)
    if (call.name === 'check') releaseBytes(call.args[0] as Uint8Array)
  })
}

function run(packer: BatchPacker, { id, name, args }: IngestCall): IngestOutcome {
  try {
    // Each name comes with the arguments of its own method; the client's types see to it.
    const method = packer[name] as (...given: unknown[]) => unknown
    return { id, value: method.apply(packer, [...args]) }
  } catch (error) {
    // A class does not survive the way between threads; what makes the error public does.
    if (error instanceof PublicError) return { id, refusal: { kind: error.kind, message: error.message } }
    return { id, fault: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** What of an answer can be handed over instead of being copied. */
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
