import * as z from 'zod'
import { attributeAliases } from '../../../domain/attribute-aliases.ts'
import { CONDITION_OPERATORS } from '../../../domain/operators.ts'
import type { Message } from '../../../domain/span-fields/canonical-values.ts'
import { spanFields } from '../../../domain/span-fields/span-fields.ts'
import { defined } from '../../../lib/defined.ts'
import { type Attributes, type AttributeValue, attributeText, type Span } from '../../../lib/otlp/span.ts'
import { durationMs, kindName, statusName } from '../../../query/show-spans.ts'
import {
  conditionsInput,
  conditionsParam,
  logicalOperatorInput,
  sortOrderInput,
} from '../../wire/condition-wire.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { checkOrder, integerParam } from '../../wire/query-params.ts'
import { boundedText } from '../../wire/text-schemas.ts'
import { spansCursor } from './spans-cursor.ts'

export const SPANS_LIMIT_MAX = 1_000
export const SPANS_LIMIT_DEFAULT = 50
/** The last second that has four digits of years. */
export const SECOND_MAX = 253_402_300_799
const ENVIRONMENTS_MAX = 100
/** Most attribute filters in the address. */
const ATTRIBUTES_MAX = 50

const second = () => integerParam(0, SECOND_MAX)

const known = {
  from_timestamp_sec: second()
    .optional()
    .describe('Began at or after, in Unix seconds; absent: from the beginning.'),
  to_timestamp_sec: second().optional().describe('Began before, in Unix seconds; absent: no end.'),
  environments: z
    .union([boundedText().transform((one) => [one]), z.array(boundedText()).max(ENVIRONMENTS_MAX)])
    .optional()
    .describe('Slugs, may be repeated; absent: all environments.'),
  workflow: boundedText().optional().describe('Only spans of this workflow (`traceloop.workflow.name`).'),
  span_name: boundedText().optional().describe('Only spans of this name.'),
  sort_by: z.enum(['timestamp']).optional(),
  sort_order: sortOrderInput.optional(),
  limit: pageLimit(SPANS_LIMIT_MAX)
    .optional()
    .describe(`Most spans of a page; ${SPANS_LIMIT_DEFAULT} when absent.`),
  cursor: z
    .union([spansCursor, z.literal('0')])
    .optional()
    .describe('The `next_cursor` of the page before; 0 or absent for the first.'),
  filters: conditionsParam(conditionsInput('id', CONDITION_OPERATORS))
    .optional()
    .describe(
      'JSON: `[{"id", "operator", "value"}]`; the id is a field of the answer or the name of an attribute.',
    ),
  logical_operator: logicalOperatorInput
    .optional()
    .describe('How `filters` hold together; `AND` when absent.'),
}

/** The query for spans. Every other key is the name of an attribute and the text that it must have. */
export const spansQuery = z
  .object(known)
  .catchall(boundedText())
  .superRefine((query, context) => {
    checkOrder(
      context,
      ['from_timestamp_sec', 'to_timestamp_sec'],
      query.from_timestamp_sec,
      query.to_timestamp_sec,
    )
    const others = attributeFilters(query)
    if (others.length <= ATTRIBUTES_MAX) return
    const message = `is one attribute filter too many; at most ${ATTRIBUTES_MAX} are possible`
    context.addIssue({ code: 'custom', path: [others[ATTRIBUTES_MAX]?.[0] ?? ''], message })
  })

/** The keys of a query that name attributes. */
export function attributeFilters(query: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(query).filter(([name]) => !Object.hasOwn(known, name)) as [string, string][]
}

/** A span as the vendor's store shows it. */
export const spanOutput = z
  .object({
    environment: z.string().optional().describe('Slug of the environment it was sent to.'),
    timestamp: z.int().describe('When it began, in ms.'),
    trace_id: z.string(),
    span_id: z.string(),
    parent_span_id: z.string().optional().describe('Absent for the root of a trace.'),
    trace_state: z.string(),
    span_name: z.string(),
    span_kind: z.string(),
    service_name: z.string().optional(),
    resource_attributes: z.record(z.string(), z.string()),
    scope_name: z.string(),
    scope_version: z.string(),
    span_attributes: z.record(z.string(), z.string()).describe('Values as text; lists and maps as JSON.'),
    duration: z.number().describe('In ms.'),
    status_code: z.string(),
    status_message: z.string(),
    prompts: z
      .record(z.string(), z.string())
      .describe('Messages that were sent, as `llm.prompts.N.role` and so on.'),
    completions: z
      .record(z.string(), z.string())
      .describe('What came back, as `llm.completions.N.role` and so on.'),
    input: z.string().optional().describe('`traceloop.entity.input`, where the span has one.'),
    output: z.string().optional().describe('`traceloop.entity.output`, where the span has one.'),
  })
  .meta({ id: 'WarehouseSpan' })

/** A span as the vendor's MCP server reads it: with a list where the span has one and the client takes nothing else. */
export const listedSpanOutput = spanOutput
  .extend({
    span_attributes: z
      .record(z.string(), z.union([z.string(), z.array(z.string())]))
      .describe(`Values as text, maps and lists as JSON; the list of finish reasons as a list.`),
  })
  .meta({ id: 'ProjectSpan' })

/** A page of spans. */
export const spansOutput = z
  .object({
    spans: z.object({
      data: z.array(spanOutput),
      page_size: z.int().describe('Most spans of a page.'),
      total_results: z.int().describe('Spans in this answer.'),
      next_cursor: z.string().optional().describe('Absent on the last page.'),
    }),
  })
  .meta({ id: 'WarehouseSpans' })

/** A span in the form of the wire. */
export function toWireSpan(span: Span, environment: string | undefined): z.output<typeof spanOutput> {
  const { parentSpanId, attributes, resource } = span
  const fields = spanFields(span)
  const serviceName = textAt(resource, 'service.name')
  const input = textAt(attributes, 'traceloop.entity.input')
  const output = textAt(attributes, 'traceloop.entity.output')
  return {
    ...defined({ environment }),
    timestamp: Number(span.startUnixNano / 1_000_000n),
    trace_id: span.traceId,
    span_id: span.spanId,
    ...defined({ parent_span_id: parentSpanId }),
    trace_state: span.traceState,
    span_name: span.name,
    span_kind: kindName(span.kind),
    ...defined({ service_name: serviceName }),
    resource_attributes: toTexts(resource),
    scope_name: span.scopeName,
    scope_version: span.scopeVersion,
    span_attributes: toTexts(attributes),
    duration: durationMs(span),
    status_code: statusName(span.statusCode),
    status_message: span.statusMessage,
    prompts: toIndexed('llm.prompts', fields.get('input_messages') ?? []),
    completions: toIndexed('llm.completions', fields.get('output_messages') ?? []),
    ...defined({ input, output }),
  }
}

const LISTED_ATTRIBUTES = ['gen_ai.response.finish_reasons', 'llm.response.finish_reasons']

/**
 * A span in the form that the vendor's MCP server reads: the service stands among the attributes of each span, and a call of a
 * model is known by its vendor under an old name, which current SDKs do not send.
 */
export function toListedSpan(span: Span, environment: string | undefined): z.output<typeof listedSpanOutput> {
  const wire: z.output<typeof listedSpanOutput> = toWireSpan(span, environment)
  const vendor = attributeAliases('llm.vendor').find((name) => span.attributes.has(name))
  wire.span_attributes = {
    ...(vendor === undefined ? {} : { 'llm.vendor': textAt(span.attributes, vendor) ?? '' }),
    ...(wire.service_name === undefined ? {} : { 'service.name': wire.service_name }),
    ...wire.span_attributes,
  }
  for (const name of LISTED_ATTRIBUTES) {
    const value = span.attributes.get(name)
    if (Array.isArray(value)) wire.span_attributes[name] = value.map(nullableText)
  }
  return wire
}

function textAt(attributes: Attributes, name: string): string | undefined {
  const value = attributes.get(name)
  return value === undefined || value === null ? undefined : attributeText(value)
}

function toTexts(attributes: Attributes): Record<string, string> {
  return Object.fromEntries(Array.from(attributes, ([key, value]) => [key, nullableText(value)]))
}

function nullableText(value: AttributeValue): string {
  return value === null ? '' : attributeText(value)
}

function toIndexed(prefix: string, messages: readonly Message[]): Record<string, string> {
  return Object.fromEntries(
    messages.flatMap(({ role, content, tool_calls: calls = [] }, at) => [
      [`${prefix}.${at}.role`, role],
      [`${prefix}.${at}.content`, content],
      ...calls.flatMap(({ name, arguments: given }, index) => [
        [`${prefix}.${at}.tool_calls.${index}.name`, name],
        [
          `${prefix}.${at}.tool_calls.${index}.arguments`,
          typeof given === 'string' ? given : JSON.stringify(given),
        ],
      ]),
    ]),
  )
}
