import * as z from 'zod'
import type { SchemaField } from '../../domain/evaluator.ts'
import {
  COMPARISONS,
  DEFAULT_LABELS,
  isNumber,
  ruleInWords,
  thresholdField,
  type VerdictCondition,
  type VerdictRule,
} from '../../domain/verdict.ts'
import { defined } from '../../lib/defined.ts'
import { boundedText, requiredName } from './text-schemas.ts'

const LABEL_CHARS_MAX = 60
const GOOD_LABELS_MAX = 100

/** The rule of an evaluator as it is told. */
export const verdictRuleOutput = z
  .object({
    rule: z.string().describe('When an answer passes, in words.'),
    property: z.string().optional().describe('The deciding field; absent where every answer is neutral.'),
    threshold_property: z
      .string()
      .optional()
      .describe('The field that `verdict_threshold` of a setup applies to; absent where none can be set.'),
    threshold: z.number().optional().describe('The line that the deciding field is compared with.'),
    pass_label: z.string(),
    fail_label: z.string(),
  })
  .meta({ id: 'VerdictRule' })

/** A rule in the form of the wire. */
export function toWireRule(rule: VerdictRule): z.output<typeof verdictRuleOutput> {
  const [first] = rule.conditions
  return {
    rule: ruleInWords(rule),
    ...defined({ property: first?.field, threshold_property: thresholdField(rule) }),
    ...(first && 'compare' in first ? { threshold: first.threshold } : {}),
    pass_label: rule.labels.pass,
    fail_label: rule.labels.fail,
  }
}

const comparisonFields = Object.fromEntries(
  COMPARISONS.map((name) => [name, z.number().optional()]),
) as Record<(typeof COMPARISONS)[number], z.ZodOptional<z.ZodNumber>>

/** The rule that the author of a custom evaluator chooses. */
export const verdictRuleInput = z
  .object({
    property: boundedText(64).optional().describe('The deciding field of the output.'),
    is: z.boolean().optional().describe('For a boolean: the value that passes.'),
    one_of: z
      .array(requiredName(255))
      .min(1)
      .max(GOOD_LABELS_MAX)
      .optional()
      .describe('For a text: the values that pass.'),
    ...comparisonFields,
    neutral: z.literal(true).optional().describe('No answer is good or bad.'),
    pass_label: requiredName(LABEL_CHARS_MAX).optional(),
    fail_label: requiredName(LABEL_CHARS_MAX).optional(),
  })
  .superRefine(({ property, neutral, ...given }, context) => {
    const conditions = (['is', 'one_of', ...COMPARISONS] as const).filter((name) => given[name] !== undefined)
    const complain = (message: string) => context.addIssue({ code: 'custom', message })
    if (neutral) {
      if (property !== undefined || conditions.length > 0) complain('must have nothing else beside neutral')
    } else if (property === undefined) complain('must have a property, or neutral')
    else if (conditions.length !== 1)
      complain(`must have exactly one of is, one_of, ${COMPARISONS.join(', ')}`)
  })
  .describe('Which answers are good. Absent: a boolean that is true.')
  .meta({ id: 'VerdictRuleInput' })

/** The rule that a checked input describes. */
export function toVerdictRule(input: z.output<typeof verdictRuleInput>): VerdictRule {
  const labels = {
    pass: input.pass_label ?? DEFAULT_LABELS.pass,
    fail: input.fail_label ?? DEFAULT_LABELS.fail,
  }
  return { conditions: input.property === undefined ? [] : [conditionOf(input.property, input)], labels }
}

function conditionOf(field: string, input: z.output<typeof verdictRuleInput>): VerdictCondition {
  if (input.is !== undefined) return { field, is: input.is }
  if (input.one_of) return { field, oneOf: input.one_of }
  const compare = COMPARISONS.find((name) => input[name] !== undefined)
  if (!compare) throw new Error('a verdict rule without a condition was let through')
  return { field, compare, threshold: input[compare] as number }
}

/** The rule that an author chose, in the form in which it is sent. */
export function toWireChosenRule({
  conditions: [first],
  labels,
}: VerdictRule): z.output<typeof verdictRuleInput> {
  const names = { pass_label: labels.pass, fail_label: labels.fail }
  if (!first) return { neutral: true, ...names }
  const property = first.field
  if ('is' in first) return { property, is: first.is, ...names }
  if ('oneOf' in first) return { property, one_of: [...first.oneOf], ...names }
  return { property, [first.compare]: first.threshold, ...names }
}

/** The reason why a rule does not fit the outputs of its evaluator. */
export function verdictFault(
  { conditions }: VerdictRule,
  outputs: readonly SchemaField[],
): string | undefined {
  for (const condition of conditions) {
    const output = outputs.find(({ name }) => name === condition.field)
    if (!output) return `verdict.property: ${condition.field} is not in output_schema`
    const fault = typeFault(condition, output)
    if (fault !== undefined) return fault
  }
  return undefined
}

function typeFault(condition: VerdictCondition, { name, type, enumValues }: SchemaField): string | undefined {
  if ('is' in condition) return type === 'boolean' ? undefined : `verdict.is: ${name} is no boolean`
  if ('compare' in condition)
    return isNumber(type) ? undefined : `verdict.${condition.compare}: ${name} is no number`
  if (type !== 'enum' && type !== 'string') return `verdict.one_of: ${name} is no text`
  const foreign = enumValues && condition.oneOf.find((value) => !enumValues.includes(value))
  return foreign === undefined ? undefined : `verdict.one_of: ${foreign} is not a value of ${name}`
}
