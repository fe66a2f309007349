/** Rules ready to be tried on a span. Rules that mean the same are one object, whichever setups they come from. */

import type { AttributeSource } from '../lib/otlp/span.ts'
import { type AttributeValue, attributeTexts } from '../lib/otlp/span.ts'
import { namesVendor, vendorTexts } from './attribute-aliases.ts'
import { OPERATOR_TABLE, type RuleTest, TEXT_TESTS } from './operators.ts'
import type { SelectorRule } from './selector.ts'

/**
 * The part of a span that matching needs. Only the keys that the matcher lists are asked for, so a decoder may be lazy.
 */
export interface SpanAttributes {
  /** The value, null included, or undefined where the span has no such attribute. */
  attribute(source: AttributeSource, key: string): AttributeValue | undefined
  /**
   * The names of the attributes the span has, where that is cheap to say; names that are not asked for may be among them or
   * left out. It keeps the cost low when setups look at far more attributes than one span has.
   */
  names?(source: AttributeSource): Iterable<string>
}

const NO_TEXTS: readonly string[] = []

/**
 * One attribute that rules look at, under all its names, and what the current span has there. A round is one span's: a
 * number above that of the span before.
 */
export class RuleAttribute {
  readonly source: AttributeSource
  readonly names: readonly string[]
  /** Whether it is the vendor of a model, whose texts compare as `vendorTexts` has them; then all texts here are in lower case. */
  readonly isVendor: boolean
  /** How many setups want each text here by `equals` or `in`. */
  readonly wanted = new Map<string, number>()
  /** How many rules look here. */
  uses = 0
  isPresent = false
  texts: readonly string[] = NO_TEXTS
  #round = 0
  #lastVendor: string | undefined
  #lastVendorTexts: readonly string[] = NO_TEXTS

  constructor(source: AttributeSource, names: readonly string[]) {
    this.source = source
    this.names = names
    this.isVendor = names[0] !== undefined && namesVendor(names[0])
  }

  /** Texts of a rule as they compare here. */
  wantedTexts(texts: readonly string[]): readonly string[] {
    return this.isVendor ? texts.map((text) => text.toLowerCase()) : texts
  }

  /** Reads the attribute of the span; asks the span only once a round. */
  read(span: SpanAttributes, round: number): void {
    if (this.#round === round) return
    this.#round = round
    this.isPresent = false
    this.texts = NO_TEXTS
    for (const name of this.names) {
      const value = span.attribute(this.source, name)
      if (value === undefined) continue
      // Null and an empty array are present and have no text: `exists` holds, and nothing equals or is contained.
      const texts = this.isVendor ? this.#vendorTexts(value) : attributeTexts(value)
      this.texts = this.isPresent ? this.texts.concat(texts) : texts
      this.isPresent = true
    }
  }

  // Span after span comes from the same vendor, so that its texts are made once and not for each span.
  #vendorTexts(value: AttributeValue): readonly string[] {
    if (typeof value !== 'string') return vendorTexts(attributeTexts(value))
    if (value !== this.#lastVendor) {
      this.#lastVendor = value
      this.#lastVendorTexts = vendorTexts([value])
    }
    return this.#lastVendorTexts
  }
}

/** A rule on an attribute; any number of setups share it. */
export class CompiledRule {
  /** No other rule or list of the pool has it. */
  readonly number: number
  readonly attribute: RuleAttribute
  readonly test: RuleTest
  readonly isNegative: boolean
  /** Distinct and sorted. Without texts, which no stored rule is, a test for texts is never met. */
  readonly texts: readonly string[]
  /** Equal for rules that mean the same. */
  readonly id: string
  /** How many setups have this rule. */
  uses = 0
  #round = 0
  #holds = false

  constructor(number: number, rule: SelectorRule, attribute: RuleAttribute) {
    this.number = number
    this.attribute = attribute
    const { test, isNegative } = OPERATOR_TABLE[rule.operator]
    this.test = test
    this.isNegative = isNegative
    const texts = this.test === 'exists' ? NO_TEXTS : (rule.values ?? textsOf(rule.value))
    this.texts = [...new Set(attribute.wantedTexts(texts))].sort()
    this.id = JSON.stringify([
      attribute.source,
      attribute.names[0],
      this.test,
      this.isNegative,
      ...this.texts,
    ])
  }

  /** Whether the rule holds for the span; tried only once a round. */
  holds(span: SpanAttributes, round: number): boolean {
    if (this.#round !== round) {
      this.#round = round
      this.attribute.read(span, round)
      this.#holds = this.#isMet() !== this.isNegative
    }
    return this.#holds
  }

  #isMet(): boolean {
    const { isPresent, texts } = this.attribute
    if (this.test === 'exists') return isPresent
    const { test } = this
    for (const text of texts) {
      for (const wanted of this.texts) {
        // Written out for the commonest test: a call takes longer than comparing, and negative rules are tried one by one.
        if (test === 'equals' ? text === wanted : TEXT_TESTS[test](text, wanted)) return true
      }
    }
    return false
  }
}

function textsOf(value: string | undefined): readonly string[] {
  return value === undefined ? NO_TEXTS : [value]
}

/** Rules that must all hold. Lists that end in the same rules share that end, and it is tried once a round. */
export class RuleList {
  readonly rule: CompiledRule
  readonly next: RuleList | undefined
  readonly number: number
  /** How many setups and longer lists have this list. */
  uses = 0
  #round = 0
  #holds = false

  constructor(number: number, rule: CompiledRule, next: RuleList | undefined) {
    this.number = number
    this.rule = rule
    this.next = next
  }

  /** Whether all rules hold for the span; tried only once a round. */
  holds(span: SpanAttributes, round: number): boolean {
    if (this.#round !== round) {
      this.#round = round
      this.#holds = this.rule.holds(span, round) && (this.next === undefined || this.next.holds(span, round))
    }
    return this.#holds
  }
}
