import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { isTrue, judgesBy } from '../kit/verdict-rule.ts'
import { isValidSql } from './is-valid-sql.ts'

export const sqlValidator = defineEvaluator({
  slug: 'sql-validator',
  summary: 'Check whether a text is valid PostgreSQL.',
  method: 'exact',
  input: z.object({ text: text('SQL to check.') }),
  config: noConfig,
  output: z.object({
    is_valid_sql: z
      .boolean()
      .describe('True when the syntax is valid; tables and columns are not looked up.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isTrue('is_valid_sql'), { pass: 'Valid SQL', fail: 'Invalid SQL' }),
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'accepts a query',
      input: { text: 'SELECT id, name FROM users WHERE age > 30 ORDER BY name;' },
      output: { is_valid_sql: true },
    },
    {
      name: 'rejects a misspelt keyword',
      input: { text: 'SELEC id FROM users;' },
      output: { is_valid_sql: false },
    },
  ],
  async evaluate({ input }) {
    return { is_valid_sql: await isValidSql(input.text) }
  },
})
