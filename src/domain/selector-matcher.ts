/**
 * Which setups a span matches. One matcher serves live matching, dry run and backfill, so that they cannot disagree.
 *
 * - All rules of a setup must hold; a setup without rules matches every span.
 * - Values compare as text, exactly (see `attributeTexts`), but the vendor of a model as `vendorTexts` has it; an array
 *   satisfies a positive operator if an element does.
 * - A negative operator is the exact negation of its positive one, so it holds where the attribute is absent.
 * - `exists` holds for any value, also null and an empty array, which have no text for the other operators.
 * - All names of an attribute count (see `attributeAliases`): a positive operator holds if it does for one of them.
 * - No setup matches a span of our own judge calls; or a judge's calls would be judged, and those calls in turn.
 */

import type { AttributeValue } from '../lib/otlp/span.ts'
import { ATTRIBUTE_SOURCES, type AttributeSource } from '../lib/otlp/span.ts'
import { attributeAliases } from './attribute-aliases.ts'
import type { SelectorRule } from './selector.ts'
import { SelectorIndex } from './selector-index.ts'
import type { SpanAttributes } from './selector-rule.ts'

/** The span attribute that marks our own judge calls, whatever its value. */
export const JUDGE_MARKER = { source: 'span_attributes', key: 'assay.judge' } as const

/** An attribute that a span may be asked for. */
export interface AttributeKey {
  readonly source: AttributeSource
  readonly key: string
}

/** The part of a setup that the matcher needs. */
export interface SelectableSetup<K> {
  readonly id: K
  readonly selector: readonly SelectorRule[]
}

/**
 * The compiled setups. `match` is synchronous and sees every change made before the call: spans that are matched without
 * waiting in between are matched by the same setups. A change takes microseconds, whatever the number of setups.
 */
export class Matcher<K> {
  readonly #index = new SelectorIndex<K>()
  #keys: readonly AttributeKey[] = []
  #keysRevision = -1

  constructor(setups: Iterable<SelectableSetup<K>>) {
    this.#index.addAll(setups)
  }

  /** Every attribute that `match` may ask a span for, all aliases included. The same array until a change alters it. */
  get keys(): readonly AttributeKey[] {
    if (this.#keysRevision !== this.#index.keysRevision) {
      this.#keysRevision = this.#index.keysRevision
      const keys = ATTRIBUTE_SOURCES.flatMap((source) =>
        Array.from(this.#index.keysOf(source), (key): AttributeKey => ({ source, key })),
      )
      const hasMarker = keys.some(
        ({ source, key }) => source === JUDGE_MARKER.source && key === JUDGE_MARKER.key,
      )
      this.#keys = hasMarker ? keys : [JUDGE_MARKER, ...keys]
    }
    return this.#keys
  }

  /** The ids of the setups that the span matches, in the order in which the setups were given. */
  match(span: SpanAttributes): K[] {
    return isJudgeCall(span) ? [] : this.#index.find(span)
  }

  /** Adds a setup at the end, or replaces the one with this id, which keeps its place. */
  set(setup: SelectableSetup<K>): void {
    this.#index.addAll([setup])
  }

  /** Whether there was such a setup to take out. */
  delete(id: K): boolean {
    return this.#index.delete(id)
  }
}

/** A matcher for these setups; of several with one id the last counts, at the place of the first. */
export function compileMatcher<K>(setups: Iterable<SelectableSetup<K>>): Matcher<K> {
  return new Matcher(setups)
}

/** The outcome of one rule on one span. */
export interface RuleExplanation {
  readonly rule: SelectorRule
  /** The attributes that the span has under the rule's key or an alias of it; none if it is absent. */
  readonly found: readonly { readonly key: string; readonly value: AttributeValue }[]
  readonly holds: boolean
}

/** Why a span matches a selector or does not. */
export interface SelectorExplanation {
  readonly matches: boolean
  /** The span is one of our own judge calls, which nothing matches. */
  readonly isJudgeCall: boolean
  /** One for each rule, in the selector's order. */
  readonly rules: readonly RuleExplanation[]
}

/** Explains a selector rule by rule. Each rule is asked for as a setup of its own in the index that matches spans. */
export function explainRules(selector: readonly SelectorRule[], span: SpanAttributes): SelectorExplanation {
  const index = new SelectorIndex<number>()
  index.addAll(selector.map((rule, at) => ({ id: at, selector: [rule] })))
  const holding = new Set(index.find(span))
  const isGuarded = isJudgeCall(span)
  return {
    matches: !isGuarded && holding.size === selector.length,
    isJudgeCall: isGuarded,
    rules: selector.map((rule, at) => ({ rule, found: foundBy(rule, span), holds: holding.has(at) })),
  }
}

function isJudgeCall(span: SpanAttributes): boolean {
  return span.attribute(JUDGE_MARKER.source, JUDGE_MARKER.key) !== undefined
}

function foundBy({ source, key }: SelectorRule, span: SpanAttributes): RuleExplanation['found'] {
  return attributeAliases(key).flatMap((name) => {
    const value = span.attribute(source, name)
    return value === undefined ? [] : [{ key: name, value }]
  })
}
