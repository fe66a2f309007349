import type { Span } from '../../lib/otlp/span.ts'
import { spanFields } from './span-fields.ts'

/** Operations of OpenTelemetry's conventions that have a conversation. */
const OPERATIONS: readonly unknown[] = [
  'chat',
  'completion',
  'generate_content',
  'invoke_agent',
  'text_completion',
]

/**
 * Whether a span calls a model and carries no messages itself: some instrumentations send those as log events, which may
 * still come. The last `contentCount` of its events came that way and do not count.
 */
export function awaitsContent(span: Span, contentCount: number): boolean {
  if (!isModelCall(span)) return false
  const fields = spanFields({ ...span, events: span.events.slice(0, span.events.length - contentCount) })
  return fields.get('input_messages') === undefined && fields.get('output_messages') === undefined
}

function isModelCall({ attributes }: Span): boolean {
  const operation = attributes.get('gen_ai.operation.name')
  if (operation !== undefined) return OPERATIONS.includes(operation)
  const hasProvider = attributes.has('gen_ai.system') || attributes.has('gen_ai.provider.name')
  return hasProvider && attributes.has('gen_ai.request.model')
}
