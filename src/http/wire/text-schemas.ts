import * as z from 'zod'
import { boundedName } from '../../domain/bounded-name.ts'

/** How long a text of a setup may be, in Unicode code points, where nothing else is said. */
export const TEXT_CHARS_MAX = 4_096

/** A name that must be there: an empty one counts as missing, as it does for the clients written in Go. */
export function requiredName(charsMax: number) {
  return boundedText(charsMax)
    .refine((value) => value !== '', { error: 'is required', abort: true })
    .meta({ minLength: 1, maxLength: charsMax })
}

/** A text that may be empty. U+0000 is refused because not every store can hold it. */
export function boundedText(charsMax: number = TEXT_CHARS_MAX) {
  return z
    .string()
    .refine((value) => !exceedsCodePoints(value, charsMax), {
      error: `must be at most ${charsMax} characters`,
      abort: true,
    })
    .refine((value) => !value.includes('\0'), { error: 'must not contain the character U+0000', abort: true })
    .meta({ maxLength: charsMax })
}

/** The name of a session, a service or a model as spans bring it, in the form in which it is stored. */
export function spanName() {
  return boundedText().transform(boundedName)
}

// Characters are code points here as everywhere in this service: an emoji is one.
function exceedsCodePoints(value: string, max: number): boolean {
  if (value.length <= max) return false
  if (value.length > max * 2) return true
  let count = 0
  for (const _ of value) if (++count > max) return true
  return false
}
