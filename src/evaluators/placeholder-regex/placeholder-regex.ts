// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholder syntax looks like a template but is plain text.

import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text } from '../kit/fields.ts'

export const placeholderRegex = defineEvaluator({
  slug: 'placeholder-regex',
  summary: 'Check a text against a pattern with a placeholder in it.',
  method: 'exact',
  input: z.object({
    placeholder_name: text('Name of the placeholder, written ${name} in the pattern.'),
    placeholder_value: text('Pattern that the text is checked against.'),
    text: text('Text to check.'),
  }),
  config: z.object({
    should_match: z
      .boolean()
      .default(true)
      .describe('True when the text must match, false when it must not.'),
    case_sensitive: z.boolean().default(true).describe('Whether upper and lower case differ.'),
    dot_include_nl: z.boolean().default(false).describe('Whether a dot also matches a line break.'),
    multi_line: z.boolean().default(false).describe('Whether ^ and $ match at every line.'),
  }),
  output: z.object({
    is_valid_regex: z.boolean().describe('True when the text does what should_match asks for.'),
  }),
  defaultScope: 'span',
  fromSpan: { placeholder_name: null, placeholder_value: null, text: 'completion' },
  examples: [
    {
      name: 'lets the placeholder stand for any text',
      input: { placeholder_name: 'name', placeholder_value: 'Hello ${name}', text: 'Hello John Doe' },
      output: { is_valid_regex: true },
    },
    {
      name: 'rejects a text that differs around the placeholder',
      input: { placeholder_name: 'name', placeholder_value: 'Hello ${name}', text: 'Goodbye John Doe' },
      output: { is_valid_regex: false },
    },
    {
      name: 'accepts a text that does not match when it must not',
      input: { placeholder_name: 'name', placeholder_value: 'Hello ${name}', text: 'Goodbye John Doe' },
      config: { should_match: false },
      output: { is_valid_regex: true },
    },
  ],
})
