import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { followsRegex, regexConfig } from '../local/regex-config.ts'

export const regexValidator = defineEvaluator({
  slug: 'regex-validator',
  summary: 'Check a text against a regular expression.',
  method: 'exact',
  input: z.object({ text: text('Text to check.') }),
  config: z.object({
    regex: z
      .string()
      .default('')
      .describe('Pattern to look for, as in Python; an empty one matches every text.'),
    ...regexConfig,
  }),
  output: z.object({
    is_valid_regex: z.boolean().describe('True when the text does what should_match asks for.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isTrue('is_valid_regex'), { pass: 'Pattern satisfied', fail: 'Pattern not satisfied' }),
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
      name: 'finds the pattern anywhere in the text',
      input: { text: 'Order A-1042 has shipped.' },
      config: { regex: '(?P<order>[A-Z]-\\d{4})' },
      output: { is_valid_regex: true },
    },
    {
      name: 'ignores case when told to',
      input: { text: 'HELLO' },
      config: { regex: '^hello$', case_sensitive: false },
      output: { is_valid_regex: true },
    },
  ],
  // Found anywhere in the text, as re.search does: who wants the whole text writes ^ and $.
  evaluate: ({ input, config }) => ({
    is_valid_regex: followsRegex('config.regex', config.regex, input.text, config),
  }),
})
