import type { CodePointSet } from './character-sets.ts'

/** The meaning of a pattern, free of its dialect: flags are already applied and classes are sets of code points. */
export type RegexNode =
  | { readonly kind: 'set'; readonly set: CodePointSet }
  | { readonly kind: 'sequence'; readonly items: readonly RegexNode[] }
  | { readonly kind: 'choice'; readonly items: readonly RegexNode[] }
  | {
      readonly kind: 'repeat'
      readonly min: number
      readonly max: number
      readonly mode: 'greedy' | 'lazy' | 'possessive'
      readonly item: RegexNode
    }
  | { readonly kind: 'capture'; readonly group: number; readonly item: RegexNode }
  | { readonly kind: 'atomic'; readonly item: RegexNode }
  | { readonly kind: 'reference'; readonly group: number; readonly ignoreCase: boolean }
  | {
      readonly kind: 'look'
      readonly behind: boolean
      readonly negative: boolean
      readonly item: RegexNode
    }
  | { readonly kind: 'place'; readonly place: Place }

/**
 * A place between two characters. `finalEnd` is Python's `$`: the end, or before a line break that ends the text. The
 * word edges come in two kinds, for the words of ASCII and of Unicode.
 */
export type Place =
  | 'textStart'
  | 'textEnd'
  | 'finalEnd'
  | 'lineStart'
  | 'lineEnd'
  | 'asciiWordEdge'
  | 'asciiNoWordEdge'
  | 'wordEdge'
  | 'noWordEdge'

/** A node that matches exactly what its items match one after the other. */
export function sequenceOf(items: readonly RegexNode[]): RegexNode {
  return items.length === 1 && items[0] ? items[0] : { kind: 'sequence', items }
}

/** A node that matches what one of its items matches. */
export function choiceOf(items: readonly RegexNode[]): RegexNode {
  return items.length === 1 && items[0] ? items[0] : { kind: 'choice', items }
}

/** Whether a pattern captures anything; its first group has the number 1. */
export function hasCapture(node: RegexNode): boolean {
  if (node.kind === 'capture') return true
  return 'item' in node ? hasCapture(node.item) : 'items' in node && node.items.some(hasCapture)
}

/** About how many instructions a linear engine needs, with repetitions written out. */
export function programSize(node: RegexNode): number {
  switch (node.kind) {
    case 'sequence':
    case 'choice':
      return node.items.reduce((sum, item) => sum + programSize(item), 1)
    case 'repeat':
      return Math.max(node.min + 1, Number.isFinite(node.max) ? node.max : 1) * (programSize(node.item) + 1)
    case 'capture':
    case 'atomic':
    case 'look':
      return programSize(node.item) + 1
    default:
      return 1
  }
}

/** How many code points a match has at least and at most. */
export type Width = readonly [min: number, max: number]

/** The width of a node's matches; a reference is as wide as its group. */
export function widthOf(node: RegexNode, groupWidths: readonly (Width | undefined)[]): Width {
  switch (node.kind) {
    case 'set':
      return [1, 1]
    case 'sequence': {
      const widths = node.items.map((item) => widthOf(item, groupWidths))
      return [widths.reduce((sum, [min]) => sum + min, 0), widths.reduce((sum, [, max]) => sum + max, 0)]
    }
    case 'choice': {
      const widths = node.items.map((item) => widthOf(item, groupWidths))
      return [Math.min(...widths.map(([min]) => min)), Math.max(...widths.map(([, max]) => max))]
    }
    case 'repeat': {
      const [min, max] = widthOf(node.item, groupWidths)
      return [min * node.min, max === 0 ? 0 : max * node.max]
    }
    case 'capture':
    case 'atomic':
      return widthOf(node.item, groupWidths)
    case 'reference':
      return groupWidths[node.group] ?? [0, 0]
    default:
      return [0, 0]
  }
}
