import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text } from '../kit/fields.ts'

export const regexValidator = defineEvaluator({
  slug: 'regex-validator',
  summary: 'Check a text against a regular expression.',
  method: 'exact',
  input: z.object({ text: text('Text to check.') }),
  config: z.object({
    regex: z.string().default('').describe('Pattern to look for; an empty one matches every text.'),
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
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'accepts a text that matches',
      input: { text: '2026-05-20' },
      config: { regex: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
      output: { is_valid_regex: true },
    },
    {
      name: 'rejects a text that matches when it must not',
      input: { text: 'sorry, I cannot help' },
      config: { regex: '^sorry', should_match: false },
      output: { is_valid_regex: false },
    },
    {
      name: 'ignores case when told to',
      input: { text: 'HELLO' },
      config: { regex: '^hello$', case_sensitive: false },
      output: { is_valid_regex: true },
    },
  ],
})
