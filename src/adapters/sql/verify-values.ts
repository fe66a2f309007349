/** What can be bound to a place in a statement of either database. */
export type SqlValue = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[]
