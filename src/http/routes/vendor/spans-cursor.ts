import * as z from 'zod'
import type { SpanPosition } from '../../../query/list-workflow-names.ts'

const CURSOR = /^spans:(\d{1,15}):([0-9a-f]{32}):([0-9a-f]{16})$/

/** A place between the spans of a project as a cursor that tells nothing. */
export function toSpansCursor({ second, traceId, spanId }: SpanPosition): string {
  return Buffer.from(`spans:${second}:${traceId}:${spanId}`).toString('base64url')
}

/** The cursor of the spans of a project in a query. */
export const spansCursor = z
  .string()
  .transform((text, context): SpanPosition => {
    const [, second, traceId, spanId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? []
    if (second !== undefined && traceId !== undefined && spanId !== undefined)
      return { second: Number(second), traceId, spanId }
    context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
    return z.NEVER
  })
  .describe('The cursor of the page before.')
