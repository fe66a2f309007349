/**
 * The tree that setups hang in. At a node some rules are known to hold: those on the way from the root. A setup hangs at
 * a node with the rest of its rules, which are tried when a span comes there. A node that gets too many setups is split
 * by the first rule of each rest, so that few are tried that do not match.
 *
 * A node does not try its children one by one. For each attribute it has a branch that knows the children by the texts
 * they want: the span's own text leads to them, whatever their number. Rules that cannot be reached like that (negative
 * ones, mostly) are tried one by one; they come last in a setup, and every setup with the same rule shares the child.
 */

import type { RuleTest } from './operators.ts'
import type { CompiledRule, RuleAttribute, RuleList } from './selector-rule.ts'
import { SubstringIndex } from './selector-substrings.ts'

/** How many setups a node below the root holds before it is split. */
const PLACEMENTS_MAX = 8

/** A setup at a node. */
export interface Placement<K> {
  readonly id: K
  readonly order: number
  /** The rules that are not known to hold at the node. */
  rest: RuleList | undefined
  node: TreeNode<K>
}

/** The setups that remain for a span when the rules on the way to it hold. */
export interface TreeNode<K> {
  /** Once there are children, only setups that have no rule left. The root has no others. */
  placements: Placement<K>[]
  children: Children<K> | undefined
  /** The last round in which the node was reached. */
  round: number
  /** Undefined for the root. */
  readonly parent: TreeNode<K> | undefined
  readonly lead: Lead | undefined
}

/**
 * The condition that leads a span from a node to a child: a text it has, a text within one, an attribute, or trying a
 * rule.
 */
type Lead =
  | { readonly by: 'text' | 'substring'; readonly attribute: RuleAttribute; readonly text: string }
  | { readonly by: 'presence'; readonly attribute: RuleAttribute }
  | { readonly by: 'trial'; readonly rule: CompiledRule }

/** How a span is led to a rule by each test that selectors have; a test that is missing here does not compile. */
const LEADS: Readonly<Record<RuleTest, 'text' | 'substring' | 'presence'>> = {
  equals: 'text',
  contains: 'substring',
  exists: 'presence',
}

/** The children of a node by what leads to them. */
export interface Children<K> {
  readonly branches: Map<RuleAttribute, Branch<K>>
  readonly tried: Map<CompiledRule, TreeNode<K>>
}

/** The children that one attribute leads to. */
export interface Branch<K> {
  readonly attribute: RuleAttribute
  readonly byText: Map<string, TreeNode<K>>
  bySubstring: SubstringIndex<TreeNode<K>> | undefined
  whenPresent: TreeNode<K> | undefined
}

/** Where setups hang; it does not know which spans come there. */
export class SelectorTree<K> {
  readonly root: TreeNode<K> = newNode<K>(undefined, undefined)

  /** Hangs a setup into the tree. Only here can it come to several nodes: one for each text that its first rule wants. */
  place(id: K, order: number, list: RuleList | undefined): readonly Placement<K>[] {
    if (list === undefined) return [hang({ id, order, rest: undefined, node: this.root })]
    const { rule, next } = list
    return leadsOf(rule).map((lead) => hang({ id, order, rest: next, node: childFor(this.root, lead) }))
  }

  remove(placements: readonly Placement<K>[]): void {
    for (const placement of placements) {
      const { node } = placement
      node.placements.splice(node.placements.indexOf(placement), 1)
      dropEmpty(node)
    }
  }
}

function newNode<K>(parent: TreeNode<K> | undefined, lead: Lead | undefined): TreeNode<K> {
  return { placements: [], children: undefined, round: 0, parent, lead }
}

// Hangs the placement below its node, as deep as there are nodes for it.
function hang<K>(placement: Placement<K>): Placement<K> {
  while (placement.rest && placement.node.children) descend(placement, placement.rest)
  const { node } = placement
  node.placements.push(placement)
  if (!node.children && node.parent && node.placements.length > PLACEMENTS_MAX) split(node)
  return placement
}

// The new nodes may have too many again; they are split when another setup comes to them.
function split<K>(node: TreeNode<K>): void {
  const all = node.placements
  node.placements = all.filter(({ rest }) => rest === undefined)
  for (const placement of all) {
    if (placement.rest === undefined) continue
    descend(placement, placement.rest)
    placement.node.placements.push(placement)
  }
}

// One lead only: below the root a setup that wants one of several texts does not multiply, the rule is tried.
function descend<K>(placement: Placement<K>, { rule, next }: RuleList): void {
  const [lead, ...others] = leadsOf(rule)
  placement.node = childFor(placement.node, lead && others.length === 0 ? lead : { by: 'trial', rule })
  placement.rest = next
}

/** All that can lead a span to a rule that holds for it; a rule that wants one of no texts is never reached. */
function leadsOf(rule: CompiledRule): Lead[] {
  const { attribute, isNegative, test, texts } = rule
  if (isNegative) return [{ by: 'trial', rule }]
  const by = LEADS[test]
  return by === 'presence' ? [{ by, attribute }] : texts.map((text) => ({ by, attribute, text }))
}

function childFor<K>(parent: TreeNode<K>, lead: Lead): TreeNode<K> {
  parent.children ??= { branches: new Map(), tried: new Map() }
  let child = childAt(parent.children, lead)
  if (!child) {
    child = newNode(parent, lead)
    attach(parent.children, lead, child)
  }
  return child
}

function childAt<K>({ branches, tried }: Children<K>, lead: Lead): TreeNode<K> | undefined {
  switch (lead.by) {
    case 'text':
      return branches.get(lead.attribute)?.byText.get(lead.text)
    case 'substring':
      return branches.get(lead.attribute)?.bySubstring?.get(lead.text)
    case 'presence':
      return branches.get(lead.attribute)?.whenPresent
    case 'trial':
      return tried.get(lead.rule)
  }
}

function attach<K>({ branches, tried }: Children<K>, lead: Lead, child: TreeNode<K>): void {
  if (lead.by === 'trial') {
    tried.set(lead.rule, child)
    return
  }
  const { attribute } = lead
  let branch = branches.get(attribute)
  if (!branch) {
    branch = { attribute, byText: new Map(), bySubstring: undefined, whenPresent: undefined }
    branches.set(attribute, branch)
  }
  if (lead.by === 'presence') {
    branch.whenPresent = child
  } else if (lead.by === 'text') {
    branch.byText.set(lead.text, child)
  } else {
    branch.bySubstring ??= new SubstringIndex()
    branch.bySubstring.add(lead.text, child)
  }
}

function detach<K>({ branches, tried }: Children<K>, lead: Lead): void {
  if (lead.by === 'trial') {
    tried.delete(lead.rule)
    return
  }
  const branch = branches.get(lead.attribute)
  if (!branch) return
  if (lead.by === 'presence') branch.whenPresent = undefined
  else if (lead.by === 'text') branch.byText.delete(lead.text)
  else branch.bySubstring?.delete(lead.text)
  if (branch.bySubstring?.size === 0) branch.bySubstring = undefined
  if (branch.byText.size === 0 && !branch.bySubstring && !branch.whenPresent) branches.delete(lead.attribute)
}

// Takes the node out if nothing hangs at it any more, and then its parents.
function dropEmpty<K>(node: TreeNode<K>): void {
  let each: TreeNode<K> | undefined = node
  while (each?.parent?.children && each.lead && each.placements.length === 0 && !each.children) {
    const { parent, lead }: TreeNode<K> = each
    if (!parent?.children) return
    const { children } = parent
    detach(children, lead)
    if (children.branches.size === 0 && children.tried.size === 0) parent.children = undefined
    each = parent
  }
}
