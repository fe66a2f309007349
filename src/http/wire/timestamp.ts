import * as z from 'zod'

/** A moment on the wire. */
export const timestamp = z.iso.datetime().describe('ISO 8601, UTC.')

/** Milliseconds since 1970 in the form of the wire. */
export function toTimestamp(ms: number): string {
  return new Date(ms).toISOString()
}
