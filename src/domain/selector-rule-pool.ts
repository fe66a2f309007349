/** The attributes, rules and lists of rules that setups share, each kept for as long as a setup uses it. */

import type { AttributeSource } from '../lib/otlp/span.ts'
import { attributeAliases } from './attribute-aliases.ts'
import type { SelectorRule } from './selector.ts'
import { CompiledRule, RuleAttribute, RuleList } from './selector-rule.ts'

/** Hands out one object per attribute, rule and list of rules. */
export class RulePool {
  readonly #attributes: Readonly<Record<AttributeSource, Map<string, RuleAttribute>>> = {
    span_attributes: new Map(),
    resource_attributes: new Map(),
  }
  readonly #rules = new Map<string, CompiledRule>()
  readonly #lists = new Map<string, RuleList>()
  #nextNumber = 0
  #keysRevision = 0

  /** Changes whenever an attribute comes or goes. */
  get keysRevision(): number {
    return this.#keysRevision
  }

  /** All names of all attributes of a source. */
  keysOf(source: AttributeSource): Iterable<string> {
    return this.#attributes[source].keys()
  }

  /** The attribute under any of its names, if a rule looks at it. */
  attribute(source: AttributeSource, name: string): RuleAttribute | undefined {
    return this.#attributes[source].get(name)
  }

  /** The distinct rules of one setup, which counts as a use of each until `releaseRules`. */
  acquireRules(selector: readonly SelectorRule[]): CompiledRule[] {
    const rules = [...new Set(selector.map((rule) => this.#compile(rule)))]
    for (const rule of rules) count(rule, 1)
    return rules
  }

  releaseRules(rules: Iterable<CompiledRule>): void {
    for (const rule of rules) {
      count(rule, -1)
      if (rule.uses > 0) continue
      this.#rules.delete(rule.id)
      rule.attribute.uses -= 1
      if (rule.attribute.uses === 0) this.#forget(rule.attribute)
    }
  }

  /** The list of these rules in this order, for one setup until `releaseList`; undefined if there are none. */
  acquireList(rules: readonly CompiledRule[]): RuleList | undefined {
    let list: RuleList | undefined
    for (const rule of rules.toReversed()) {
      const next: RuleList | undefined = list
      const id = listId(rule, next)
      list = this.#lists.get(id)
      if (list) continue
      if (next) next.uses += 1
      list = new RuleList(this.#nextNumber++, rule, next)
      this.#lists.set(id, list)
    }
    if (list) list.uses += 1
    return list
  }

  releaseList(list: RuleList | undefined): void {
    for (let each = list; each; each = each.next) {
      each.uses -= 1
      if (each.uses > 0) return
      this.#lists.delete(listId(each.rule, each.next))
    }
  }

  #compile(rule: SelectorRule): CompiledRule {
    const attribute = this.attribute(rule.source, rule.key) ?? this.#remember(rule.source, rule.key)
    const compiled = new CompiledRule(this.#nextNumber++, rule, attribute)
    const known = this.#rules.get(compiled.id)
    if (known) return known
    attribute.uses += 1
    this.#rules.set(compiled.id, compiled)
    return compiled
  }

  #remember(source: AttributeSource, key: string): RuleAttribute {
    const attribute = new RuleAttribute(source, attributeAliases(key))
    for (const name of attribute.names) this.#attributes[source].set(name, attribute)
    this.#keysRevision += 1
    return attribute
  }

  #forget({ source, names }: RuleAttribute): void {
    for (const name of names) this.#attributes[source].delete(name)
    this.#keysRevision += 1
  }
}

function listId(rule: CompiledRule, next: RuleList | undefined): string {
  return `${rule.number} ${next?.number}`
}

function count(rule: CompiledRule, change: 1 | -1): void {
  rule.uses += change
  if (rule.isNegative || rule.test !== 'equals') return
  const { wanted } = rule.attribute
  for (const text of rule.texts) {
    const setups = (wanted.get(text) ?? 0) + change
    if (setups > 0) wanted.set(text, setups)
    else wanted.delete(text)
  }
}
