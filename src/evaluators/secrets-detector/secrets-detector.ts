import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { noConfig, text } from '../kit/fields.ts'
import { isFalse, judgesBy } from '../kit/verdict-rule.ts'

export const secretsDetector = defineEvaluator({
  slug: 'secrets-detector',
  summary: 'Detect keys, tokens and passwords in a text.',
  method: 'detector',
  input: z.object({ text: text('Text to search.') }),
  config: noConfig,
  output: z.object({ has_secret: z.boolean().describe('True when a secret is found.') }),
  defaultScope: 'span',
  verdict: judgesBy(isFalse('has_secret'), { pass: 'No secrets', fail: 'Secret found' }),
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'finds nothing in an ordinary sentence',
      input: { text: 'Keep your key in the environment, not in the code.' },
      output: { has_secret: false },
    },
    {
      name: 'finds an access key',
      // Put together here so that scanners of this repository do not take the made-up key for a real one.
      input: { text: `aws_access_key_id = AKIA${'FAKE'.repeat(4)}` },
      output: { has_secret: true },
    },
    {
      name: 'finds a password in a sentence',
      input: { text: `The password for the staging box is ${'Tr0mb'}one-42!` },
      output: { has_secret: true },
    },
    {
      name: 'leaves placeholders and references alone',
      input: { text: 'export OPENAI_API_KEY=<your-api-key> DB_PASSWORD=$' + '{DB_PASSWORD}' },
      output: { has_secret: false },
    },
  ],
  // Linear, but not marked cheap: 32 KB that are written to keep it busy take 30 ms, too long for the main thread.
  // Loaded with the first call, in the thread that evaluates: the rules are long, and a start does not need them.
  async evaluate({ input }) {
    const { hasSecret } = await import('./detect-secrets.ts')
    return { has_secret: hasSecret(input.text) }
  },
})
