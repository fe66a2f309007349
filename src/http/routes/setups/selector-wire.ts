import * as z from 'zod'
import { OPERATOR_TABLE, OPERATORS } from '../../../domain/operators.ts'
import { ruleFromMapEntry, type SelectorRule, VALUE_TYPES } from '../../../domain/selector.ts'
import { defined } from '../../../lib/defined.ts'
import { ATTRIBUTE_SOURCES } from '../../../lib/otlp/span.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'

/** Most rules of a selector. */
export const RULES_MAX = 100
/** Most values of one rule. */
export const VALUES_MAX = 1_000
const KEY_CHARS_MAX = 1_024

const ruleFields = z.object({
  key: requiredName(KEY_CHARS_MAX).describe('Attribute name, for example `gen_ai.request.model`.'),
  source: z.enum(ATTRIBUTE_SOURCES).describe('Where the attribute is looked for.'),
  operator: z.enum(OPERATORS).optional().describe('How the attribute is compared; `equals` when absent.'),
  op: z.enum(OPERATORS).optional().describe('Another name of `operator`.'),
  value: boundedText()
    .optional()
    .describe(`Required by ${operatorsWith('value')}.`),
  values: z
    .array(boundedText())
    .max(VALUES_MAX)
    .optional()
    .describe(`Required by ${operatorsWith('values')}; at least one.`),
  value_type: z
    .string()
    .optional()
    .describe(
      '`string`, `number` or `boolean`, so that a stored rule can be sent back; anything else is `string`.',
    ),
})

/** One rule of a selector, as clients send it. */
export const ruleInput = ruleFields
  .superRefine((rule, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message, input: rule })
    if (rule.op !== undefined && rule.operator !== undefined && rule.op !== rule.operator) {
      complain('op', 'must be the same as operator when both are given')
    }
    const operator = rule.operator ?? rule.op ?? 'equals'
    const operand = OPERATOR_TABLE[operator].operand
    if (operand !== 'none' && rule[operand] === undefined)
      complain(operand, `is required when operator is ${operator}`)
    if (operand === 'values' && rule.values?.length === 0)
      complain('values', 'must contain at least one item')
  })
  .transform(toRule)
  .meta({ id: 'SelectorRuleInput' })

// A number that this program cannot hold exactly would be stored as another one, and never match.
const exactNumber = z.number().refine((value) => !Number.isInteger(value) || Number.isSafeInteger(value), {
  error: 'is too large to be kept exactly; give it as a string',
})

/** A selector, as an array of rules or as a map from attribute name to the value it must equal. */
export const selectorInput = z
  .union([
    z.array(ruleInput).max(RULES_MAX),
    z
      .record(z.string(), z.union([boundedText(), exactNumber, z.boolean()]))
      .superRefine((map, context) => {
        const complain = (message: string) => context.addIssue({ code: 'custom', message })
        for (const key of Object.keys(map)) {
          if (key === '') complain('must not contain an empty key')
          const parsed = ruleFields.shape.key.safeParse(key)
          if (!parsed.success) complain(`has a key that ${parsed.error.issues[0]?.message}`)
        }
      })
      .transform((map) => Object.entries(map).map(([key, value]) => ruleFromMapEntry(key, value))),
  ])
  .describe('All rules must hold. Absent or empty: every span matches.')

/** A stored rule. The operator is told under both of its names, because clients of both kinds exist. */
export const ruleOutput = z
  .object({
    key: z.string(),
    operator: z.enum(OPERATORS),
    op: z.enum(OPERATORS).describe('The same as `operator`.'),
    value: z.string().optional(),
    values: z.array(z.string()).optional(),
    source: z.enum(ATTRIBUTE_SOURCES),
    value_type: z.enum(VALUE_TYPES).describe('JSON type of the value as it was sent; it is stored as text.'),
  })
  .meta({ id: 'SelectorRule' })

/** A stored rule in the form of the wire. */
export function toWireRule(rule: SelectorRule): z.output<typeof ruleOutput> {
  return {
    key: rule.key,
    operator: rule.operator,
    op: rule.operator,
    ...defined({ value: rule.value }),
    ...(rule.values === undefined ? {} : { values: [...rule.values] }),
    source: rule.source,
    value_type: rule.valueType,
  }
}

// A value that the operator does not use is not stored.
function toRule(rule: z.output<typeof ruleFields>): SelectorRule {
  const operator = rule.operator ?? rule.op ?? 'equals'
  const operand = OPERATOR_TABLE[operator].operand
  return {
    key: rule.key,
    source: rule.source,
    operator,
    valueType: VALUE_TYPES.find((type) => type === rule.value_type) ?? 'string',
    ...(operand === 'value' && rule.value !== undefined ? { value: rule.value } : {}),
    ...(operand === 'values' && rule.values !== undefined ? { values: rule.values } : {}),
  }
}

function operatorsWith(operand: 'value' | 'values'): string {
  const names = OPERATORS.filter((name) => OPERATOR_TABLE[name].operand === operand)
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
