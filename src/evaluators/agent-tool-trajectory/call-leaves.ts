import { invalidInput } from '../../lib/public-error.ts'
import { parseToolCalls, type ToolCall } from './tool-call.ts'

/** Deepest nesting of arguments. */
export const ARGUMENT_DEPTH_MAX = 100

/** Most argument leaves in one list; each leaf of a list is looked at once for every call of the other list. */
export const LEAVES_MAX = 100_000

/** A call with its arguments flattened: `paths[i]` holds `values[i]`. Both are numbers of a LeafIndex. */
export interface FlatCall {
  readonly name: string
  /** Ascending, so that two calls are compared in one pass. */
  readonly paths: Int32Array
  readonly values: Int32Array
  /** Equal for equal calls (same name, same arguments), and only for these. */
  readonly identity: number
}

interface PathNode {
  readonly id: number
  readonly parent: PathNode | undefined
  readonly key: string | number
  readonly children: Map<string | number, PathNode>
}

interface OpenValue {
  readonly value: unknown
  readonly node: PathNode
  readonly depth: number
}

/**
 * Gives paths and values small numbers, the same for both lists. Paths live in a tree and not as texts: one long key
 * above many leaves would otherwise be copied for each of them.
 */
export class LeafIndex {
  readonly #root: PathNode = { id: 0, parent: undefined, key: '', children: new Map() }
  readonly #nodes: PathNode[] = [this.#root]
  readonly #values = new Map<string, number>()
  readonly #identities = new Map<string, number>()

  /** Reads and flattens a list of calls; `field` names it in the messages of bad input. */
  flatten(list: readonly unknown[], field: string, compareArguments: boolean): FlatCall[] {
    let leavesLeft = LEAVES_MAX
    return parseToolCalls(list, field).map((call, index) => {
      const flat = this.#flattenCall(call, `input.${field}[${index}]`, compareArguments)
      leavesLeft -= flat.paths.length
      if (leavesLeft < 0)
        throw invalidInput(`input.${field} must have at most ${LEAVES_MAX} arguments in all`)
      return flat
    })
  }

  /** The path of a leaf for a person, for example `passengers[0].name`; the arguments as a whole are `input`. */
  describe(path: number): string {
    const parts: string[] = []
    for (let node = this.#nodes[path]; node?.parent; node = node.parent) {
      parts.push(typeof node.key === 'number' ? `[${node.key}]` : `.${node.key}`)
    }
    const text = parts.reverse().join('')
    return text === '' ? 'input' : text.replace(/^\./, '')
  }

  #flattenCall(call: ToolCall, place: string, compareArguments: boolean): FlatCall {
    const leaves = compareArguments ? this.#leaves(call.args, place) : []
    leaves.sort((a, b) => a[0] - b[0])
    const paths = Int32Array.from(leaves, ([path]) => path)
    const values = Int32Array.from(leaves, ([, value]) => value)
    const identity = numberOf(this.#identities, `${paths.join()} ${values.join()} ${call.name}`)
    return { name: call.name, paths, values, identity }
  }

  /** Walks with a stack of its own, so that nesting cannot overflow the call stack. */
  #leaves(args: unknown, place: string): [path: number, value: number][] {
    const leaves: [number, number][] = []
    const open: OpenValue[] = isWithoutArguments(args) ? [] : [{ value: args, node: this.#root, depth: 0 }]
    for (let next = open.pop(); next; next = open.pop()) {
      const entries = entriesOf(next.value)
      if (entries.length === 0) leaves.push([next.node.id, numberOf(this.#values, leafText(next.value))])
      if (next.depth >= ARGUMENT_DEPTH_MAX && entries.length > 0)
        throw invalidInput(`${place} must not be nested deeper than ${ARGUMENT_DEPTH_MAX} levels`)
      for (const [key, value] of entries)
        open.push({ value, node: this.#child(next.node, key), depth: next.depth + 1 })
    }
    return leaves
  }

  #child(parent: PathNode, key: string | number): PathNode {
    const known = parent.children.get(key)
    if (known) return known
    const node: PathNode = { id: this.#nodes.length, parent, key, children: new Map() }
    this.#nodes.push(node)
    parent.children.set(key, node)
    return node
  }
}

function isWithoutArguments(args: unknown): boolean {
  return args === null || (typeof args === 'object' && Object.keys(args).length === 0)
}

function entriesOf(value: unknown): readonly (readonly [string | number, unknown])[] {
  if (Array.isArray(value)) return value.map((item, index) => [index, item])
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

/** Different for different leaves: the text "1", the number 1, an empty list and an empty object all differ. */
function leafText(value: unknown): string {
  if (typeof value === 'string') return `"${value}`
  // -0 and 0 are the same number for every tool.
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return '[]'
  return value !== null && typeof value === 'object' ? '{}' : String(value)
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text)
  if (known !== undefined) return known
  numbers.set(text, numbers.size)
  return numbers.size - 1
}
