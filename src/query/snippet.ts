/** Characters of a text that are shown before its first match, and behind it. */
const BEFORE_MAX = 60
const BEHIND_MAX = 180
/** Matches that are marked in one snippet. */
const MATCHES_MAX = 20

/** One line of a text around a match. */
export interface Snippet {
  readonly text: string
  /** The places of matches in it, in Unicode code points; the end is not included. */
  readonly matches: readonly { readonly start: number; readonly end: number }[]
}

/** A snippet of a text that contains another one, whatever the case of its letters; `needle` is in lower case. */
export function snippetOf(text: string, needle: string): Snippet | undefined {
  const lower = text.toLowerCase()
  const first = lower.indexOf(needle)
  if (first < 0) return undefined
  // A few letters are longer in lower case, and then every place is looked up.
  const placeOf = lower.length === text.length ? (at: number) => at : placesOf(text)
  const from = wholeCharacter(text, Math.max(0, placeOf(first) - BEFORE_MAX))
  const to = wholeCharacter(text, Math.min(text.length, placeOf(first + needle.length) + BEHIND_MAX))
  const line = new Line(from > 0 ? '…' : '')
  let at = from
  for (let match = first; match >= 0 && line.matches.length < MATCHES_MAX; ) {
    const end = placeOf(match + needle.length)
    if (end > to) break
    line.add(text.slice(at, placeOf(match)))
    line.mark(text.slice(placeOf(match), end))
    at = end
    match = lower.indexOf(needle, match + needle.length)
  }
  line.add(text.slice(at, to))
  if (to < text.length) line.add('…')
  return { text: line.text, matches: line.matches }
}

/** Puts a line together and counts its characters. */
class Line {
  readonly matches: { start: number; end: number }[] = []
  text: string
  #length: number

  constructor(text: string) {
    this.text = text
    this.#length = text.length
  }

  add(part: string): void {
    const plain = part.replace(/[\s\p{Cc}]+/gu, ' ').toWellFormed()
    this.text += plain
    for (const _ of plain) this.#length++
  }

  mark(part: string): void {
    const start = this.#length
    this.add(part)
    this.matches.push({ start, end: this.#length })
  }
}

/** Where each place in the lower-case form of a text lies in the text itself. */
function placesOf(text: string): (at: number) => number {
  const places: number[] = []
  let at = 0
  for (const character of text) {
    for (let unit = 0; unit < character.toLowerCase().length; unit++) places.push(at)
    at += character.length
  }
  return (place) => places[place] ?? text.length
}

/** The place itself, or the one before where it lies within a character of two units. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff ? at - 1 : at
}
