/** Chunks that are longer are links, keys or data, not disguised words. */
const CHUNK_CHARS_MAX = 30
/** Three letters with one of them hidden can be anything. */
const WORD_CHARS_MIN = 4

const OPENING = new Set('"\'“”‘’([{<,;:#*_~')
const CLOSING = new Set('"\'“”‘’)]}>,;:.!?')
const LINK = /:\/\/|^www\.|@[\w-]+\.\w/i
const SEPARATORS = /[-_.*~^|+]+/g
// Two stars between two letters are a power in several languages; code has signs around it that prose has not.
const POWER = /^[a-z]\*\*[a-z]$/i
const CODE_NEARBY = /[=()[\]{}<>/;`\d]/

const DIGITS: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
  '9': 'g',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'i',
  '+': 't',
}

/** A piece of text between white space, without the punctuation around it. */
export interface Chunk {
  readonly start: number
  readonly end: number
  /** The end of the text that was looked at: nothing before it belongs to another chunk. */
  readonly seenUpTo: number
}

/** The chunk around a place. One that is too long to be a word is cut off, and still too long. */
export function chunkAround(text: string, at: number, charsMax = CHUNK_CHARS_MAX): Chunk {
  let start = at
  let end = at + 1
  while (start > 0 && at - start <= charsMax && !isSpace(text.charCodeAt(start - 1))) start--
  while (end < text.length && end - at <= charsMax && !isSpace(text.charCodeAt(end))) end++
  const seenUpTo = end
  while (start < end && OPENING.has(text.charAt(start))) start++
  while (end > start && CLOSING.has(text.charAt(end - 1))) end--
  return { start, end, seenUpTo }
}

/** Whether a chunk is one of the words with letters replaced, masked or separated. */
export function isDisguised(text: string, { start, end }: Chunk, words: ReadonlySet<string>): boolean {
  const length = end - start
  if (length > CHUNK_CHARS_MAX || length < WORD_CHARS_MIN) return false
  if (isLink(text, { start, end })) return false
  const chunk = text.slice(start, end).toLowerCase()
  return (
    isSpelledWithDigits(chunk, words) ||
    words.has(chunk.replace(SEPARATORS, '')) ||
    (isMasked(chunk, words) && !isPower(text, start, end))
  )
}

/** Whether a chunk is, or begins like, an address on the web or of mail. */
export function isLink(text: string, { start, end }: Pick<Chunk, 'start' | 'end'>): boolean {
  return LINK.test(text.slice(start, end))
}

/** Whether letters that were written one by one end with one of the words. */
export function isDrawnApart(letters: string, words: ReadonlySet<string>): boolean {
  const last = letters.toLowerCase()
  for (let length = WORD_CHARS_MIN; length <= last.length; length++) {
    if (words.has(last.slice(-length))) return true
  }
  return false
}

function isSpace(code: number): boolean {
  return code === 32 || (code >= 9 && code <= 13) || code === 0xa0 || (code >= 0x2000 && code <= 0x200a)
}

function isSpelledWithDigits(chunk: string, words: ReadonlySet<string>): boolean {
  if (!/[\d@$!|+]/.test(chunk) || chunk.replace(/[^a-z]/g, '').length < 2) return false
  const letters = chunk.replace(/[\d@$!|+]/g, (sign) => DIGITS[sign] ?? sign).replace(/(.)\1{2,}/g, '$1$1')
  return words.has(letters) || words.has(letters.replaceAll('i', 'l'))
}

/** Letters with signs in the place of some: the first letter is there, and the signs are not just the end of the word. */
function isMasked(chunk: string, words: ReadonlySet<string>): boolean {
  if (!/^[a-z]+[-*#@$!%^_.]+[-a-z*#@$!%^_.]*$/.test(chunk)) return false
  const known = chunk.replace(/[^a-z]/g, '').length
  const isOneLetter = known === 1 && /^[fsbcn]\*{3,}$/.test(chunk)
  if (known < 2 && !isOneLetter) return false
  for (const word of words) {
    if (word.length === chunk.length && fits(chunk, word)) return true
  }
  return false
}

function fits(mask: string, word: string): boolean {
  for (let at = 0; at < mask.length; at++) {
    const letter = mask[at] ?? ''
    if (letter >= 'a' && letter <= 'z' && letter !== word[at]) return false
  }
  return true
}

function isPower(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - 6), start) + text.slice(end, end + 6)
  return POWER.test(text.slice(start, end)) && CODE_NEARBY.test(around)
}
