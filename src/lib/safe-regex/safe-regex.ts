import { RE2JS, RE2JSException } from 're2js'
import { backtrackingSource } from './backtracking.ts'
import { parseEcmascript } from './ecmascript.ts'
import { linearSource } from './linear.ts'
import { parsePython } from './python.ts'
import { RegexSyntaxError, RegexTimeout } from './regex-errors.ts'
import { programSize, type RegexNode } from './syntax-tree.ts'
import { runWithLimit } from './time-limit.ts'

export { RegexSyntaxError, RegexTimeout }

/** Which language a pattern is written in. */
export type RegexDialect = 'python' | 'ecmascript'

/** How a pattern is applied, besides what its own inline flags say. */
export interface RegexOptions {
  readonly dialect: RegexDialect
  readonly ignoreCase?: boolean
  readonly dotAll?: boolean
  readonly multiline?: boolean
}

/** A compiled pattern that cannot run away. */
export interface SafeRegex {
  /** True when the pattern is found somewhere in the text. Throws RegexTimeout when that takes too long to find out. */
  test(text: string): boolean
}

/** How long a pattern may be. */
export const PATTERN_CHARS_MAX = 10_000

/** How long a pattern that needs backtracking may run on one text. */
export const BACKTRACKING_MS_MAX = 200

/** How long a pattern may run on one text on the linear engine: a thousand instructions on a megabyte are a billion steps. */
export const LINEAR_MS_MAX = 1000

/** Instructions times characters up to which a linear pattern runs without a watchdog. */
export const UNWATCHED_STEPS_MAX = 2_000_000

/** Larger programs go to V8, which counts repetitions instead of writing them out. */
export const LINEAR_INSTRUCTIONS_MAX = 5000

/** How many compiled patterns are kept; the one that was not used for the longest time goes first. */
const KEPT_PATTERNS_MAX = 100

/** re2js keeps the states that it has met, up to 8 MB a pattern; beyond this many it has to start again. */
const KEPT_STATES_MAX = 1000

const kept = new Map<string, SafeRegex>()

/** Compiles a pattern: on a linear-time engine where possible, otherwise on a backtracking one with a hard time limit. */
export function compileSafeRegex(source: string, options: RegexOptions): SafeRegex {
  const flags = `${options.ignoreCase ? 'i' : ''}${options.dotAll ? 's' : ''}${options.multiline ? 'm' : ''}`
  const key = `${options.dialect}/${flags}/${source}`
  let regex = kept.get(key)
  if (regex) {
    kept.delete(key)
  } else {
    if (source.length > PATTERN_CHARS_MAX) {
      throw new RegexSyntaxError(`longer than ${PATTERN_CHARS_MAX} characters`)
    }
    regex = new CompiledRegex(
      options.dialect === 'python' ? pythonReader(source, options) : ecmascriptReader(source, flags),
    )
  }
  kept.set(key, regex)
  if (kept.size > KEPT_PATTERNS_MAX) kept.delete(kept.keys().next().value as string)
  return regex
}

/** How a pattern reads for texts that are all ASCII, and for others. */
interface Reader {
  /** The tree for the linear engine; undefined when it is known that there is no way. */
  readonly tree: (asciiText: boolean) => RegexNode | undefined
  readonly backtracking: (asciiText: boolean) => RegExp
  /** False when only the backtracking engine knows what the pattern means on the empty text. */
  readonly isLinearOnEmptyText: boolean
}

function pythonReader(source: string, options: RegexOptions): Reader {
  const { ignoreCase = false, dotAll = false, multiline = false } = options
  const tree = (asciiText: boolean) =>
    parsePython(source, { ignoreCase, dotAll, multiline, verbose: false, ascii: false, asciiText })
  return {
    tree,
    backtracking: (asciiText) => newRegExp(backtrackingSource(tree(asciiText), asciiText), 'u'),
    // In Python up to 3.13 the empty text has no place for \B; for re2js it has.
    isLinearOnEmptyText: !source.includes('\\B'),
  }
}

/** V8 itself is the authority on this dialect: it checks the syntax, and it takes what the tree cannot say. */
function ecmascriptReader(source: string, flags: string): Reader {
  const native = newRegExp(source, `u${flags}`)
  const needsNative = native.ignoreCase || native.multiline
  return {
    tree: (asciiText) =>
      needsNative ? undefined : parseEcmascript(source, { dotAll: native.dotAll, asciiText }),
    backtracking: () => native,
    isLinearOnEmptyText: true,
  }
}

/** A RegExp, or a syntax error in words that do not repeat the pattern. */
export function newRegExp(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags)
  } catch (error) {
    // V8's message repeats the pattern: `Invalid regular expression: /(/u: Unterminated group`.
    const message = error instanceof Error ? error.message : String(error)
    throw new RegexSyntaxError(message.slice(message.lastIndexOf(': ') + 2))
  }
}

/** A pattern in up to two readings, each made when the first text needs it. */
class CompiledRegex implements SafeRegex {
  readonly #reader: Reader
  readonly #ascii: Engine
  #unicode: Engine | undefined
  #empty: Engine | undefined

  constructor(reader: Reader) {
    this.#reader = reader
    // At once, so that a bad pattern is reported before there is a text.
    this.#ascii = newEngine(reader, true)
  }

  test(text: string): boolean {
    if (text === '' && !this.#reader.isLinearOnEmptyText) {
      this.#empty ??= newBacktrackingEngine(this.#reader, true)
      return this.#empty(text)
    }
    if (/^\p{ASCII}*$/u.test(text)) return this.#ascii(text)
    this.#unicode ??= newEngine(this.#reader, false)
    return this.#unicode(text)
  }
}

type Engine = (text: string) => boolean

function newEngine(reader: Reader, asciiText: boolean): Engine {
  const tree = reader.tree(asciiText)
  return (tree && newLinearEngine(tree)) ?? newBacktrackingEngine(reader, asciiText)
}

function newBacktrackingEngine(reader: Reader, asciiText: boolean): Engine {
  const regex = reader.backtracking(asciiText)
  return (text) => runWithLimit(() => regex.test(text), BACKTRACKING_MS_MAX)
}

function newLinearEngine(tree: RegexNode): Engine | undefined {
  const instructions = programSize(tree)
  const source = instructions > LINEAR_INSTRUCTIONS_MAX ? undefined : linearSource(tree)
  const program = source === undefined ? undefined : LinearProgram.compile(source)
  if (!program) return undefined
  return (text) =>
    instructions * text.length <= UNWATCHED_STEPS_MAX
      ? program.use((regex) => regex.test(text))
      : runWithLimit(() => program.use((regex) => regex.test(text)), LINEAR_MS_MAX)
}

/** A pattern on the linear engine that survives being cut off. */
export class LinearProgram {
  readonly #source: string
  #regex: RE2JS | undefined

  private constructor(source: string, regex: RE2JS) {
    this.#source = source
    this.#regex = regex
  }

  /** Undefined for what the engine cannot hold. */
  static compile(source: string): LinearProgram | undefined {
    try {
      return new LinearProgram(source, RE2JS.compile(source))
    } catch (error) {
      // For example repetitions of repetitions, which re2js limits to 1000 altogether.
      if (error instanceof RE2JSException) return undefined
      throw error
    }
  }

  use<T>(run: (regex: RE2JS) => T): T {
    const current = this.#regex ?? RE2JS.compile(this.#source)
    // Forgotten until it has finished: one that was cut off must not be used again.
    this.#regex = undefined
    const result = run(current)
    if ((current.re2().lazyDFA?.stateCount ?? 0) <= KEPT_STATES_MAX) this.#regex = current
    return result
  }
}
