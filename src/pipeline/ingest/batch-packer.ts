import { digestSpans } from '../../domain/digest-spans.ts'
import type { BatchDigest } from '../../domain/trace-digest.ts'
import { emptyUnits, type UnitSet } from '../../domain/unit-set.ts'
import { defined } from '../../lib/defined.ts'
import { type PartialSuccess, partialSuccessOf } from '../../lib/otlp/partial-success.ts'
import { type OtlpEncoding, scanRequest } from '../../lib/otlp/scan-request.ts'
import type { TraceBatch } from '../../lib/otlp/scan-traces.ts'
import type { SpanView } from '../../lib/otlp/span-view.ts'
import { type PackedSpans, unpackSpansSync } from '../../lib/otlp/stored-spans.ts'
import { invalidInput } from '../../lib/public-error.ts'
import type { Sliced } from '../../lib/sliced.ts'
import type { NewContent } from '../../ports/content-storage.ts'
import type { SkippedUnits } from '../../ports/job-storage.ts'
import type { CatalogueChange, CatalogueSetup, PackedBatch } from '../../ports/span-storage.ts'
import type { BatchFacts } from '../verify/check-batch.ts'
import { compress } from './compress.ts'
import { type CheckedLogs, checkLogs, type ReadLogs, readLogs, unpackLogs } from './pack-logs.ts'
import { ProjectCatalogue } from './project-catalogue.ts'
import { skippedUnits } from './skipped-units.ts'

/** The tenant whose spans are matched. */
export interface MatchTenant {
  readonly projectId: string
  readonly envProjectId: string
}

/** Which setup versions match which spans of a batch, and the revision that this holds for. */
export type Decision = Pick<PackedBatch, 'revision' | 'matches'>

/** Which spans of a batch a setup matches. */
export interface SetupMatch {
  readonly spanCount: number
  readonly units: UnitSet
  /** Those among them that monitors of the setup skip; absent where its selector names its spans. */
  readonly skipped?: SkippedUnits
  /** For each span 16 bytes of the trace id and 8 of the span id. */
  readonly ids: Uint8Array
}

/** A request, read. */
export interface PackedRequest {
  readonly acceptedSpans: number
  /** The message to the sender about rejected spans; absent when there are none. */
  readonly partialSuccess?: PartialSuccess
  /** Absent when there is nothing to store. */
  readonly batch?: Omit<PackedBatch, 'receivedAtMs'>
}

/** A request, read and packed, without being matched: another process stores it later. */
export interface CheckedRequest extends Omit<PackedRequest, 'batch'> {
  /** Absent when there is nothing to store. */
  readonly packed?: PackedSpans
}

/** The stored part of a packed request besides the request itself. */
export type DecidedSpans = Decision & Pick<PackedBatch, 'ids' | 'startSeconds'>

const IDS_BYTES = 24
const TRACE_ID_BYTES = 16
const NANOSECONDS = 1_000_000_000n

/**
 * Everything about incoming spans that takes the CPU: reading, matching and packing them. Keeps the setups it matches with, which
 * must not change for a project while something of it is done in slices.
 */
export class BatchPacker {
  readonly #catalogues = new Map<string, ProjectCatalogue>()

  /** Takes a change of a project's setups, or all of them; tells how many there are now. */
  follow(projectId: string, change: CatalogueChange, isWhole: boolean): number {
    if (isWhole) this.#catalogues.set(projectId, new ProjectCatalogue(change))
    else this.#catalogueOf(projectId).follow(change)
    return this.#catalogueOf(projectId).setupCount
  }

  /** Lets go of a project's setups. */
  forget(projectId: string): void {
    this.#catalogues.delete(projectId)
  }

  /** Reads a request; throws what the sender may know when it cannot be read. */
  *pack(tenant: MatchTenant, body: Uint8Array, encoding: OtlpEncoding): Sliced<PackedRequest> {
    const request = scanRequest(body, encoding)
    const { spans } = request
    if (spans.length === 0) return answerOf(request)
    const decided = yield* this.#decideAll(tenant, spans)
    return { ...answerOf(request), batch: { ...decided, ...packedOf(request) } }
  }

  /** The same for a process that has no setups to match with. */
  check(body: Uint8Array, encoding: OtlpEncoding): CheckedRequest {
    const request = scanRequest(body, encoding)
    return { ...answerOf(request), ...(request.spans.length > 0 ? { packed: packedOf(request) } : {}) }
  }

  /** Reads the log records of a request that are the content of spans. */
  readLogs(body: Uint8Array, encoding: OtlpEncoding): ReadLogs {
    return readLogs(body, encoding)
  }

  /** The same for a stream. */
  checkLogs(body: Uint8Array, encoding: OtlpEncoding): CheckedLogs {
    return checkLogs(body, encoding)
  }

  /** Reads the log records of a message of a stream. */
  unpackLogs(packed: PackedSpans): NewContent[] {
    return unpackLogs(packed)
  }

  /** Decides a request that another process has checked; one that cannot be unpacked will never be, and is told apart. */
  *decide(tenant: MatchTenant, packed: PackedSpans): Sliced<DecidedSpans> {
    return yield* this.#decideAll(tenant, unpackChecked(packed))
  }

  /** Decides a packed batch anew, with the setups of now. */
  *match(tenant: MatchTenant, batch: PackedSpans): Sliced<Decision> {
    return yield* this.#decide(tenant, unpackSpansSync(batch))
  }

  /** Which spans of a stored batch one setup matches; the same matcher as for spans that come in. */
  *matchSetup(setup: CatalogueSetup, batch: PackedSpans): Sliced<SetupMatch> {
    const spans = unpackSpansSync(batch)
    const catalogue = new ProjectCatalogue({ revision: 0, current: [setup], endedSetupIds: [] })
    const [match] = yield* catalogue.matchInSlices(setup.envProjectId, spans)
    const units = match?.units ?? emptyUnits(spans.length)
    const skipped = yield* skippedUnits(setup, spans, units)
    return { spanCount: spans.length, units, ids: idsOf(spans), ...defined({ skipped }) }
  }

  /** Sums up a packed batch; `repeated` are places of spans that an earlier one has brought. */
  digest(batchId: number, batch: PackedSpans, repeated: readonly number[]): BatchDigest {
    return digestSpans(batchId, unpackSpansSync(batch), new Set(repeated))
  }

  /** Reads a stored batch, to be compared with the rows derived from it. */
  inspect(batchId: number, batch: PackedSpans, repeated: readonly number[]): BatchFacts {
    const spans = unpackSpansSync(batch)
    const digest = digestSpans(batchId, spans, new Set(repeated))
    return { ids: idsOf(spans), startSeconds: startSecondsOf(spans), digest }
  }

  *#decideAll(tenant: MatchTenant, spans: readonly SpanView[]): Sliced<DecidedSpans> {
    const decision = yield* this.#decide(tenant, spans)
    return { ...decision, ids: idsOf(spans), startSeconds: startSecondsOf(spans) }
  }

  *#decide({ projectId, envProjectId }: MatchTenant, spans: readonly SpanView[]): Sliced<Decision> {
    const catalogue = this.#catalogueOf(projectId)
    const { revision } = catalogue
    return { revision, matches: yield* catalogue.matchInSlices(envProjectId, spans) }
  }

  #catalogueOf(projectId: string): ProjectCatalogue {
    const catalogue = this.#catalogues.get(projectId)
    if (!catalogue) throw new Error(`the setups of project ${projectId} are not here`)
    return catalogue
  }
}

function unpackChecked(packed: PackedSpans): readonly SpanView[] {
  try {
    return unpackSpansSync(packed)
  } catch (error) {
    throw invalidInput(`the spans cannot be unpacked: ${(error as Error).message}`)
  }
}

function answerOf(request: TraceBatch): Omit<PackedRequest, 'batch'> {
  const partialSuccess = partialSuccessOf(request)
  return { acceptedSpans: request.spans.length, ...(partialSuccess ? { partialSuccess } : {}) }
}

function packedOf({ bytes, rejectedPlaces }: TraceBatch): PackedSpans {
  return { bytes: compress(bytes), byteLength: bytes.length, knownFaults: rejectedPlaces }
}

function idsOf(spans: readonly SpanView[]): Uint8Array {
  const ids = new Uint8Array(spans.length * IDS_BYTES)
  for (const [ordinal, span] of spans.entries()) {
    ids.set(span.traceIdBytes, ordinal * IDS_BYTES)
    ids.set(span.spanIdBytes, ordinal * IDS_BYTES + TRACE_ID_BYTES)
  }
  return ids
}

// Exact, which a float of nanoseconds is not: the second is a part of the span's identity.
function startSecondsOf(spans: readonly SpanView[]): Float64Array {
  return Float64Array.from(spans, (span) => Number(span.startUnixNano / NANOSECONDS))
}
