import type { SelectorRule } from '../domain/selector.ts'
import type { EnvironmentTenant, ProjectTenant } from '../domain/tenant.ts'
import type { UnitSet } from '../domain/unit-set.ts'

/** The selector of one setup version, as the matcher needs it. */
export interface CatalogueSetup {
  /** Names the setup and its version at once; what a decision is stored with. */
  readonly setupVersion: number
  readonly setupId: string
  readonly envProjectId: string
  readonly selector: readonly SelectorRule[]
}

/** How a project's setups differ from what they were at an earlier revision. */
export interface CatalogueChange {
  readonly revision: number
  /** Setups that are new or have another version than before. */
  readonly current: readonly CatalogueSetup[]
  /** Setups that are gone or whose version was replaced, by setup id. */
  readonly endedSetupIds: readonly string[]
}

/** The spans of one request, decided and packed, on their way into the store. */
export interface PackedBatch {
  /** The revision of the project's setups that `matches` was decided with. */
  readonly revision: number
  /**
   * Those setups were read after the spans had arrived, so that whatever changed since then came later than the spans.
   * Absent or false: it is not known how old they are.
   */
  readonly isDecidedAfterArrival?: boolean
  readonly receivedAtMs: number
  /** It was taken out of a stream, so that something may have been deleted since it was received. */
  readonly isQueued?: boolean
  /** The request as protobuf, compressed with zstd. */
  readonly bytes: Uint8Array
  /** Length before compression. */
  readonly byteLength: number
  /** Places, among all spans of the request, of those that must be left out when the bytes are read again. */
  readonly knownFaults: readonly number[]
  /** 24 bytes for each accepted span: trace id, then span id. */
  readonly ids: Uint8Array
  /** The second in which each accepted span began. */
  readonly startSeconds: Float64Array
  readonly matches: readonly { readonly setupVersion: number; readonly units: UnitSet }[]
}

/** The outcome of a batch: stored, or refused because the setups have changed since it was decided. */
export type Admission =
  | {
      readonly batchId: number
      /** Spans that were not stored before. */
      readonly newSpans: number
      /** Whether something is to be evaluated now. */
      readonly hasWork: boolean
      /** Whether a setup matched that has entries without a monitor. */
      readonly hasUnbound: boolean
    }
  | 'stale'

/** A stored batch, as it was packed. */
export interface StoredBatch {
  readonly batchId: number
  readonly receivedAtMs: number
  readonly envProjectId: string
  readonly bytes: Uint8Array
  readonly byteLength: number
  readonly knownFaults: readonly number[]
}

/** Where a stored span lies. */
export interface SpanRef {
  /** The second in which it began. */
  readonly second: number
  readonly traceId: string
  readonly spanId: string
  readonly batchId: number
  /** Its place among the accepted spans of the batch. */
  readonly ordinal: number
}

/** A range of spans in order of their start, then of their ids. */
export interface SpanRange {
  readonly fromSecond: number
  /** Not included. */
  readonly toSecond: number
  readonly isDescending: boolean
  /** Only spans behind this one in the chosen order. */
  readonly after?: Pick<SpanRef, 'second' | 'traceId' | 'spanId'>
  readonly limit: number
}

/** The history of spans, confined to its tenant like everything else. */
export interface SpanStorage {
  /** The changes since a revision; without one, everything. */
  readCatalogue(tenant: ProjectTenant, sinceRevision?: number): Promise<CatalogueChange>
  /**
   * Stores the batch, the decisions and the work that follows from them, all or nothing. A span that the project has
   * already is left out of them. `stale` when the project's revision is no longer the batch's and the batch was not
   * decided after its arrival either: nothing is stored. Spans of deleted traces are not taken in, and neither is a batch out
   * of a stream that was received before all data of its project was deleted.
   */
  admitSpans(tenant: EnvironmentTenant, batch: PackedBatch): Promise<Admission>
  listSpanRefs(tenant: ProjectTenant, range: SpanRange): Promise<SpanRef[]>
  /** Those that still exist, in no particular order. */
  readBatches(tenant: ProjectTenant, batchIds: readonly number[]): Promise<StoredBatch[]>
}
