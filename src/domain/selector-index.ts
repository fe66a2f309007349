/**
 * Setups, found by the spans that match them. The setups hang in a tree (see selector-tree.ts); a span goes down the tree
 * as far as rules hold for it, and matches what hangs there. It never comes near setups that want other texts, so what a
 * span costs depends on what it matches and not on the number of setups.
 *
 * The order of a setup's rules does not change what matches, only what it costs, and may differ between setups:
 * 1. `equals` and `in`, the text that the fewest setups want first; 2. `contains`; 3. `exists`, each the rarest first;
 * 4. negative rules, the most common first, which keeps the number of different ones to try small.
 */

import { ATTRIBUTE_SOURCES, type AttributeSource } from '../lib/otlp/span.ts'
import type { SelectorRule } from './selector.ts'
import type { CompiledRule, RuleAttribute, RuleList, SpanAttributes } from './selector-rule.ts'
import { RulePool } from './selector-rule-pool.ts'
import { type Branch, type Placement, SelectorTree, type TreeNode } from './selector-tree.ts'

/** Where a node has more branches than this, the span is asked for its attributes, if it can list them. */
const BRANCHES_TRIED_MAX = 32

interface Entry<K> {
  readonly rules: readonly CompiledRule[]
  readonly order: number
  list: RuleList | undefined
  placements: readonly Placement<K>[]
}

/** Setups by id; ids compare as in a Map. */
export class SelectorIndex<K> {
  readonly #pool = new RulePool()
  readonly #tree = new SelectorTree<K>()
  readonly #entries = new Map<K, Entry<K>>()
  #nextOrder = 0
  #round = 0

  /** Changes whenever the keys do. */
  get keysRevision(): number {
    return this.#pool.keysRevision
  }

  /** Every name that a span can be asked for. */
  keysOf(source: AttributeSource): Iterable<string> {
    return this.#pool.keysOf(source)
  }

  /** Adds many setups; better than one by one, because how common each rule is gets known before the first is placed. */
  addAll(setups: Iterable<{ readonly id: K; readonly selector: readonly SelectorRule[] }>): void {
    const added = new Map<K, Entry<K>>()
    for (const { id, selector } of setups) {
      const order = this.#entries.get(id)?.order ?? this.#nextOrder++
      this.delete(id)
      const entry = { rules: this.#pool.acquireRules(selector), order, list: undefined, placements: [] }
      this.#entries.set(id, entry)
      added.set(id, entry)
    }
    for (const [id, entry] of added) {
      entry.list = this.#pool.acquireList(cheapestOrder(entry.rules))
      entry.placements = this.#tree.place(id, entry.order, entry.list)
    }
  }

  delete(id: K): boolean {
    const entry = this.#entries.get(id)
    if (!entry) return false
    this.#entries.delete(id)
    this.#tree.remove(entry.placements)
    this.#pool.releaseList(entry.list)
    this.#pool.releaseRules(entry.rules)
    return true
  }

  /** The ids of the setups whose rules all hold, in the order in which they were first added. */
  find(span: SpanAttributes): K[] {
    this.#round += 1
    const matching: Placement<K>[] = []
    const reached = [this.#tree.root]
    let carried: RuleAttribute[] | undefined
    for (let node = reached.pop(); node; node = reached.pop()) {
      for (const placement of node.placements) {
        if (placement.rest === undefined || placement.rest.holds(span, this.#round)) matching.push(placement)
      }
      if (!node.children) continue
      const { branches, tried } = node.children
      if (branches.size > BRANCHES_TRIED_MAX && span.names) {
        carried ??= this.#carriedBy(span)
        for (const attribute of carried) {
          const branch = branches.get(attribute)
          if (branch) this.#follow(branch, span, reached)
        }
      } else {
        for (const branch of branches.values()) this.#follow(branch, span, reached)
      }
      for (const [rule, child] of tried) if (rule.holds(span, this.#round)) reached.push(child)
    }
    return distinctIds(matching)
  }

  #follow(branch: Branch<K>, span: SpanAttributes, reached: TreeNode<K>[]): void {
    const { attribute, byText, bySubstring } = branch
    attribute.read(span, this.#round)
    if (!attribute.isPresent) return
    if (branch.whenPresent) reached.push(branch.whenPresent)
    for (const text of attribute.texts) {
      const node = byText.get(text)
      if (node) this.#reach(node, reached)
      if (bySubstring === undefined) continue
      const found: TreeNode<K>[] = []
      bySubstring.find(text, found)
      for (const each of found) this.#reach(each, reached)
    }
  }

  // An array attribute, or a text that contains another twice, can lead to a node more than once.
  #reach(node: TreeNode<K>, reached: TreeNode<K>[]): void {
    if (node.round === this.#round) return
    node.round = this.#round
    reached.push(node)
  }

  #carriedBy(span: SpanAttributes): RuleAttribute[] {
    const carried = new Set<RuleAttribute>()
    for (const source of ATTRIBUTE_SOURCES) {
      for (const name of span.names?.(source) ?? []) {
        const attribute = this.#pool.attribute(source, name)
        if (attribute) carried.add(attribute)
      }
    }
    return [...carried]
  }
}

// A setup hangs at several nodes if it wants one of several texts, and a span may have more than one of them.
function distinctIds<K>(matching: Placement<K>[]): K[] {
  if (matching.length > 1) matching.sort((a, b) => a.order - b.order)
  const ids: K[] = []
  let last = -1
  for (const { id, order } of matching) {
    if (order === last) continue
    last = order
    ids.push(id)
  }
  return ids
}

function cheapestOrder(rules: readonly CompiledRule[]): readonly CompiledRule[] {
  if (rules.length < 2) return rules
  return rules
    .map((rule) => ({ rule, kind: kindRank(rule), rank: rankWithinKind(rule) }))
    .sort((a, b) => a.kind - b.kind || a.rank - b.rank || (a.rule.id < b.rule.id ? -1 : 1))
    .map(({ rule }) => rule)
}

function kindRank({ isNegative, test }: CompiledRule): number {
  return isNegative ? 3 : ['equals', 'contains', 'exists'].indexOf(test)
}

function rankWithinKind({ isNegative, test, uses, texts, attribute }: CompiledRule): number {
  if (isNegative) return -uses
  if (test !== 'equals') return uses
  return texts.reduce((sum, text) => sum + (attribute.wanted.get(text) ?? 0), 0)
}
