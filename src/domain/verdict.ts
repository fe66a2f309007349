import type { EvaluationOutput } from './evaluation.ts'
import type { SchemaField } from './evaluator.ts'

/** The meaning of a score for the person who reads it: good, bad, or neither because the evaluator only counts. */
export const VERDICTS = ['pass', 'fail', 'neutral'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Under this name rollups count verdicts, pass as 1 and fail as 0, like values of an output. No field of an output can have it. */
export const VERDICT_PROPERTY = '$verdict'

/** Comparisons of a number, in the words of the wire. */
export const COMPARISONS = ['at_least', 'at_most', 'above', 'below'] as const
export type Comparison = (typeof COMPARISONS)[number]

/** A condition on one field of an output. */
export type VerdictCondition =
  | { readonly field: string; readonly is: boolean }
  | { readonly field: string; readonly oneOf: readonly string[] }
  | { readonly field: string; readonly compare: Comparison; readonly threshold: number }

/** Plain words for the two verdicts that judge, such as "Faithful" and "Not faithful". */
export interface VerdictLabels {
  readonly pass: string
  readonly fail: string
}

/** When an output is good: all conditions hold. Without conditions every output is neutral. The first field is the deciding one. */
export interface VerdictRule {
  readonly conditions: readonly VerdictCondition[]
  readonly labels: VerdictLabels
  /** The number that a threshold of the user's own applies to, where the rule itself looks at a boolean. */
  readonly scoreField?: string
}

export const DEFAULT_LABELS: VerdictLabels = { pass: 'Passed', fail: 'Failed' }

const COMPARE: Readonly<Record<Comparison, (value: number, threshold: number) => boolean>> = {
  at_least: (value, threshold) => value >= threshold,
  at_most: (value, threshold) => value <= threshold,
  above: (value, threshold) => value > threshold,
  below: (value, threshold) => value < threshold,
}

const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  at_least: 'at least',
  at_most: 'at most',
  above: 'greater than',
  below: 'less than',
}

/** The verdict on an output. A field that is missing or of another type meets no condition. */
export function verdictOf(
  { conditions }: Pick<VerdictRule, 'conditions'>,
  output: EvaluationOutput,
): Verdict {
  if (conditions.length === 0) return 'neutral'
  return conditions.every((condition) => isMet(condition, output[condition.field])) ? 'pass' : 'fail'
}

function isMet(condition: VerdictCondition, value: unknown): boolean {
  if ('is' in condition) return value === condition.is
  if ('oneOf' in condition) return typeof value === 'string' && condition.oneOf.includes(value)
  return typeof value === 'number' && COMPARE[condition.compare](value, condition.threshold)
}

/** A rule in words, for example `has_pii is false`. */
export function ruleInWords({ conditions }: Pick<VerdictRule, 'conditions'>): string {
  if (conditions.length === 0) return 'neutral: it only counts'
  return conditions.map(conditionInWords).join(' and ')
}

function conditionInWords(condition: VerdictCondition): string {
  const { field } = condition
  if ('is' in condition) return `${field} is ${condition.is}`
  if ('oneOf' in condition) return `${field} is ${condition.oneOf.join(' or ')}`
  return `${field} is ${COMPARISON_WORDS[condition.compare]} ${condition.threshold}`
}

/** The first condition that an output does not meet, and in words what it has and needs; undefined where it meets all. */
export function failedCondition(
  { conditions }: Pick<VerdictRule, 'conditions'>,
  output: EvaluationOutput,
): { readonly field: string; readonly words: string } | undefined {
  const failed = conditions.find((condition) => !isMet(condition, output[condition.field]))
  if (!failed) return undefined
  const { field } = failed
  const value = output[field]
  const has = ['number', 'boolean', 'string'].includes(typeof value) ? String(value) : 'missing'
  return { field, words: `${field} is ${has}; a pass needs ${neededWords(failed)}` }
}

function neededWords(condition: VerdictCondition): string {
  if ('is' in condition) return String(condition.is)
  if ('oneOf' in condition) return condition.oneOf.join(' or ')
  return `${COMPARISON_WORDS[condition.compare]} ${condition.threshold}`
}

/** Whether larger values of a field are the worse ones: a boolean that has to be false, or a number that has to be small. */
export function isLargerWorse({ conditions }: Pick<VerdictRule, 'conditions'>, field: string): boolean {
  const condition = conditions.find((each) => each.field === field)
  if (!condition || 'oneOf' in condition) return false
  if ('is' in condition) return !condition.is
  return condition.compare === 'at_most' || condition.compare === 'below'
}

/** The direction in which values of a field get better. */
export type Direction = 'higher' | 'lower'

/** The direction in which a field gets better; undefined where more of it is neither good nor bad. */
export function betterDirection(rule: VerdictRule, field: string): Direction | undefined {
  const decides = rule.conditions.some((each) => each.field === field && !('oneOf' in each))
  if (!decides && thresholdField(rule) !== field) return undefined
  return isLargerWorse(rule, field) ? 'lower' : 'higher'
}

/** The field whose threshold a user may set; undefined where the rule has none. */
export function thresholdField({ conditions, scoreField }: VerdictRule): string | undefined {
  const [only, ...others] = conditions
  if (only && others.length === 0 && 'compare' in only) return only.field
  return scoreField
}

/** The rule with the user's own threshold, or as it is where there is none. */
export function withThreshold(rule: VerdictRule, threshold: number | undefined): VerdictRule {
  const field = thresholdField(rule)
  if (threshold === undefined || field === undefined) return rule
  const [first] = rule.conditions
  const compare = first && 'compare' in first ? first.compare : 'at_least'
  return { ...rule, conditions: [{ field, compare, threshold }] }
}

/**
 * The rule of a custom evaluator whose author chose none: the boolean named `pass`, else the first boolean is true; where there is
 * none, the first number that is declared to lie between 0 and 1 is at least 0.5. Other outputs are neutral.
 */
export function suggestedRule(outputs: readonly SchemaField[]): VerdictRule {
  const booleans = outputs.filter(({ type }) => type === 'boolean')
  const verdict = booleans.find(({ name }) => name === 'pass') ?? booleans[0]
  if (verdict) return { conditions: [{ field: verdict.name, is: true }], labels: DEFAULT_LABELS }
  const share = outputs.find(({ type, minimum, maximum }) => isNumber(type) && minimum === 0 && maximum === 1)
  if (!share) return { conditions: [], labels: DEFAULT_LABELS }
  return {
    conditions: [{ field: share.name, compare: 'at_least', threshold: 0.5 }],
    labels: DEFAULT_LABELS,
  }
}

/** Whether a field holds numbers. */
export function isNumber(type: SchemaField['type']): boolean {
  return type === 'int' || type === 'float'
}

/** Whether two rules give the same verdict on everything, whatever they call it. */
export function sameConditions(left: VerdictRule, right: VerdictRule): boolean {
  return JSON.stringify(left.conditions) === JSON.stringify(right.conditions)
}
