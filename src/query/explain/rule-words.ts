import { OPERATOR_TABLE } from '../../domain/operators.ts'
import type { SelectorRule } from '../../domain/selector.ts'
import type { RuleExplanation, SelectorExplanation } from '../../domain/selector-matcher.ts'
import { oneLine } from '../../lib/one-line.ts'
import { type AttributeValue, attributeText } from '../../lib/otlp/span.ts'

/** Longest quotation of a value in a sentence. */
const QUOTED_CHARS_MAX = 80
/** Values of a list that a sentence names. */
const VALUES_MAX = 5

/** Why the rules do not hold, in words; undefined when they do. */
export function failedRulesInWords({ isJudgeCall, rules }: SelectorExplanation): string | undefined {
  if (isJudgeCall) return 'the span is a call of our own judge (it has assay.judge), which no setup matches'
  const failed = rules.flatMap((rule, at) => (rule.holds ? [] : [{ rule, at }]))
  const [first] = failed
  if (!first) return undefined
  const others = failed.slice(1).map(({ at }) => at + 1)
  const rest = others.length === 0 ? '' : `; so did ${plural('rule', others)}`
  return `rule ${first.at + 1} of ${rules.length} failed: ${ruleInWords(first.rule)}${rest}`
}

function plural(noun: string, numbers: readonly number[]): string {
  const shown = numbers.slice(0, VALUES_MAX).join(', ')
  const more = numbers.length > VALUES_MAX ? ` and ${numbers.length - VALUES_MAX} more` : ''
  return `${noun}${numbers.length === 1 ? '' : 's'} ${shown}${more}`
}

/** The span's value beside the value that the rule wants. */
function ruleInWords({ rule, found }: RuleExplanation): string {
  const side = rule.source === 'resource_attributes' ? 'resource attribute ' : ''
  const has =
    found.length === 0
      ? `${quotedKey(rule.key)} is absent`
      : found.map(({ key, value }) => `${quotedKey(key)} is ${quotedValue(value)}`).join(' and ')
  return `${side}${has} but ${wanted(rule)}`
}

function wanted({ operator, value = '', values = [] }: SelectorRule): string {
  const { demand, operand } = OPERATOR_TABLE[operator]
  if (operand === 'none') return demand
  return `${demand} ${operand === 'value' ? quoted(value) : list(values)}`
}

function list(values: readonly string[]): string {
  const shown = values.slice(0, VALUES_MAX).map(quoted).join(', ')
  return values.length > VALUES_MAX ? `${shown} and ${values.length - VALUES_MAX} more` : shown
}

// A text is quoted so that 4096 and "4096" can be told apart; a rule compares both as the same text.
function quotedValue(value: AttributeValue): string {
  return typeof value === 'string' ? quoted(value) : oneLine(valueText(value), QUOTED_CHARS_MAX)
}

/** The text of any value, null included. */
export function valueText(value: AttributeValue): string {
  return value === null ? 'null' : attributeText(value)
}

function quotedKey(key: string): string {
  return oneLine(key, QUOTED_CHARS_MAX)
}

function quoted(text: string): string {
  return oneLine(JSON.stringify(text), QUOTED_CHARS_MAX)
}
