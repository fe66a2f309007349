import type { ProjectTenant } from '../domain/tenant.ts'

/** Names a span, in lower-case hex; without a span id, all spans of the trace. */
export interface SpanKey {
  readonly traceId: string
  readonly spanId?: string
}

/** An event that came as a log and belongs to a span. */
export interface SpanContent {
  readonly traceId: string
  readonly spanId: string
  /** A `Span.Event` in protobuf, compressed with zstd. */
  readonly bytes: Uint8Array
  /** Length before compression. */
  readonly byteLength: number
}

/** An event on its way into the store. */
export interface NewContent extends SpanContent {
  /** 16 bytes that are the same for the same event of the same span, however often it is sent. */
  readonly eventKey: Uint8Array
}

/** The events of one request. */
export interface ContentBatch {
  readonly receivedAtMs: number
  /** They were taken out of a stream, so that their project may have been emptied since they were received. */
  readonly isQueued?: boolean
  readonly contents: readonly NewContent[]
}

/** Events that came as logs, confined to their tenant like everything else. They may come before or after their span. */
export interface ContentStorage {
  /**
   * Stores the events, all or none, and tells how many were new. Events of deleted traces are left out, and so are those out of
   * a stream that were received before all data of their project was deleted.
   */
  addContents(tenant: ProjectTenant, batch: ContentBatch): Promise<number>
  /** The events of these spans in the order of their arrival; the newest are missing where they are too many. */
  readContents(tenant: ProjectTenant, spans: readonly SpanKey[]): Promise<SpanContent[]>
}
