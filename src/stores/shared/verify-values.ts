/** A value that can be bound to a placeholder in either database. */
export type SqlValue = string | number | null | Uint8Array | readonly (string | number | null | Uint8Array)[]
