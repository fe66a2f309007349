import type { Message } from '../../src/domain/span-fields/canonical-values.ts'
import type { TraceFields } from '../../src/domain/trace-fields/trace-fields.ts'
import type { AttributeValue, Span } from '../../src/lib/otlp/span.ts'

/** A span of a sample trace with the spans within it, in the order in which they happened. */
export interface SampleSpan {
  readonly name: string
  readonly attributes?: Readonly<Record<string, AttributeValue>>
  readonly error?: string
  /** Milliseconds by which the clock of its machine is behind. */
  readonly behindMs?: number
  readonly within?: readonly SampleSpan[]
}

/** The spans of a trace. Every span takes a millisecond before and after what is within it; ids are made of the number. */
export function spansOfTrace(traceNumber: number, ...samples: readonly SampleSpan[]): Span[] {
  const traceId = traceNumber.toString(16).padStart(32, '0')
  const spans: Span[] = []
  let nowMs = traceNumber * 1_000_000
  const visit = (sample: SampleSpan, parentSpanId: string | undefined): void => {
    const { name, attributes = {}, error, behindMs = 0, within = [] } = sample
    const spanId = (spans.length + 1).toString(16).padStart(16, '0')
    const startMs = nowMs++
    const place = spans.push(undefined as never) - 1
    for (const child of within) visit(child, spanId)
    spans[place] = {
      ...{
        traceId,
        spanId,
        ...(parentSpanId !== undefined && { parentSpanId }),
        traceState: '',
        name,
        kind: 1,
      },
      startUnixNano: BigInt(startMs - behindMs) * 1_000_000n,
      endUnixNano: BigInt(nowMs++ - behindMs) * 1_000_000n,
      ...{ statusCode: error === undefined ? 0 : 2, statusMessage: error ?? '' },
      attributes: new Map(Object.entries(attributes)),
      ...{ resource: new Map(), scopeName: '', scopeVersion: '', events: [] },
    }
  }
  for (const sample of samples) visit(sample, undefined)
  return spans
}

/** A conversation as a person would write it down. */
export function transcript(fields: TraceFields | undefined): string[] {
  return (fields?.get('messages') ?? []).map(lineOf)
}

function lineOf({ role, name, content, tool_calls: calls = [] }: Message): string {
  const called = calls.map((call) => `-> ${call.name}(${JSON.stringify(call.arguments)})`)
  return [`${[role, name].filter(Boolean).join(' ')}:`, ...(content === '' ? [] : [content]), ...called].join(
    ' ',
  )
}
