/** Deepest nesting that is read; the same as for JSON bodies. */
const DEPTH_MAX = 64

/** Escapes of one character in Python's texts. */
const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"' },
}

const CODE_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

const WORDS: readonly (readonly [word: string, value: boolean | null])[] = [
  ['True', true],
  ['False', false],
  ['None', null],
]

const NUMBER = /-?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?/y

/**
 * The list or object that the text of a Python value stands for: what `repr` writes for dicts, lists and tuples of texts,
 * numbers, True, False and None. Undefined for any other text, also for one that holds an object of a class.
 */
export function parsePythonStructure(text: string): object | undefined {
  if (!/^\s*[[{(]/.test(text)) return undefined
  const reader = new LiteralReader(text)
  const value = reader.read(0)
  return typeof value === 'object' && value !== null && reader.isAtEnd() ? value : undefined
}

/** No value, as opposed to None. */
const FAULT = Symbol('fault')
type Value = object | string | number | boolean | null
type Read = Value | typeof FAULT

/** Reads one literal from left to right, each character once. */
class LiteralReader {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  isAtEnd(): boolean {
    this.#skipSpace()
    return this.#at === this.#text.length
  }

  read(depth: number): Read {
    this.#skipSpace()
    const char = this.#text.charAt(this.#at)
    if (char === "'" || char === '"') return this.#readText(char)
    if (char === '[' || char === '(' || char === '{') {
      if (depth === DEPTH_MAX) return FAULT
      this.#at++
      if (char === '{') return this.#readDict(depth + 1)
      return this.#readItems(char === '[' ? ']' : ')', depth + 1)
    }
    return this.#readWord()
  }

  #readItems(end: string, depth: number): Read {
    const items: Value[] = []
    while (!this.#take(end)) {
      const item = this.read(depth)
      if (item === FAULT) return FAULT
      items.push(item)
      if (!this.#take(',') && !this.#isNext(end)) return FAULT
    }
    return items
  }

  #readDict(depth: number): Read {
    const entries: [string, Value][] = []
    while (!this.#take('}')) {
      const key = this.read(depth)
      if (key === FAULT || (typeof key === 'object' && key !== null) || !this.#take(':')) return FAULT
      const value = this.read(depth)
      if (value === FAULT) return FAULT
      entries.push([String(key), value])
      if (!this.#take(',') && !this.#isNext('}')) return FAULT
    }
    return Object.fromEntries(entries)
  }

  #readText(quote: string): Read {
    const pieces: string[] = []
    let from = ++this.#at
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text.charAt(this.#at)
      if (char === quote) {
        pieces.push(this.#text.slice(from, this.#at++))
        return pieces.join('')
      }
      // A text in these quotes ends with its line.
      if (char === '\n') return FAULT
      if (char !== '\\') continue
      pieces.push(this.#text.slice(from, this.#at))
      const escaped = this.#readEscape()
      if (escaped === undefined) return FAULT
      pieces.push(escaped)
      from = this.#at + 1
    }
    return FAULT
  }

  /** The character of an escape; afterwards the place is the last character of it. */
  #readEscape(): string | undefined {
    const kind = this.#text.charAt(++this.#at)
    const length = CODE_LENGTHS[kind]
    if (length === undefined) return ESCAPES[kind]
    const digits = this.#text.slice(this.#at + 1, this.#at + 1 + length)
    const code = /^[\da-fA-F]+$/.test(digits) && digits.length === length ? Number.parseInt(digits, 16) : -1
    if (code < 0 || code > 0x10ffff) return undefined
    this.#at += length
    return String.fromCodePoint(code)
  }

  #readWord(): Read {
    for (const [word, value] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue
      this.#at += word.length
      return value
    }
    NUMBER.lastIndex = this.#at
    const [number] = NUMBER.exec(this.#text) ?? []
    if (number === undefined) return FAULT
    this.#at += number.length
    return Number(number)
  }

  #take(char: string): boolean {
    const isThere = this.#isNext(char)
    if (isThere) this.#at++
    return isThere
  }

  #isNext(char: string): boolean {
    this.#skipSpace()
    return this.#text.charAt(this.#at) === char
  }

  #skipSpace(): void {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at++
  }
}
