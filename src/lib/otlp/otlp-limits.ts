/**
 * The limits of a request and of a span. A span beyond its limits is rejected by itself; the rest of its batch is kept.
 */

/**
 * Most spans of one request, rejected ones included; a request beyond it is refused as a whole. A request is one transaction
 * of the store, and this many take it a second. It may grow, but not shrink: stored batches are scanned again.
 */
export const SPANS_MAX = 100_000

/**
 * Most values of one request in JSON, counted by commas and opening brackets. 16 MiB of nothing but the smallest attributes
 * have fewer.
 */
export const JSON_VALUES_MAX = 2_000_000

/** Largest encoded span, in bytes. A body has its own limit before it comes here. */
export const SPAN_BYTES_MAX = 16 * 1024 * 1024

/** Most attributes of one span, one resource, one scope, one event or one link. */
export const ATTRIBUTES_MAX = 10_000

/** Most events of one span: an empty event is two bytes on the wire and a hundred times that in memory. */
export const EVENTS_MAX = 10_000

/**
 * Deepest nesting of arrays and maps in an attribute. A map inside a map takes three messages, so this stays below the
 * 100 messages that the official parsers allow: nothing they accept at this depth is lost, nothing deeper is portable.
 */
export const VALUE_DEPTH_MAX = 30

/** Deepest nesting of groups in an unknown field, as in the official parsers. */
export const GROUP_DEPTH_MAX = 100

/** Most rejected spans whose reason is kept; further ones are only counted. */
export const REJECTIONS_KEPT_MAX = 20
