import * as z from 'zod'
import { type Condition, LOGICAL_OPERATORS, type LogicalOperator } from '../../domain/condition.ts'
import { type ConditionOperator, OPERATOR_TABLE } from '../../domain/operators.ts'
import { parseLeniently } from '../../evaluators/kit/parse-input.ts'
import { parseStrictJson } from '../../lib/strict-json.ts'
import { boundedText, requiredName } from './text-schemas.ts'

const CONDITIONS_MAX = 50
const VALUES_MAX = 1_000
const FIELD_CHARS_MAX = 1_024

const scalar = z.union([boundedText(), z.number(), z.boolean()])

/** A list of conditions, as clients send it; `nameOf` is what the field is called there. */
export function conditionsInput(nameOf: 'field' | 'id', operators: readonly ConditionOperator[]) {
  const condition = z
    .object({
      [nameOf]: requiredName(FIELD_CHARS_MAX),
      operator: z.enum(operators as [ConditionOperator, ...ConditionOperator[]]),
      value: z.union([scalar, z.array(scalar).max(VALUES_MAX)]).optional(),
      values: z.array(scalar).max(VALUES_MAX).optional(),
    })
    .transform((given, context): Condition => {
      const { operator } = given as { operator: ConditionOperator }
      const value = given['value'] as unknown
      const listed = (given['values'] ?? (Array.isArray(value) ? value : undefined)) as unknown[] | undefined
      const { operand } = OPERATOR_TABLE[operator]
      const single = value === undefined || Array.isArray(value) ? [] : [value]
      const values = operand === 'values' ? (listed ?? single) : single
      if (operand !== 'none' && values.length === 0) {
        context.addIssue({
          code: 'custom',
          path: [operand],
          message: `is required when operator is ${operator}`,
        })
      }
      return { field: String(given[nameOf]), operator, values: values.map(String) }
    })
  return z.array(condition).max(CONDITIONS_MAX)
}

/** The same as JSON text, for a query. */
export function conditionsParam(conditions: ReturnType<typeof conditionsInput>) {
  return z.string().transform((text, context): Condition[] => {
    const parsed = parseJson(text)
    const result = parsed && parseLeniently(conditions, parsed.value)
    if (result?.success) return result.data
    const issues = result?.error.issues ?? [{ code: 'custom', path: [], message: 'must be JSON' } as const]
    for (const issue of issues) context.addIssue({ ...issue })
    return z.NEVER
  })
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    return { value: parseStrictJson(Buffer.from(text)) }
  } catch {
    return undefined
  }
}

/** Whether all conditions must hold or one; either case. */
export const logicalOperatorInput = upperCase(LOGICAL_OPERATORS).describe('`AND` when absent.')

/** In which order; either case. */
export const sortOrderInput = upperCase(['ASC', 'DESC']).describe('`DESC` when absent.')

function upperCase<const Values extends readonly string[]>(values: Values) {
  return z
    .string()
    .transform((text, context): Values[number] => {
      const upper = text.toUpperCase()
      if (values.includes(upper)) return upper
      context.addIssue({ code: 'custom', message: `must be one of ${values.join(', ')}` })
      return z.NEVER
    })
    .meta({ enum: [...values] })
}

/** The given operator, or AND without one. */
export function logicOf(given: string | undefined): LogicalOperator {
  return given === 'OR' ? 'OR' : 'AND'
}
