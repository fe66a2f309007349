import { withBothAsciiCases, withBothCases } from './case-folding.ts'
import { type CodePointSet, classMembers, complementOf, rangeOf, unionOf } from './character-sets.ts'
import type { RegexCursor } from './cursor.ts'
import type { PythonFlags } from './python-flags.ts'

const HEX_DIGITS = '0123456789abcdefABCDEF'
const OCTAL_DIGITS = '01234567'

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['\\a', 0x07],
  ['\\f', 0x0c],
  ['\\n', 0x0a],
  ['\\r', 0x0d],
  ['\\t', 0x09],
  ['\\v', 0x0b],
])

// Python's \s is what str.isspace accepts: the four separators of ASCII too, and no byte order mark.
const SPACES: CodePointSet = unionOf([
  [0x09, 0x0d],
  [0x1c, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
])
const ASCII_SPACES = unionOf([rangeOf(0x09, 0x0d), rangeOf(0x20)])

/** Python's \w is what str.isalnum accepts and the underscore: letters and numbers, but no combining marks. */
export const WORD_CLASS = '\\p{L}\\p{N}_'

/** The code point or the set that an escape stands for, anywhere in a pattern. The token is already taken. */
export function characterEscape(
  cursor: RegexCursor,
  token: string,
  start: number,
  flags: PythonFlags,
): number | CodePointSet {
  const control = CONTROLS.get(token)
  if (control !== undefined) return control
  const letter = token.slice(1)
  const category = categorySet(letter, flags)
  if (category) return category
  switch (letter) {
    case 'x':
      return hexEscape(cursor, token, start, 2)
    case 'u':
      return hexEscape(cursor, token, start, 4)
    case 'U':
      return hexEscape(cursor, token, start, 8)
    case 'N':
      throw cursor.error('names of characters \\N{...} are not supported, write \\uXXXX', start)
    case '0':
      return Number.parseInt(`0${cursor.takeWhile(OCTAL_DIGITS, 2)}`, 8)
  }
  if (/^[0-9a-z]$/i.test(letter)) throw cursor.error(`bad escape ${token}`, start)
  return letter.codePointAt(0) as number
}

function categorySet(letter: string, flags: PythonFlags): CodePointSet | undefined {
  const asciiOnly = flags.ascii || flags.asciiText
  switch (letter) {
    case 'd':
      return classMembers('\\p{Nd}', asciiOnly)
    case 's':
      return flags.ascii ? ASCII_SPACES : SPACES
    case 'w':
      return classMembers(WORD_CLASS, asciiOnly)
    case 'D':
    case 'S':
    case 'W':
      return complementOf(categorySet(letter.toLowerCase(), flags) as CodePointSet)
    default:
      return undefined
  }
}

function hexEscape(cursor: RegexCursor, token: string, start: number, length: number): number {
  const digits = cursor.takeWhile(HEX_DIGITS, length)
  if (digits.length < length) throw cursor.error(`incomplete escape ${token}${digits}`, start)
  const codePoint = Number.parseInt(digits, 16)
  if (codePoint > 0x10ffff) throw cursor.error(`bad escape ${token}${digits}`, start)
  return codePoint
}

/** The members of a character class; its opening bracket is already taken. */
export function classSet(cursor: RegexCursor, start: number, flags: PythonFlags): CodePointSet {
  const isNegated = cursor.match('^')
  const literals: CodePointSet[] = []
  const categories: CodePointSet[] = []
  const add = (member: number | CodePointSet) => {
    if (typeof member === 'number') literals.push(rangeOf(member))
    else categories.push(member)
  }
  // A closing bracket right at the start is a member.
  for (let isFirst = true; isFirst || !cursor.match(']'); isFirst = false) {
    const memberStart = cursor.position
    const low = classMember(cursor, start, flags)
    if (!cursor.match('-')) {
      add(low)
    } else if (cursor.next === ']') {
      add(low)
      add(0x2d)
    } else {
      const high = classMember(cursor, start, flags)
      if (typeof low !== 'number' || typeof high !== 'number' || high < low) {
        throw cursor.error('bad character range', memberStart)
      }
      literals.push(rangeOf(low, high))
    }
  }
  const set = unionOf([
    ...categories,
    ...(flags.ignoreCase ? literals.map((l) => bothCases(l, flags)) : literals),
  ])
  return isNegated ? complementOf(set) : set
}

function classMember(cursor: RegexCursor, start: number, flags: PythonFlags): number | CodePointSet {
  const memberStart = cursor.position
  const token = cursor.take()
  if (token === undefined) throw cursor.error('unterminated character set', start)
  if (!token.startsWith('\\')) return token.codePointAt(0) as number
  if (token === '\\b') return 0x08
  if (!OCTAL_DIGITS.includes(token.charAt(1))) return characterEscape(cursor, token, memberStart, flags)
  const digits = token.slice(1) + cursor.takeWhile(OCTAL_DIGITS, 2)
  const codePoint = Number.parseInt(digits, 8)
  if (codePoint > 0o377) {
    throw cursor.error(`octal escape value \\${digits} outside of range 0-0o377`, memberStart)
  }
  return codePoint
}

/** The set in both cases, as far as the flags and the text make a difference. */
export function bothCases(set: CodePointSet, flags: PythonFlags): CodePointSet {
  return flags.asciiText && !flags.ascii ? withBothAsciiCases(set) : withBothCases(set, flags.ascii)
}
