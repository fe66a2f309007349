import { type AnswerOf, checkAnswer, type ObjectShape } from '../../domain/answer-shape.ts'
import { parseStrictJson } from '../../lib/strict-json.ts'

/** Longest reply that is read, in characters. */
const REPLY_CHARS_MAX = 4_000_000

/**
 * Reads the text of the structured channel. All of it has to be one JSON document of the asked form: an object somewhere in
 * prose, two objects, or a key that occurs twice is not a verdict, because two readers could take it for different ones.
 */
export function readVerdict<Shape extends ObjectShape>(
  shape: Shape,
  text: string,
): { readonly answer: AnswerOf<Shape> } | { readonly fault: string } {
  if (text.length > REPLY_CHARS_MAX) return { fault: 'the answer is too long' }
  if (text.trim() === '') return { fault: 'the answer is empty' }
  let value: unknown
  try {
    value = parseStrictJson(Buffer.from(text))
  } catch (error) {
    return { fault: (error as Error).message.replace(/^invalid input: body/, 'the answer') }
  }
  return checkAnswer(shape, value)
}
