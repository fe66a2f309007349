import type { RegexCursor } from './cursor.ts'

/** The flags of Python's `re` that hold at a place of a pattern. */
export interface PythonFlags {
  readonly ignoreCase: boolean
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly verbose: boolean
  readonly ascii: boolean
  /** Not a flag of Python: the text is known to be all ASCII, so that classes need no other members. */
  readonly asciiText: boolean
}

type SwitchName = 'ignoreCase' | 'multiline' | 'dotAll' | 'verbose'

const SWITCHES: ReadonlyMap<string, SwitchName> = new Map([
  ['i', 'ignoreCase'],
  ['m', 'multiline'],
  ['s', 'dotAll'],
  ['x', 'verbose'],
])
const ALPHABETS = 'auL'

/** Reads `(?ims)` or `(?i-s:` from after the question mark; `letter` is the first letter, already taken. */
export function readInlineFlags(
  cursor: RegexCursor,
  letter: string,
  flags: PythonFlags,
  globalFlags: PythonFlags,
): { readonly isGlobal: boolean; readonly flags: PythonFlags } {
  if (letter !== '-' && !isFlag(letter)) {
    throw cursor.error(`unknown extension ?${letter}`, cursor.position - 1)
  }
  const { letters: on, end } = letter === '-' ? { letters: '', end: '-' } : readLetters(cursor, letter, ')-:')
  if (on.includes('L')) throw cursor.error("bad inline flags: cannot use 'L' flag with a str pattern")
  if (on.includes('a') && on.includes('u')) {
    throw cursor.error("bad inline flags: flags 'a', 'u' and 'L' are incompatible")
  }
  if (end === ')') return { isGlobal: true, flags: applied(globalFlags, on, '') }
  if (end === ':') return { isGlobal: false, flags: applied(flags, on, '') }
  const first = cursor.take()
  if (first === undefined || !isFlag(first)) throw cursor.error('missing flag')
  const { letters: off } = readLetters(cursor, first, ':')
  if ([...off].some((flag) => ALPHABETS.includes(flag))) {
    throw cursor.error("bad inline flags: cannot turn off flags 'a', 'u' and 'L'")
  }
  if ([...off].some((flag) => on.includes(flag))) {
    throw cursor.error('bad inline flags: flag turned on and off')
  }
  return { isGlobal: false, flags: applied(flags, on, off) }
}

function isFlag(letter: string): boolean {
  return SWITCHES.has(letter) || (letter.length === 1 && ALPHABETS.includes(letter))
}

function readLetters(cursor: RegexCursor, first: string, ends: string): { letters: string; end: string } {
  let letters = first
  for (;;) {
    const token = cursor.take()
    if (token === undefined) throw cursor.error(ends === ':' ? 'missing :' : 'missing -, : or )')
    if (token.length === 1 && ends.includes(token)) return { letters, end: token }
    if (!isFlag(token)) throw cursor.error(`unknown flag ${token}`, cursor.position - 1)
    letters += token
  }
}

function applied(flags: PythonFlags, on: string, off: string): PythonFlags {
  const changed: { -readonly [Name in keyof PythonFlags]: PythonFlags[Name] } = { ...flags }
  for (const [letter, name] of SWITCHES) {
    if (on.includes(letter)) changed[name] = true
    if (off.includes(letter)) changed[name] = false
  }
  if (on.includes('a')) changed.ascii = true
  if (on.includes('u')) changed.ascii = false
  return changed
}
