import { type Definition, type Override, plainRule, type Rule } from './setup-definition.ts'

export type Read<Value> = { readonly value: Value } | { readonly fault: string }

const FIELDS = ['external_id', 'entity_type', 'entity_value', 'selector', 'evaluators', 'evaluator_configs']
// As the service decides it for selectors that are a map.
const RESOURCE_PREFIXES = ['service.', 'host.', 'process.', 'telemetry.', 'deployment.']

/** Text in JSON as a definition, or what is wrong with it in words. */
export function readJson(text: string): Read<Definition> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return { fault: `This is not valid JSON: ${(error as Error).message}` }
  }
  return readDefinition(value)
}

/**
 * A value from outside as a definition. Only what the form needs is checked: everything else the service says better. A
 * field that it would ignore is refused, because it is most likely a slip.
 */
export function readDefinition(value: unknown): Read<Definition> {
  if (!isObject(value)) return { fault: 'A setup is an object.' }
  const unknown = Object.keys(value).find((name) => !FIELDS.includes(name))
  if (unknown !== undefined) return { fault: `A setup has no field "${unknown}".` }
  const {
    external_id = '',
    entity_type,
    entity_value,
    selector = [],
    evaluators = [],
    evaluator_configs = [],
  } = value
  if (typeof external_id !== 'string') return { fault: 'external_id must be a text.' }
  const rules = readRules(selector)
  if ('fault' in rules) return rules
  if (!isListOf(evaluators, (slug): slug is string => typeof slug === 'string')) {
    return { fault: 'evaluators must be a list of names of evaluators.' }
  }
  if (!isListOf(evaluator_configs, isOverride))
    return { fault: 'evaluator_configs must be a list of objects with a slug.' }
  const unclear = evaluator_configs.find(({ verdict_threshold: given = 0 }) => typeof given !== 'number')
  if (unclear) return { fault: `${unclear.slug}: verdict_threshold must be a number.` }
  return {
    value: {
      external_id,
      ...(typeof entity_type === 'string' && entity_type ? { entity_type } : {}),
      ...(typeof entity_value === 'string' && entity_value ? { entity_value } : {}),
      selector: rules.value,
      evaluators: [...new Set([...evaluators, ...evaluator_configs.map(({ slug }) => slug)])],
      evaluator_configs: evaluator_configs.filter((override) => Object.keys(override).length > 1),
    },
  }
}

function readRules(selector: unknown): Read<Rule[]> {
  if (Array.isArray(selector)) {
    for (const [at, rule] of selector.entries()) {
      const fault = ruleFault(rule)
      if (fault) return { fault: `Rule ${at + 1} ${fault}` }
    }
    return { value: (selector as Rule[]).map(plainRule) }
  }
  if (!isObject(selector))
    return { fault: 'selector must be a list of rules, or an object of keys and values.' }
  return { value: Object.entries(selector).map(([key, value]) => ruleOf(key, value)) }
}

function ruleFault(rule: unknown): string | undefined {
  if (!isObject(rule)) return 'is not an object.'
  if (typeof rule['key'] !== 'string') return 'has no key.'
  if (rule['source'] !== 'span_attributes' && rule['source'] !== 'resource_attributes') {
    return 'needs a source: span_attributes or resource_attributes.'
  }
  if (rule['value'] !== undefined && typeof rule['value'] !== 'string')
    return 'has a value that is not a text.'
  const { values = [] } = rule
  if (!isListOf(values, (one): one is string => typeof one === 'string'))
    return 'has values that are not texts.'
  return undefined
}

function ruleOf(key: string, value: unknown): Rule {
  const isResource = RESOURCE_PREFIXES.some((prefix) => key.startsWith(prefix))
  return plainRule({
    source: isResource ? 'resource_attributes' : 'span_attributes',
    key,
    value: String(value),
    value_type: typeof value,
  })
}

function isOverride(value: unknown): value is Override {
  return isObject(value) && typeof value['slug'] === 'string'
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}

function isListOf<Item>(value: unknown, is: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(is)
}
