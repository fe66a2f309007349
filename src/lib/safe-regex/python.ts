import { complementOf, EVERYTHING, rangeOf } from './character-sets.ts'
import { RegexCursor } from './cursor.ts'
import { bothCases, characterEscape, classSet } from './python-classes.ts'
import { type PythonFlags, readInlineFlags } from './python-flags.ts'
import type { RegexSyntaxError } from './regex-errors.ts'
import { choiceOf, type Place, type RegexNode, sequenceOf, type Width, widthOf } from './syntax-tree.ts'

/** Groups inside groups; deeper patterns would overflow the stack of this parser or of an engine. */
const NESTING_MAX = 200

/** The largest repetition count of Python's `re`, exclusive. */
const REPETITIONS_MAX = 4_294_967_295

const DIGITS = '0123456789'
const OCTAL_DIGITS = '01234567'
const VERBOSE_SPACE = ' \t\n\r\v\f'
const NEW_LINE = rangeOf(0x0a)

/** Reads a pattern in the language of Python's `re` (3.11), as `re._parser` does, with the same complaints. */
export function parsePython(source: string, flags: PythonFlags): RegexNode {
  return new PythonParser(source, flags).parse()
}

class PythonParser {
  readonly #cursor: RegexCursor
  #globalFlags: PythonFlags
  readonly #groupNames = new Map<string, number>()
  /** By group number; undefined while the group is open. */
  readonly #groupWidths: (Width | undefined)[] = [undefined]
  /** The first group number inside the outermost look-behind that is open. */
  #lookBehindGroups: number | undefined
  #depth = 0

  constructor(source: string, flags: PythonFlags) {
    this.#cursor = new RegexCursor(source)
    this.#globalFlags = flags
  }

  parse(): RegexNode {
    const branches: RegexNode[] = []
    do {
      branches.push(this.#sequence(this.#globalFlags, branches.length === 0))
    } while (this.#cursor.match('|'))
    if (this.#cursor.next !== undefined) throw this.#cursor.error('unbalanced parenthesis')
    return choiceOf(branches)
  }

  #choice(flags: PythonFlags): RegexNode {
    const branches: RegexNode[] = []
    this.#depth += 1
    if (this.#depth > NESTING_MAX) {
      throw this.#cursor.error(`groups are nested more than ${NESTING_MAX} deep`)
    }
    do {
      branches.push(this.#sequence(flags, false))
    } while (this.#cursor.match('|'))
    this.#depth -= 1
    return choiceOf(branches)
  }

  /** Global flags may only stand at the start of the whole pattern, which is what `isStart` tells. */
  #sequence(initialFlags: PythonFlags, isStart: boolean): RegexNode {
    const cursor = this.#cursor
    let flags = initialFlags
    const items: RegexNode[] = []
    while (cursor.next !== undefined && cursor.next !== '|' && cursor.next !== ')') {
      const start = cursor.position
      const token = cursor.take() as string
      if (flags.verbose && this.#isVerboseSpace(token)) continue
      if ('*+?{'.includes(token)) {
        this.#repeat(items, token, start, flags)
      } else if (token === '(') {
        const node = this.#group(flags, start)
        if (node === 'flags') {
          if (!isStart || items.length > 0) {
            throw cursor.error('global flags not at the start of the expression', start)
          }
          flags = this.#globalFlags
        } else if (node !== 'comment') {
          items.push(node)
        }
      } else {
        items.push(this.#simple(token, start, flags))
      }
    }
    return sequenceOf(items)
  }

  #isVerboseSpace(token: string): boolean {
    if (VERBOSE_SPACE.includes(token)) return true
    if (token !== '#') return false
    for (let skipped = this.#cursor.take(); skipped !== undefined && skipped !== '\n'; ) {
      skipped = this.#cursor.take()
    }
    return true
  }

  #simple(token: string, start: number, flags: PythonFlags): RegexNode {
    if (token.startsWith('\\')) return this.#escape(token, start, flags)
    switch (token) {
      case '^':
        return place(flags.multiline ? 'lineStart' : 'textStart')
      case '$':
        return place(flags.multiline ? 'lineEnd' : 'finalEnd')
      case '.':
        return { kind: 'set', set: flags.dotAll ? EVERYTHING : complementOf(NEW_LINE) }
      case '[':
        return { kind: 'set', set: classSet(this.#cursor, start, flags) }
      default:
        return literal(token.codePointAt(0) as number, flags)
    }
  }

  #escape(token: string, start: number, flags: PythonFlags): RegexNode {
    switch (token) {
      case '\\A':
        return place('textStart')
      case '\\Z':
        return place('textEnd')
      case '\\b':
        return place(flags.ascii || flags.asciiText ? 'asciiWordEdge' : 'wordEdge')
      case '\\B':
        return place(flags.ascii || flags.asciiText ? 'asciiNoWordEdge' : 'noWordEdge')
    }
    if (DIGITS.includes(token.charAt(1)) && token !== '\\0') return this.#numberEscape(token, start, flags)
    const escaped = characterEscape(this.#cursor, token, start, flags)
    return typeof escaped === 'number' ? literal(escaped, flags) : { kind: 'set', set: escaped }
  }

  /** Three octal digits are a character, anything else is a group's number. */
  #numberEscape(token: string, start: number, flags: PythonFlags): RegexNode {
    const cursor = this.#cursor
    let digits = token.slice(1) + cursor.takeWhile(DIGITS, 1)
    if (
      digits.length === 2 &&
      [...digits, cursor.next ?? '-'].every((digit) => digit.length === 1 && OCTAL_DIGITS.includes(digit))
    ) {
      digits += cursor.take()
      const codePoint = Number.parseInt(digits, 8)
      if (codePoint > 0o377) {
        throw cursor.error(`octal escape value \\${digits} outside of range 0-0o377`, start)
      }
      return literal(codePoint, flags)
    }
    const group = Number(digits)
    if (group >= this.#groupWidths.length) throw cursor.error(`invalid group reference ${group}`, start + 1)
    return this.#reference(group, start, flags)
  }

  #reference(group: number, start: number, flags: PythonFlags): RegexNode {
    if (this.#groupWidths[group] === undefined) {
      throw this.#cursor.error('cannot refer to an open group', start)
    }
    if (this.#lookBehindGroups !== undefined && group >= this.#lookBehindGroups) {
      throw this.#cursor.error('cannot refer to group defined in the same lookbehind subpattern', start)
    }
    return { kind: 'reference', group, ignoreCase: flags.ignoreCase }
  }

  /** Replaces the last item by its repetition; a brace that is no quantifier is a literal. */
  #repeat(items: RegexNode[], token: string, start: number, flags: PythonFlags): void {
    const cursor = this.#cursor
    const bounds = this.#bounds(token, start)
    if (bounds === undefined) {
      items.push(literal(0x7b, flags))
      return
    }
    const item = items.at(-1)
    if (item === undefined || item.kind === 'place') throw cursor.error('nothing to repeat', start)
    if (item.kind === 'repeat') throw cursor.error('multiple repeat', start)
    const mode = cursor.match('?') ? 'lazy' : cursor.match('+') ? 'possessive' : 'greedy'
    items[items.length - 1] = { kind: 'repeat', min: bounds[0], max: bounds[1], mode, item }
  }

  #bounds(token: string, start: number): readonly [min: number, max: number] | undefined {
    if (token === '?') return [0, 1]
    if (token === '*') return [0, Number.POSITIVE_INFINITY]
    if (token === '+') return [1, Number.POSITIVE_INFINITY]
    const cursor = this.#cursor
    if (cursor.next === '}') return undefined
    const low = cursor.takeWhile(DIGITS)
    const high = cursor.match(',') ? cursor.takeWhile(DIGITS) : low
    if (!cursor.match('}')) {
      cursor.seek(start + 1)
      return undefined
    }
    const min = low === '' ? 0 : Number(low)
    const max = high === '' ? Number.POSITIVE_INFINITY : Number(high)
    if (min >= REPETITIONS_MAX || (high !== '' && max >= REPETITIONS_MAX)) {
      throw cursor.error('the repetition number is too large', start)
    }
    if (max < min) throw cursor.error('min repeat greater than max repeat', start)
    return [min, max]
  }

  /** Reads the group that an opening parenthesis begins; flags and comments are no part of the tree. */
  #group(flags: PythonFlags, start: number): RegexNode | 'flags' | 'comment' {
    const cursor = this.#cursor
    if (!cursor.match('?')) return this.#capture(undefined, flags, start)
    const kind = cursor.take()
    switch (kind) {
      case undefined:
        throw cursor.error('unexpected end of pattern')
      case ':':
        return this.#body(flags, start)
      case '>':
        return { kind: 'atomic', item: this.#body(flags, start) }
      case '=':
      case '!':
        return { kind: 'look', behind: false, negative: kind === '!', item: this.#body(flags, start) }
      case '<':
        return this.#lookBehind(flags, start)
      case 'P':
        return this.#named(flags, start)
      case '#':
        while (cursor.next !== undefined) if (cursor.take() === ')') return 'comment'
        throw cursor.error('missing ), unterminated comment', start)
      case '(':
        throw cursor.error('conditional groups (?(...)...) are not supported', start)
      default:
        return this.#flagged(kind, flags, start)
    }
  }

  #flagged(kind: string, flags: PythonFlags, start: number): RegexNode | 'flags' {
    const inline = readInlineFlags(this.#cursor, kind, flags, this.#globalFlags)
    if (inline.isGlobal) {
      this.#globalFlags = inline.flags
      return 'flags'
    }
    return this.#body(inline.flags, start)
  }

  #body(flags: PythonFlags, start: number): RegexNode {
    const body = this.#choice(flags)
    if (!this.#cursor.match(')')) throw this.#unterminated(start)
    // Kept apart from what is around it, so that `(?:a*)*` is not a multiple repeat and `(?:^)*` has something to repeat.
    return { kind: 'sequence', items: [body] }
  }

  #capture(name: string | undefined, flags: PythonFlags, start: number): RegexNode {
    const group = this.#groupWidths.length
    this.#groupWidths.push(undefined)
    if (name !== undefined) {
      if (this.#groupNames.has(name)) {
        throw this.#cursor.error(`redefinition of group name '${name}'`, start)
      }
      this.#groupNames.set(name, group)
    }
    const item = this.#body(flags, start)
    this.#groupWidths[group] = widthOf(item, this.#groupWidths)
    return { kind: 'capture', group, item }
  }

  #named(flags: PythonFlags, start: number): RegexNode {
    const cursor = this.#cursor
    if (cursor.match('<')) return this.#capture(this.#groupName('>', start), flags, start)
    if (!cursor.match('=')) {
      const extension = cursor.take()
      if (extension === undefined) throw cursor.error('unexpected end of pattern')
      throw cursor.error(`unknown extension ?P${extension}`, start + 1)
    }
    const name = this.#groupName(')', start)
    const group = this.#groupNames.get(name)
    if (group === undefined) throw cursor.error(`unknown group name '${name}'`, start + 4)
    return this.#reference(group, start + 4, flags)
  }

  #groupName(terminator: string, start: number): string {
    const name = this.#cursor.takeUntil(terminator, 'group name')
    if (/^[\p{XID_Start}_]\p{XID_Continue}*$/u.test(name)) return name
    throw this.#cursor.error(`bad character in group name '${name}'`, start + 4)
  }

  #lookBehind(flags: PythonFlags, start: number): RegexNode {
    const kind = this.#cursor.take()
    if (kind === undefined) throw this.#cursor.error('unexpected end of pattern')
    if (kind !== '=' && kind !== '!') throw this.#cursor.error(`unknown extension ?<${kind}`, start + 1)
    const outer = this.#lookBehindGroups
    this.#lookBehindGroups ??= this.#groupWidths.length
    const item = this.#body(flags, start)
    this.#lookBehindGroups = outer
    const [min, max] = widthOf(item, this.#groupWidths)
    if (min !== max) throw this.#cursor.error('look-behind requires fixed-width pattern', start)
    return { kind: 'look', behind: true, negative: kind === '!', item }
  }

  #unterminated(start: number): RegexSyntaxError {
    return this.#cursor.error('missing ), unterminated subpattern', start)
  }
}

function place(where: Place): RegexNode {
  return { kind: 'place', place: where }
}

function literal(codePoint: number, flags: PythonFlags): RegexNode {
  const set = rangeOf(codePoint)
  return { kind: 'set', set: flags.ignoreCase ? bothCases(set, flags) : set }
}
