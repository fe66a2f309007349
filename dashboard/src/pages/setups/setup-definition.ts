import { OPERATOR_FORMS } from '../../api/operators.gen.ts'
import type { components } from '../../api/schema.gen.ts'

export type Setup = components['schemas']['Setup']
export type Evaluator = components['schemas']['Evaluator']
export type Rule = components['schemas']['SelectorRuleInput']
export type Override = components['schemas']['EvaluatorConfigInput']
export type Mapping = NonNullable<Override['mapping']>[string]
export type Source = Rule['source']
export type Operator = NonNullable<Rule['operator']>
export type Scope = NonNullable<Override['scope']>

/** A setup as it is sent and as files hold it, in one form: rules as a list, everything that is empty left out. */
export interface Definition {
  readonly external_id: string
  readonly entity_type?: string
  readonly entity_value?: string
  readonly selector: readonly Rule[]
  readonly evaluators: readonly string[]
  readonly evaluator_configs: readonly Override[]
}

/** The definition of a stored setup. */
export function definitionOf(setup: Setup): Definition {
  return {
    external_id: setup.external_id,
    ...(setup.entity_type ? { entity_type: setup.entity_type } : {}),
    ...(setup.entity_value ? { entity_value: setup.entity_value } : {}),
    selector: setup.init_rules.map(plainRule),
    evaluators: setup.evaluators.map(({ evaluator_type }) => evaluator_type),
    evaluator_configs: setup.evaluator_configs ?? [],
  }
}

/** The definition for a file, without empty parts. */
export function compact({ evaluator_configs, ...rest }: Definition): Partial<Definition> {
  return evaluator_configs.length === 0 ? rest : { ...rest, evaluator_configs }
}

/** The body that stores it. Everything is said, so that what was taken away goes away. */
export function bodyOf(definition: Definition): components['schemas']['SetupInput'] {
  return {
    external_id: definition.external_id,
    entity_type: definition.entity_type ?? '',
    entity_value: definition.entity_value ?? '',
    selector: [...definition.selector],
    evaluators: [...definition.evaluators],
    evaluator_configs: [...definition.evaluator_configs],
  }
}

/** Whether an operator compares with one value, with a list, or only looks for the attribute. */
export function operandOf(operator: Operator): 'value' | 'values' | 'none' {
  return OPERATOR_FORMS[operator].operand
}

/** A rule in one form: one name of the operator, and only what the operator looks at. */
export function plainRule(rule: Rule): Rule {
  const operator = rule.operator ?? rule.op ?? 'equals'
  const operand = operandOf(operator)
  return {
    source: rule.source,
    key: rule.key,
    operator,
    ...(operand === 'value' ? { value: rule.value ?? '' } : {}),
    ...(operand === 'values' ? { values: rule.values ?? [] } : {}),
    ...(rule.value_type === 'number' || rule.value_type === 'boolean' ? { value_type: rule.value_type } : {}),
  }
}

/** The same text for the same value, whatever the order of its keys. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
  })
}

export const isSame = (left: Definition, right: Definition): boolean =>
  canonicalText(comparable(left)) === canonicalText(comparable(right))

// The order of evaluators and of what is changed about them decides nothing.
function comparable(definition: Definition) {
  const bySlug = (left: Override, right: Override) => (left.slug < right.slug ? -1 : 1)
  return {
    ...bodyOf(definition),
    evaluators: definition.evaluators.toSorted(),
    evaluator_configs: definition.evaluator_configs.toSorted(bySlug),
  }
}
