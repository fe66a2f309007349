import { invalidInput, type PublicError } from '../public-error.ts'

/** How much of a text that a client wrote a message may repeat. */
const QUOTE_CHARS_MAX = 200

/** A 400 for a broken schema; names the place as a JSON Pointer, for example `/properties/a/type`. */
export function schemaFault(pointer: string, problem: string): PublicError {
  return invalidInput(
    pointer === '' ? `config.schema_string ${problem}` : `config.schema_string: ${pointer} ${problem}`,
  )
}

/** One step of a JSON Pointer, with the slash before it. */
export function pointerStep(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** Text of a client in a message, cut where it gets long. */
export function quoted(text: string): string {
  return text.length > QUOTE_CHARS_MAX ? `${text.slice(0, QUOTE_CHARS_MAX)}...` : text
}
