import type { LabelledFile, LabelledRow } from '../src/cli/bench/labelled-data.ts'

// Files whose texts are ordinary, whatever else they were made for, and the field of the input that holds the text.
const ORDINARY_TEXTS: Readonly<Record<string, string>> = {
  'pii-detector.banking77.jsonl': 'text',
  'pii-detector.presidio-large.jsonl': 'text',
  'prompt-injection.awesome-prompts.jsonl': 'prompt',
  'prompt-injection.mitre-frr.jsonl': 'prompt',
  'prompt-perplexity.jailbreakbench.jsonl': 'prompt',
}

/** Ordinary texts of other files as rows of a detector that has to find nothing in them; none where that is not known. */
export function benignRows(slug: string, files: readonly LabelledFile[]): LabelledRow[] {
  if (slug !== 'profanity-detector') return []
  return files.flatMap(({ name, rows }) => {
    const field = ORDINARY_TEXTS[name]
    if (field === undefined) return []
    return rows
      .filter(({ meta }) => meta['label'] !== 'adversarial')
      .map(({ id, input }) => ({
        id,
        input: { text: (input as Record<string, unknown>)[field] },
        expected: { is_safe: true },
        meta: {},
      }))
  })
}
