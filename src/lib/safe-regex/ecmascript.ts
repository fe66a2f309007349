import {
  type CodePointSet,
  classMembers,
  complementOf,
  EVERYTHING,
  rangeOf,
  unionOf,
} from './character-sets.ts'
import { RegexCursor } from './cursor.ts'
import { choiceOf, type RegexNode, sequenceOf } from './syntax-tree.ts'

/** Deeper patterns are left to V8: they would overflow the stack of this parser. */
const NESTING_MAX = 200

const LINE_ENDS = unionOf([rangeOf(0x0a), rangeOf(0x0d), rangeOf(0x2028, 0x2029)])
const DIGITS = '0123456789'
const HEX_DIGITS = '0123456789abcdefABCDEF'
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 0x09],
  ['n', 0x0a],
  ['v', 0x0b],
  ['f', 0x0c],
  ['r', 0x0d],
  ['0', 0x00],
])

/** How the text and the options change what a pattern means. */
export interface EcmascriptReading {
  readonly dotAll: boolean
  /** The text is known to be all ASCII, so that classes need no other members. */
  readonly asciiText: boolean
}

/**
 * Reads a pattern that `new RegExp(source, 'u')` has accepted. Undefined when it holds something that no linear engine
 * can do: look-around, references, inline modifiers.
 */
export function parseEcmascript(source: string, reading: EcmascriptReading): RegexNode | undefined {
  try {
    return new EcmascriptParser(source, reading).choice()
  } catch (error) {
    if (error === NOT_LINEAR) return undefined
    throw error
  }
}

const NOT_LINEAR = new Error('needs a backtracking engine')

class EcmascriptParser {
  readonly #cursor: RegexCursor
  readonly #reading: EcmascriptReading
  #depth = 0

  constructor(source: string, reading: EcmascriptReading) {
    this.#cursor = new RegexCursor(source)
    this.#reading = reading
  }

  choice(): RegexNode {
    const branches: RegexNode[] = []
    do {
      branches.push(this.#sequence())
    } while (this.#cursor.match('|'))
    return choiceOf(branches)
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = []
    while (this.#cursor.next !== undefined && this.#cursor.next !== '|' && this.#cursor.next !== ')') {
      items.push(this.#repeated(this.#atom()))
    }
    return sequenceOf(items)
  }

  #atom(): RegexNode {
    const token = this.#cursor.take() as string
    switch (token) {
      case '^':
        return { kind: 'place', place: 'textStart' }
      case '$':
        return { kind: 'place', place: 'textEnd' }
      case '\\b':
        return { kind: 'place', place: 'asciiWordEdge' }
      case '\\B':
        return { kind: 'place', place: 'asciiNoWordEdge' }
      case '.':
        return { kind: 'set', set: this.#reading.dotAll ? EVERYTHING : complementOf(LINE_ENDS) }
      case '[':
        return { kind: 'set', set: this.#class() }
      case '(':
        return this.#group()
    }
    const member = this.#member(token)
    return { kind: 'set', set: typeof member === 'number' ? rangeOf(member) : member }
  }

  /** The kind of a group does not matter to a linear engine, as long as it is one that only groups. */
  #group(): RegexNode {
    const cursor = this.#cursor
    if (cursor.match('?')) {
      const kind = cursor.take()
      if (kind === '<' && cursor.next !== '=' && cursor.next !== '!') cursor.takeUntil('>', 'group name')
      else if (kind !== ':') throw NOT_LINEAR
    }
    this.#depth += 1
    if (this.#depth > NESTING_MAX) throw NOT_LINEAR
    const body = this.choice()
    this.#depth -= 1
    cursor.match(')')
    return { kind: 'sequence', items: [body] }
  }

  #repeated(item: RegexNode): RegexNode {
    const cursor = this.#cursor
    let min = 0
    let max = Number.POSITIVE_INFINITY
    if (cursor.match('?')) max = 1
    else if (cursor.match('+')) min = 1
    else if (cursor.match('{')) {
      min = Number(cursor.takeWhile(DIGITS))
      const high = cursor.match(',') ? cursor.takeWhile(DIGITS) : `${min}`
      if (high !== '') max = Number(high)
      cursor.match('}')
    } else if (!cursor.match('*')) return item
    cursor.match('?')
    return { kind: 'repeat', min, max, mode: 'greedy', item }
  }

  #class(): CodePointSet {
    const cursor = this.#cursor
    const isNegated = cursor.match('^')
    const sets: CodePointSet[] = []
    while (!cursor.match(']')) {
      const low = this.#classMember()
      if (typeof low !== 'number') {
        sets.push(low)
        continue
      }
      const afterLow = cursor.position
      if (cursor.match('-') && cursor.next !== ']') {
        sets.push(rangeOf(low, this.#classMember() as number))
      } else {
        cursor.seek(afterLow)
        sets.push(rangeOf(low))
      }
    }
    const set = unionOf(sets)
    return isNegated ? complementOf(set) : set
  }

  #classMember(): number | CodePointSet {
    const token = this.#cursor.take() as string
    return token === '\\b' ? 0x08 : this.#member(token)
  }

  /** The code point or the set that a token stands for, inside and outside of classes. */
  #member(token: string): number | CodePointSet {
    if (!token.startsWith('\\')) return token.codePointAt(0) as number
    const cursor = this.#cursor
    const letter = token.slice(1)
    const control = CONTROLS.get(letter)
    if (control !== undefined) return control
    if ('dDwWsS'.includes(letter)) return classMembers(token, this.#reading.asciiText)
    switch (letter) {
      case 'p':
      case 'P':
        cursor.match('{')
        return classMembers(`${token}{${cursor.takeUntil('}', 'property')}}`, this.#reading.asciiText)
      case 'c':
        return ((cursor.take() as string).codePointAt(0) as number) % 32
      case 'x':
        return Number.parseInt(cursor.takeWhile(HEX_DIGITS, 2), 16)
      case 'u':
        return this.#unicodeEscape()
    }
    if (/^[1-9k]$/.test(letter)) throw NOT_LINEAR
    return letter.codePointAt(0) as number
  }

  #unicodeEscape(): number {
    const cursor = this.#cursor
    if (cursor.match('{')) return Number.parseInt(cursor.takeUntil('}', 'code point'), 16)
    const unit = Number.parseInt(cursor.takeWhile(HEX_DIGITS, 4), 16)
    const afterUnit = cursor.position
    if (unit >= 0xd800 && unit <= 0xdbff && cursor.match('\\u')) {
      const low = Number.parseInt(cursor.takeWhile(HEX_DIGITS, 4), 16)
      if (low >= 0xdc00 && low <= 0xdfff) return (unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x10000
    }
    cursor.seek(afterUnit)
    return unit
  }
}
