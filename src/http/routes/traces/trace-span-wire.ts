import * as z from 'zod'
import type { ToolResult } from '../../../domain/span-fields/canonical-values.ts'
import { spanFields } from '../../../domain/span-fields/span-fields.ts'
import { defined } from '../../../lib/defined.ts'
import { type Attributes, attributeText, type Span } from '../../../lib/otlp/span.ts'
import { spanOutput, toWireSpan } from '../vendor/warehouse-wire.ts'

/** Events of one span that are shown; a span may have thousands. */
export const EVENTS_SHOWN_MAX = 100

/** A span within its trace: what the vendor's store shows of it, and what a reader needs besides. */
export const traceSpanFields = {
  ...spanOutput.shape,
  start_ms: z.number().describe('When it began, in ms with their fraction.'),
  events: z
    .array(
      z.object({
        name: z.string(),
        at_ms: z.number().describe('When it happened, in ms since the span began.'),
        attributes: z.record(z.string(), z.string()),
      }),
    )
    .describe(`What happened during the span; the first ${EVENTS_SHOWN_MAX}.`),
  event_count: z.int(),
  documents: z.array(z.string()).describe('Documents that were retrieved, in any dialect.'),
  tool_calls: z
    .array(z.object({ name: z.string(), arguments: z.string(), id: z.string().optional() }))
    .describe('Tools that were called, in any dialect.'),
  tool_results: z
    .array(z.object({ name: z.string().optional(), result: z.string(), id: z.string().optional() }))
    .describe('What tools gave back, in any dialect.'),
}

/** A span within its trace in the form of the wire. */
export function toWireTraceSpan(span: Span, environment: string | undefined) {
  const fields = spanFields(span)
  return {
    ...toWireSpan(span, environment),
    start_ms: toMs(span.startUnixNano),
    events: span.events.slice(0, EVENTS_SHOWN_MAX).map(({ name, timeUnixNano, attributes }) => ({
      name,
      at_ms: Number(timeUnixNano - span.startUnixNano) / 1e6,
      attributes: toTexts(attributes),
    })),
    event_count: span.events.length,
    documents: [...(fields.get('context') ?? [])],
    tool_calls: (fields.get('tool_calls') ?? []).map(({ name, id, arguments: given }) => ({
      name,
      ...defined({ id }),
      arguments: toText(given),
    })),
    tool_results: (fields.get('tool_results') ?? []).map(toWireResult),
  }
}

// In two parts: a number holds the nanoseconds since 1970 only to a few hundred.
function toMs(nano: bigint): number {
  return Number(nano / 1_000_000n) + Number(nano % 1_000_000n) / 1e6
}

function toWireResult({ name, id, result }: ToolResult) {
  return {
    ...defined({ name, id }),
    result: toText(result),
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function toTexts(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(
    Array.from(attributes, ([key, value]) => [key, value === null ? '' : attributeText(value)]),
  )
}
