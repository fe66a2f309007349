import type { CanonicalField } from '../evaluator.ts'
import { textOrJson } from './json-value.ts'

/**
 * A value as the text that evaluators take: texts and numbers as they are, lists and objects as JSON text. Documents of
 * `context` become one text with a blank line between them, because judges read them as prose. Undefined where there is
 * nothing; an empty text that was mapped explicitly is a text.
 */
export function inputText(value: unknown, field?: CanonicalField): string | undefined {
  if (value === '') return ''
  if (field === 'context' && Array.isArray(value)) {
    const documents = value.flatMap((document) => textOrJson(document) ?? [])
    return documents.length > 0 ? documents.join('\n\n') : undefined
  }
  return textOrJson(value)
}
