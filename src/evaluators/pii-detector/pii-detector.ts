import * as z from 'zod'
import { defineEvaluator } from '../kit/define-evaluator.ts'
import { reason, text, unitInterval } from '../kit/fields.ts'
import { isFalse, judgesBy } from '../kit/verdict-rule.ts'
import { type Finding, KIND_NAMES, type Kind } from './finding.ts'

export const piiDetector = defineEvaluator({
  slug: 'pii-detector',
  summary: 'Detect personal data in a text.',
  method: 'detector',
  input: z.object({ text: text('Text to search.') }),
  config: z.object({
    probability_threshold: unitInterval('Smallest confidence that counts as a finding.').default(0.8),
  }),
  output: z.object({
    has_pii: z.boolean().describe('True when personal data is found.'),
    reason: reason('What kinds of personal data are found.'),
  }),
  defaultScope: 'span',
  verdict: judgesBy(isFalse('has_pii'), { pass: 'No personal data', fail: 'Personal data found' }),
  fromSpan: { text: 'completion' },
  examples: [
    {
      name: 'finds an email address',
      input: { text: 'Write to jane@example.com for details.' },
      output: { has_pii: true, reason: 'Found an email address.' },
    },
    {
      name: 'finds nothing in an ordinary sentence',
      input: { text: 'The museum opens at ten.' },
      output: { has_pii: false, reason: 'No personal data found.' },
    },
    {
      name: 'finds a name and a phone number',
      input: { text: 'My name is Marta Kowalczyk, please call me on +48 601 234 567.' },
      output: { has_pii: true, reason: "Found a person's name and a phone number." },
    },
    {
      name: 'leaves places, dates and versions alone',
      input: { text: 'Version 10.2.14.1 was released in Lisbon on 2024-05-17.' },
      output: { has_pii: false, reason: 'No personal data found.' },
    },
  ],
  // Loaded with the first call, in the thread that evaluates: the rules are long, and a start does not need them.
  async evaluate({ input, config }) {
    const { findPii } = await import('./find-pii.ts')
    return answer(findPii(input.text), config.probability_threshold)
  },
})

/** Any one finding that is sure enough makes the answer. The reason names kinds in the order of the text, never values. */
function answer(findings: readonly Finding[], threshold: number): { has_pii: boolean; reason: string } {
  const sure = findings.filter(({ confidence }) => confidence >= threshold)
  const kinds = new Set(sure.toSorted((a, b) => a.start - b.start).map(({ kind }): Kind => kind))
  if (kinds.size === 0) return { has_pii: false, reason: 'No personal data found.' }
  const names = [...kinds].map((kind) => KIND_NAMES[kind])
  return { has_pii: true, reason: `Found ${joinWords(names)}.` }
}

function joinWords(names: readonly string[]): string {
  const [last = ''] = names.slice(-1)
  return names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`
}
