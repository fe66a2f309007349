import { pairsOf } from './safe-regex-sets.ts'
import type { Place, RegexNode } from './safe-regex-tree.ts'

/** The largest repetition count that re2js takes. */
const REPETITIONS_MAX = 1000

/** How long a source for re2js may get; a word class of Unicode is 14,000 characters and 1 ms to compile. */
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
  const source = write(tree, true)
  return source !== undefined && source.length <= SOURCE_CHARS_MAX ? source : undefined
}

/** `isLast`: nothing of the pattern comes after this node. */
function write(node: RegexNode, isLast: boolean): string | undefined {
  switch (node.kind) {
    case 'set': {
      if (node.set.length === 0) return '[^\\x{0}-\\x{10ffff}]'
      if (node.set.length === 2 && node.set[0] === node.set[1]) return writeCodePoint(node.set[0] as number)
      let members = ''
      for (const [first, last] of pairsOf(node.set)) {
        members += first === last ? writeCodePoint(first) : `${writeCodePoint(first)}-${writeCodePoint(last)}`
      }
      return `[${members}]`
    }
    case 'sequence': {
      const last = node.items.length - 1
      return join(node.items.map((item, index) => write(item, isLast && index === last)))
    }
    case 'choice':
      return join(
        node.items.map((item) => write(item, isLast)),
        '|',
      )
    case 'repeat': {
      if (node.mode === 'possessive' || node.min > REPETITIONS_MAX) return undefined
      if (Number.isFinite(node.max) && node.max > REPETITIONS_MAX) return undefined
      const item = write(node.item, isLast && node.max === 1)
      return item === undefined ? undefined : `(?:${item})${writeBounds(node.min, node.max)}`
    }
    case 'capture':
      return join([write(node.item, isLast)])
    case 'place':
      // re2 has no look-ahead; where nothing follows, the final line break may as well be consumed.
      if (node.place === 'finalEnd') return isLast ? '(?:\\n?\\z)' : undefined
      return PLACES.get(node.place)
    default:
      return undefined
  }
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
