import {
  type Definition,
  type Operator,
  type Override,
  operandOf,
  plainRule,
  type Rule,
  type Source,
} from './setup-definition.ts'

/** A rule while it is being written: it keeps its value while another operator is tried. */
export interface DraftRule {
  /** Stays with the row while others come and go. */
  readonly id: number
  readonly source: Source
  readonly key: string
  readonly operator: Operator
  readonly value: string
  readonly values: readonly string[]
  readonly valueType: string
}

/** A setup while it is being written. */
export interface Draft {
  readonly externalId: string
  readonly entityType: string
  readonly entityValue: string
  readonly rules: readonly DraftRule[]
  readonly evaluators: readonly Override[]
}

let lastId = 0

export function newRule(rule: Partial<Rule> = {}): DraftRule {
  lastId += 1
  return {
    id: lastId,
    source: rule.source ?? 'span_attributes',
    key: rule.key ?? '',
    operator: rule.operator ?? 'equals',
    value: rule.value ?? '',
    values: rule.values ?? [],
    valueType: rule.value_type ?? 'string',
  }
}

export function draftOf(definition: Definition): Draft {
  const overrides = new Map(definition.evaluator_configs.map((override) => [override.slug, override]))
  return {
    externalId: definition.external_id,
    entityType: definition.entity_type ?? '',
    entityValue: definition.entity_value ?? '',
    rules: definition.selector.map(newRule),
    evaluators: definition.evaluators.map((slug) => overrides.get(slug) ?? { slug }),
  }
}

export function definitionOfDraft(draft: Draft): Definition {
  return {
    external_id: draft.externalId.trim(),
    ...(draft.entityType ? { entity_type: draft.entityType } : {}),
    ...(draft.entityValue ? { entity_value: draft.entityValue } : {}),
    selector: draft.rules.map(({ valueType, ...rule }) =>
      plainRule({ ...rule, values: [...rule.values], value_type: valueType }),
    ),
    evaluators: draft.evaluators.map(({ slug }) => slug),
    evaluator_configs: draft.evaluators.filter((override) => Object.keys(override).length > 1),
  }
}

/** The draft with what is changed about one evaluator replaced. */
export function withOverride(draft: Draft, override: Override): Draft {
  const evaluators = draft.evaluators.map((each) => (each.slug === override.slug ? override : each))
  return { ...draft, evaluators }
}

/** The first rule that cannot be tried yet, counted from 1. */
export function unfinishedRule(draft: Draft): number | undefined {
  const at = draft.rules.findIndex(({ key, operator, values }) => {
    return key === '' || (operandOf(operator) === 'values' && values.length === 0)
  })
  return at < 0 ? undefined : at + 1
}

/** An override without what was set back to its default. */
export function withoutDefaults(override: Override): Override {
  const { slug, scope, config, mapping, sampling_rate, verdict_threshold } = override
  return {
    slug,
    ...(scope === undefined ? {} : { scope }),
    ...(config && Object.keys(config).length > 0 ? { config } : {}),
    ...(mapping && Object.keys(mapping).length > 0 ? { mapping } : {}),
    ...(sampling_rate === undefined ? {} : { sampling_rate }),
    ...(verdict_threshold === undefined ? {} : { verdict_threshold }),
  }
}
