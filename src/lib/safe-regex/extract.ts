import type { RE2JS } from 're2js'
import { backtrackingExtraction } from './backtracking.ts'
import { linearExtraction } from './linear.ts'
import { parsePython } from './python.ts'
import {
  BACKTRACKING_MS_MAX,
  LINEAR_INSTRUCTIONS_MAX,
  LINEAR_MS_MAX,
  LinearProgram,
  newRegExp,
  PATTERN_CHARS_MAX,
  RegexSyntaxError,
  UNWATCHED_STEPS_MAX,
} from './safe-regex.ts'
import { hasCapture, programSize, type RegexNode } from './syntax-tree.ts'
import { runWithLimit } from './time-limit.ts'

/** Takes a part out of a text; undefined where it is not found. Throws RegexTimeout when that takes too long. */
export type SafeExtractor = (text: string) => string | undefined

/**
 * Compiles a pattern in the language of Python's `re` that takes its first capture group out of a text, or the whole
 * match when it has no group, from the first place where it is found. A group that took no part is not found. Like
 * compileSafeRegex it runs on a linear engine where it can, otherwise on a backtracking one, each with a time limit;
 * `msMax` lowers it for callers that others wait for.
 */
export function compileSafeExtractor(source: string, msMax = Number.POSITIVE_INFINITY): SafeExtractor {
  if (source.length > PATTERN_CHARS_MAX) {
    throw new RegexSyntaxError(`longer than ${PATTERN_CHARS_MAX} characters`)
  }
  // At once, so that a bad pattern is reported before there is a text.
  const ascii = newExtractor(source, true, msMax)
  const empty = source.includes('\\B') ? newBacktracking(treeOf(source, true), true, msMax) : ascii
  let unicode: SafeExtractor | undefined
  return (text) => {
    if (text === '') return empty(text)
    if (/^\p{ASCII}*$/u.test(text)) return ascii(text)
    unicode ??= newExtractor(source, false, msMax)
    return unicode(text)
  }
}

function newExtractor(source: string, asciiText: boolean, msMax: number): SafeExtractor {
  const tree = treeOf(source, asciiText)
  return newLinear(tree, msMax) ?? newBacktracking(tree, asciiText, msMax)
}

function treeOf(source: string, asciiText: boolean): RegexNode {
  const flags = { ignoreCase: false, dotAll: false, multiline: false, verbose: false, ascii: false }
  return parsePython(source, { ...flags, asciiText })
}

function newLinear(tree: RegexNode, msMax: number): SafeExtractor | undefined {
  const instructions = programSize(tree)
  const written =
    instructions > LINEAR_INSTRUCTIONS_MAX ? undefined : linearExtraction(tree, wantedGroup(tree))
  const program = written && LinearProgram.compile(written.source)
  if (!program) return undefined
  const run = (text: string) => program.use((regex) => valueIn(regex, text, written.endCount))
  const limitMs = Math.min(LINEAR_MS_MAX, msMax)
  return (text) =>
    instructions * text.length <= UNWATCHED_STEPS_MAX ? run(text) : watched(() => run(text), limitMs)
}

function valueIn(regex: RE2JS, text: string, endCount: number): string | undefined {
  const matcher = regex.matcher(text)
  if (!matcher.find() || matcher.start('value') < 0) return undefined
  let end = matcher.end('value')
  // Python's `$` only looks at a final line break, so what it had to consume here is no part of the value.
  for (let at = 0; at < endCount; at++) {
    const lineBreak = matcher.start(`end${at}`)
    if (lineBreak >= 0) end = Math.min(end, lineBreak)
  }
  return text.slice(matcher.start('value'), end)
}

function newBacktracking(tree: RegexNode, asciiText: boolean, msMax: number): SafeExtractor {
  const group = wantedGroup(tree)
  const regex = newRegExp(backtrackingExtraction(tree, asciiText, group), 'u')
  const limitMs = Math.min(BACKTRACKING_MS_MAX, msMax)
  return (text) => watched(() => regex.exec(text)?.groups?.[`g${group}`], limitMs)
}

function wantedGroup(tree: RegexNode): number {
  return hasCapture(tree) ? 1 : 0
}

function watched(extract: () => string | undefined, limitMs: number): string | undefined {
  let value: string | undefined
  runWithLimit(() => {
    value = extract()
    return true
  }, limitMs)
  return value
}
