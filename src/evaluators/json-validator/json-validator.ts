import * as z from 'zod'
import { validatorFor } from '../../lib/json-schema/compiled-schemas.ts'
import { invalidInput } from '../../lib/public-error.ts'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'

export const jsonValidator = defineEvaluator({
  slug: 'json-validator',
  summary: 'Check whether a text is valid JSON, and optionally whether it fits a schema.',
  method: 'exact',
  input: z.object({ text: text('Text to check.') }),
  config: z.object({
    enable_schema_validation: z
      .boolean()
      .default(false)
      .describe('Whether the JSON must also fit the schema.'),
    schema_string: z
      .string()
      .optional()
      .describe('JSON Schema as JSON text; needed when schema validation is on.'),
  }),
  output: z.object({
    is_valid_json: z
      .boolean()
      .describe('True when the text is valid JSON and fits the schema, if one is checked.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isTrue('is_valid_json'), { pass: 'Valid JSON', fail: 'Invalid JSON' }),
  fromSpan: { text: 'completion' },
  examples: [
    { name: 'accepts valid JSON', input: { text: '{"city": "Oslo"}' }, output: { is_valid_json: true } },
    {
      name: 'rejects a trailing comma',
      input: { text: '{"city": "Oslo",}' },
      output: { is_valid_json: false },
    },
    {
      name: 'rejects JSON that does not fit the schema',
      input: { text: '{"age": "forty"}' },
      config: {
        enable_schema_validation: true,
        schema_string: '{"type": "object", "properties": {"age": {"type": "integer"}}, "required": ["age"]}',
      },
      output: { is_valid_json: false },
    },
  ],
  // The schema comes first: a broken one is the caller's mistake, whatever the text is.
  evaluate: ({ input, config }) => {
    const fits = config.enable_schema_validation
      ? validatorFor(requireSchema(config.schema_string))
      : () => true
    const parsed = parseJson(input.text)
    return { is_valid_json: parsed !== undefined && fits(parsed.value) }
  },
})

function requireSchema(schemaText: string | undefined): string {
  if (schemaText === undefined || schemaText.trim() === '') {
    throw invalidInput('config.schema_string is required when config.enable_schema_validation is true')
  }
  return schemaText
}

/**
 * The characters that JSON can begin with. Most answers are prose, and an error of JSON.parse takes a hundred times as
 * long as this look.
 */
const JSON_START = /^[\t\n\r ]*[[{"\-0-9tfn]/

/** JSON.parse is RFC 8259 to the letter, and does not recurse: no nesting is too deep for it. */
function parseJson(json: string): { readonly value: unknown } | undefined {
  if (!JSON_START.test(json)) return undefined
  try {
    return { value: JSON.parse(json) }
  } catch {
    return undefined
  }
}
