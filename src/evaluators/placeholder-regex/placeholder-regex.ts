// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholder syntax looks like a template but is plain text.

import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { followsRegex, regexConfig } from '../local/regex-config.ts'
import { fillPlaceholder } from './fill-placeholder.ts'

export const placeholderRegex = defineEvaluator({
  slug: 'placeholder-regex',
  summary: 'Check a text against a pattern with a placeholder in it.',
  method: 'exact',
  input: z.object({
    placeholder_name: text('Name of the placeholder, which the pattern writes as ${name}.'),
    placeholder_value: text(
      'Pattern, as in Python, in which the placeholder stands for any text that is not empty.',
    ),
    text: text('Text to check.'),
  }),
  config: z.object(regexConfig),
  output: z.object({
    is_valid_regex: z.boolean().describe('True when the text does what should_match asks for.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isTrue('is_valid_regex'), { pass: 'Pattern satisfied', fail: 'Pattern not satisfied' }),
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
      name: 'takes a value without the placeholder as the whole pattern',
      input: { placeholder_name: 'name', placeholder_value: '^Hello \\w+$', text: 'Hello John' },
      output: { is_valid_regex: true },
    },
    {
      name: 'accepts a text that does not match when it must not',
      input: { placeholder_name: 'name', placeholder_value: 'Hello ${name}', text: 'Goodbye John Doe' },
      config: { should_match: false },
      output: { is_valid_regex: true },
    },
  ],
  evaluate: ({ input, config }) => {
    const pattern = fillPlaceholder(input.placeholder_value, input.placeholder_name)
    return { is_valid_regex: followsRegex('input.placeholder_value', pattern, input.text, config) }
  },
})
