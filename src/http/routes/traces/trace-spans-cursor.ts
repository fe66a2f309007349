import * as z from 'zod'
import type { TraceSpanPosition } from '../../../query/show-trace.ts'

const CURSOR = /^trace-spans:(\d{1,20}):([0-9a-f]{16})$/

/** A place between the spans of a trace as a cursor that tells nothing. */
export function toTraceSpansCursor({ startUnixNano, spanId }: TraceSpanPosition): string {
  return Buffer.from(`trace-spans:${startUnixNano}:${spanId}`).toString('base64url')
}

/** The cursor of the spans of a trace in a query. */
export const traceSpansCursor = z
  .string()
  .transform((text, context): TraceSpanPosition => {
    const [, startUnixNano, spanId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
    if (startUnixNano !== undefined && spanId !== undefined) {
      return { startUnixNano: BigInt(startUnixNano), spanId }
    }
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
    return z.NEVER
  })
  .describe('The `next_cursor` of the page before.')
