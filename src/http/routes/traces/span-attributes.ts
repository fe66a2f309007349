import * as z from 'zod'
import { ATTRIBUTE_SOURCES } from '../../../lib/otlp/span.ts'
import { listSpanAttributes, listSpanAttributeValues } from '../../../query/span-attributes.ts'
import { defineRoute } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { boundedText, requiredName, TEXT_CHARS_MAX } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'

const LIMIT_DEFAULT = 100
const LIMIT_MAX = 1_000
const SAMPLED =
  'from a sample of the newest stored spans of the environment of the key: at most 1,000 spans and about 16 MB of them'

const searchFields = {
  q: boundedText().optional().describe('Only those that contain this, in upper or lower case.'),
  limit: pageLimit(LIMIT_MAX).optional().describe(`How many; ${LIMIT_DEFAULT} unless told otherwise.`),
}
const source = z.enum(ATTRIBUTE_SOURCES)
const spansSampled = z.int().describe('How many spans were looked at.')

const attributesOutput = z
  .object({
    attributes: z
      .array(
        z.object({
          source,
          key: z.string(),
          spans: z.int().describe('Sampled spans that have it.'),
          examples: z.array(z.string()).max(3).describe('Different values as text, cut.'),
        }),
      )
      .describe('The most frequent first.'),
    spans_sampled: spansSampled,
    from: timestamp.nullable().describe('When the oldest sampled span began; null when there is none.'),
    to: timestamp.nullable().describe('When the newest sampled span began; null when there is none.'),
  })
  .meta({ id: 'SpanAttributes' })

export const listSpanAttributesRoute = defineRoute({
  method: 'GET',
  path: '/v2/span-attributes',
  operationId: 'listSpanAttributes',
  tag: 'Spans',
  summary: 'List the attributes that spans have',
  description: `For writing selectors; ${SAMPLED}.`,
  access: 'read',
  query: z.object(searchFields),
  success: { status: 200, description: 'The attributes.', schema: attributesOutput },
  async handle({ principal, query }, { storage }): Promise<z.output<typeof attributesOutput>> {
    const { q: text = '', limit = LIMIT_DEFAULT } = query
    const seen = await listSpanAttributes(storage, principal, { text, limit })
    return {
      attributes: seen.attributes.map((each) => ({ ...each, examples: [...each.examples] })),
      spans_sampled: seen.spansSampled,
      from: toNullable(seen.fromMs),
      to: toNullable(seen.toMs),
    }
  },
})

const valuesOutput = z
  .object({
    values: z
      .array(
        z.object({
          value: z.string().describe('As text, which is how rules compare it.'),
          is_cut: z.boolean().describe('Whether it was too long to be shown as a whole.'),
          spans: z.int().describe('Sampled spans that have it.'),
        }),
      )
      .describe('The most frequent first; an array of values counts for each of them.'),
    spans_sampled: spansSampled,
  })
  .meta({ id: 'SpanAttributeValues' })

export const listSpanAttributeValuesRoute = defineRoute({
  method: 'GET',
  path: '/v2/span-attributes/values',
  operationId: 'listSpanAttributeValues',
  tag: 'Spans',
  summary: 'List the values of an attribute of spans',
  description: `For writing selectors; ${SAMPLED}.`,
  access: 'read',
  query: z.object({
    source: source.optional().describe('`span_attributes` unless told otherwise.'),
    key: requiredName(TEXT_CHARS_MAX).describe('The name of the attribute.'),
    ...searchFields,
  }),
  success: { status: 200, description: 'The values.', schema: valuesOutput },
  async handle({ principal, query }, { storage }): Promise<z.output<typeof valuesOutput>> {
    const { source: from = 'span_attributes', key, q: text = '', limit = LIMIT_DEFAULT } = query
    const seen = await listSpanAttributeValues(storage, principal, { source: from, key, text, limit })
    return {
      values: seen.values.map(({ value, isCut, spans }) => ({ value, is_cut: isCut, spans })),
      spans_sampled: seen.spansSampled,
    }
  },
})

function toNullable(ms: number | undefined): string | null {
  return ms === undefined ? null : toTimestamp(ms)
}
