import { PublicError } from '../public-error.ts'
import { JSON_VALUES_MAX } from './otlp-limits.ts'

/** Fewest digits of an integer that may not be exact as a JavaScript number. */
const INEXACT_DIGITS_MIN = 16
/** Most characters of a 64-bit integer; a longer one is out of every range. */
const INT64_CHARACTERS_MAX = 20

const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * Looks over JSON before it is parsed. Refuses a text with more values than a request may have, because parsing takes up to
 * twenty times the memory of the text, and a thread that runs out of memory inside the parser takes the process with it.
 * Puts long bare integers into quotes, where a 64-bit integer is read digit by digit; the parser would round them.
 */
export function prepareJsonText(text: string): string {
  const parts: string[] = []
  let copied = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = endOfString(text, at)
    else if (code === 0x2c || code === 0x7b || code === 0x5b) {
      if (++values > JSON_VALUES_MAX)
        throw new PublicError(
          'too_large',
          `request has more than ${JSON_VALUES_MAX} JSON values; send smaller batches`,
        )
    } else if (isNumberPart(code)) {
      const start = at
      while (isNumberPart(text.charCodeAt(at + 1))) at++
      const number = text.slice(start, at + 1)
      if (!isLongInteger(number)) continue
      parts.push(text.slice(copied, start), '"', number, '"')
      copied = at + 1
    }
  }
  return copied === 0 ? text : `${parts.join('')}${text.slice(copied)}`
}

/** Where the string that starts here ends; the end of the text when it does not. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++
    if (backslashes % 2 === 0) return end
  }
  return text.length
}

/** Digits, signs, the point and the e of an exponent. */
function isNumberPart(code: number): boolean {
  return (
    (code >= 0x30 && code <= 0x39) ||
    code === 0x2d ||
    code === 0x2e ||
    code === 0x2b ||
    code === 0x65 ||
    code === 0x45
  )
}

function isLongInteger(number: string): boolean {
  return (
    number.length >= INEXACT_DIGITS_MIN &&
    number.length <= INT64_CHARACTERS_MAX &&
    // As JSON has it: no zero in front, or what is no JSON would become some.
    /^-?[1-9]\d{15,}$/.test(number)
  )
}
