import { findValue, type NameSpan, readValue, type TextPlace } from './assigned-value.ts'
import { findsByteList } from './byte-list.ts'
import { isVendorValue } from './context-formats.ts'
import { OverlapLimit } from './overlap-limit.ts'
import { canBeSpoken, findProseSecret, PROSE_CHARS_MAX } from './prose-rule.ts'
import { readSecretName, type SecretName } from './secret-names.ts'
import { isSecretValue } from './secret-values.ts'

/** A name beyond this length is no name. */
const NAME_CHARS_MAX = 80

/** Reads the names of one text from its beginning to its end, each only once. */
export class AssignmentReader {
  readonly #text: string
  readonly #values = new OverlapLimit()
  readonly #sentences = new OverlapLimit()
  #readTo = 0
  #place: TextPlace | undefined

  constructor(text: string) {
    this.#text = text
  }

  /** Where the last secret stands that was found; undefined where only its neighbourhood is known. */
  get place(): TextPlace | undefined {
    return this.#place
  }

  /** True when the name around a keyword is given a secret. */
  isSecretAround(keywordStart: number, keywordEnd: number): boolean {
    if (keywordStart < this.#readTo) return false
    const span = nameAround(this.#text, keywordStart, keywordEnd)
    this.#readTo = span.end
    if (span.end - span.start > NAME_CHARS_MAX) return false
    const written = this.#text.slice(span.start, span.end)
    const name = readSecretName(written, wordBefore(this.#text, span.start))
    return name !== undefined && this.isGivenSecret(span, written, name)
  }

  /** The same for a name that is known already. */
  isGivenSecret(span: NameSpan, written: string, name: SecretName): boolean {
    const place = findValue(this.#text, span, name)
    if (place !== undefined && this.#values.allows(place.at)) {
      const { value, isLiteral, end } = readValue(this.#text, place.at, place.isLiteral)
      this.#values.reached(end)
      if (isVendorValue(written, value) || isSecretValue(name, value, { isLiteral, isProse: false })) {
        this.#place = { start: place.at, end }
        return true
      }
      this.#place = undefined
      if (findsByteList(this.#text, place.at)) return name.strength !== 'key'
    }
    if (!canBeSpoken(name) || !this.#sentences.allows(span.start)) return false
    this.#sentences.reached(span.end + PROSE_CHARS_MAX)
    this.#place = findProseSecret(this.#text, span.start, span.end, name)
    return this.#place !== undefined
  }
}

function nameAround(text: string, keywordStart: number, keywordEnd: number): NameSpan {
  let start = keywordStart
  while (start > 0 && keywordStart - start <= NAME_CHARS_MAX && isNamePart(text, start - 1, -1)) start--
  let end = keywordEnd
  while (end < text.length && end - keywordEnd <= NAME_CHARS_MAX && isNamePart(text, end, 1)) end++
  return { start, end }
}

/** A letter, digit or underscore; or a hyphen or dot with one of these on its far side. */
function isNamePart(text: string, at: number, direction: 1 | -1): boolean {
  const code = text.charCodeAt(at)
  if (isNameCode(code)) return true
  return (code === 45 || code === 46) && isNameCode(text.charCodeAt(at + direction))
}

function isNameCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  )
}

function wordBefore(text: string, at: number): string {
  return (/([A-Za-z]{1,20})[ _]$/.exec(text.slice(Math.max(0, at - 22), at))?.[1] ?? '').toLowerCase()
}
