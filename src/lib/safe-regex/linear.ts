import { type CodePointSet, pairsOf } from './character-sets.ts'
import type { Place, RegexNode } from './syntax-tree.ts'

/** The largest repetition count that re2js takes. */
const REPETITIONS_MAX = 1000

/** How long the classes may get in a source for re2js; a word class of Unicode is 14,000 characters and 1 ms to compile. */
const SOURCE_CHARS_MAX = 400_000

const PLACES: ReadonlyMap<Place, string> = new Map([
  ['textStart', '\\A'],
  ['textEnd', '\\z'],
  ['lineStart', '(?m:^)'],
  ['lineEnd', '(?m:$)'],
  ['asciiWordEdge', '\\b'],
  ['asciiNoWordEdge', '\\B'],
])

/**
 * The source of a re2js pattern that is found in exactly the same texts, or undefined when there is none. Only whether
 * it is found counts, so captures and greediness are dropped.
 */
export function linearSource(tree: RegexNode): string | undefined {
  return new LinearWriter(undefined).write(tree, true)
}

/** A pattern that also says where it is found. */
export interface LinearExtraction {
  readonly source: string
  /** How many groups `end0`, `end1`, ... hold a final line break that the original pattern only looks at. */
  readonly endCount: number
}

/** As linearSource, but the group `value` holds what the numbered group captures; group 0 is the whole match. */
export function linearExtraction(tree: RegexNode, group: number): LinearExtraction | undefined {
  const writer = new LinearWriter(group)
  const source = writer.write(group === 0 ? { kind: 'capture', group, item: tree } : tree, true)
  return source === undefined ? undefined : { source, endCount: writer.endCount }
}

class LinearWriter {
  /** The group that is kept; undefined where only whether the pattern is found counts. */
  readonly #kept: number | undefined
  endCount = 0
  #setChars = 0

  constructor(kept: number | undefined) {
    this.#kept = kept
  }

  /** `isLast`: nothing of the pattern comes after this node. */
  write(node: RegexNode, isLast: boolean): string | undefined {
    switch (node.kind) {
      case 'set':
        return this.#set(node.set)
      case 'sequence': {
        const last = node.items.length - 1
        return join(node.items.map((item, index) => this.write(item, isLast && index === last)))
      }
      case 'choice':
        return join(
          node.items.map((item) => this.write(item, isLast)),
          '|',
        )
      case 'repeat':
        return this.#repeat(node, isLast)
      case 'capture': {
        const item = this.write(node.item, isLast)
        return item !== undefined && node.group === this.#kept ? `(?P<value>${item})` : join([item])
      }
      case 'place':
        return node.place === 'finalEnd' ? this.#finalEnd(isLast) : PLACES.get(node.place)
      default:
        return undefined
    }
  }

  #set(set: CodePointSet): string | undefined {
    if (this.#setChars > SOURCE_CHARS_MAX) return undefined
    const isSingle = set.length === 2 && set[0] === set[1]
    const source = isSingle ? writeCodePoint(set[0] as number) : writeSet(set)
    this.#setChars += source.length
    return source
  }

  #repeat({ item, min, max, mode }: RegexNode & { kind: 'repeat' }, isLast: boolean): string | undefined {
    if (mode === 'possessive' || min > REPETITIONS_MAX) return undefined
    if (Number.isFinite(max) && max > REPETITIONS_MAX) return undefined
    const source = this.write(item, isLast && max === 1)
    if (source === undefined) return undefined
    const preference = this.#kept !== undefined && mode === 'lazy' ? '?' : ''
    return `(?:${source})${writeBounds(min, max)}${preference}`
  }

  /** re2 has no look-ahead; where nothing follows, the final line break may as well be consumed. */
  #finalEnd(isLast: boolean): string | undefined {
    if (!isLast) return undefined
    return this.#kept === undefined ? '(?:\\n?\\z)' : `(?:(?P<end${this.endCount++}>\\n)?\\z)`
  }
}

const writtenSets = new WeakMap<CodePointSet, string>()

function writeSet(set: CodePointSet): string {
  if (set.length === 0) return '[^\\x{0}-\\x{10ffff}]'
  let source = writtenSets.get(set)
  if (source === undefined) {
    let members = ''
    for (const [first, last] of pairsOf(set)) members += `${writeCodePoint(first)}-${writeCodePoint(last)}`
    source = `[${members}]`
    writtenSets.set(set, source)
  }
  return source
}

function join(parts: readonly (string | undefined)[], separator = ''): string | undefined {
  return parts.includes(undefined) ? undefined : `(?:${parts.join(separator)})`
}

function writeBounds(min: number, max: number): string {
  if (max === min) return `{${min}}`
  return `{${min},${Number.isFinite(max) ? max : ''}}`
}

function writeCodePoint(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  return /^[0-9a-z]$/i.test(character) ? character : `\\x{${codePoint.toString(16)}}`
}
