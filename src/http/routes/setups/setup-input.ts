import * as z from 'zod'
import type { NamedChange } from '../../../control/setups.ts'
import { CANONICAL_FIELDS, EVALUATION_SCOPES, type EvaluatorSummary } from '../../../domain/evaluator.ts'
import type { EvaluatorConfig, EvaluatorOverride, InputMapping, SetupChange } from '../../../domain/setup.ts'
import { isPath } from '../../../domain/span-fields/extract-path.ts'
import { ruleInWords, thresholdField } from '../../../domain/verdict.ts'
import { findBuiltIn } from '../../../evaluators/catalogue.ts'
import { firstFault } from '../../../evaluators/kit/parse-input.ts'
import type { KnownEvaluators } from '../../../evaluators/known-evaluators.ts'
import { defined } from '../../../lib/defined.ts'
import { ATTRIBUTE_SOURCES } from '../../../lib/otlp/span.ts'
import { compileSafeRegex } from '../../../lib/safe-regex/safe-regex.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { RULES_MAX, selectorInput, VALUES_MAX } from './selector-wire.ts'

export const EXTERNAL_ID_CHARS_MAX = 255
const EVALUATORS_MAX = 200
const SLUG_CHARS_MAX = 255
const MAPPINGS_MAX = 100

const inputMapping = z
  .object({
    field: z.enum(CANONICAL_FIELDS).optional().describe('A field that every tracing dialect is reduced to.'),
    source: z.enum(ATTRIBUTE_SOURCES).optional().describe('Together with `key`: a named attribute.'),
    key: requiredName(1_024).optional(),
    json_path: boundedText()
      .refine(isPath, { error: 'is not a path' })
      .optional()
      .describe('Dots and indexes into JSON text, for example `0.text`.'),
    regex: boundedText()
      .refine(compiles, { error: 'is not a valid regular expression' })
      .optional()
      .describe(
        'Applied last; the first capture group is the input, or the whole match where there is no group.',
      ),
  })
  .transform((mapping, context): InputMapping => {
    const { field, source, key } = mapping
    const attribute = source !== undefined && key !== undefined ? { source, key } : undefined
    const from = field === undefined ? attribute : { field }
    if (!from || (field !== undefined && (source ?? key) !== undefined)) {
      context.addIssue({ code: 'custom', message: 'must have either field, or source and key' })
      return z.NEVER
    }
    return {
      from,
      ...defined({ jsonPath: mapping.json_path, regex: mapping.regex }),
    }
  })
  .meta({ id: 'InputMapping' })

const evaluatorConfig = z
  .object({
    slug: requiredName(SLUG_CHARS_MAX).describe('The evaluator that this is about; added when not listed.'),
    scope: z
      .enum(EVALUATION_SCOPES)
      .optional()
      .describe("What is evaluated; absent: the evaluator's default."),
    config: z.record(z.string(), z.unknown()).optional().describe("The evaluator's own settings."),
    mapping: z
      .preprocess(withoutNullEntries, z.record(z.string(), inputMapping))
      .optional()
      .describe('Where inputs come from, by input name.'),
    sampling_rate: z.number().min(0).max(1).optional().describe('Share of matching units to evaluate.'),
    verdict_threshold: z
      .number()
      .optional()
      .describe(
        "From where on an answer passes, instead of the evaluator's own line. It changes no score: stored results are judged again.",
      ),
  })
  .meta({ id: 'EvaluatorConfigInput' })

const changeFields = {
  evaluators: z
    .array(requiredName(SLUG_CHARS_MAX))
    .min(1)
    .max(EVALUATORS_MAX)
    .optional()
    .describe('Evaluator slugs.'),
  selector: selectorInput.optional(),
  evaluator_configs: z
    .array(evaluatorConfig)
    .max(EVALUATORS_MAX)
    .optional()
    .describe('Overrides by evaluator.'),
  entity_type: boundedText().optional().describe('Stored and echoed; does not filter.'),
  entity_value: boundedText().optional().describe('Stored and echoed; does not filter.'),
}

const externalId = requiredName(EXTERNAL_ID_CHARS_MAX).describe(
  'Chosen by the client, unique within the project.',
)

// Clients remove these two from the path of a URL, also in their percent-encoded form, so that no setup could be read by them.
const newExternalId = externalId.refine((id) => id !== '.' && id !== '..', {
  error: 'must not be . or .., which URLs cannot hold',
})

/** The body of create, and one item of bulk. */
export const setupCreateInput = z
  .object({ external_id: newExternalId, ...changeFields })
  .superRefine((body, context) => {
    // Named like the interface names it, although evaluator_configs alone would do.
    if (body.evaluators) return
    const message = body.evaluator_configs ? 'must contain at least one item' : 'is required'
    if (!body.evaluator_configs?.length) context.addIssue({ code: 'custom', path: ['evaluators'], message })
  })
  .meta({ id: 'SetupInput' })

/** The body of update: what is given replaces, the rest stays. */
export const setupUpdateInput = z
  .object({ external_id: externalId.optional().describe('If given, the one in the path.'), ...changeFields })
  .meta({ id: 'SetupUpdateInput' })

type ChangeFields = z.output<typeof setupUpdateInput>

/** Every slug that a value which may or may not be a setup body mentions; enough to know whom to look up. */
export function mentionedSlugs(body: unknown): string[] {
  const { evaluators, evaluator_configs } = Object(body) as {
    evaluators?: unknown
    evaluator_configs?: unknown
  }
  const listed = Array.isArray(evaluators) ? evaluators : []
  const configured = Array.isArray(evaluator_configs)
    ? evaluator_configs.map((item) => Object(item).slug)
    : []
  return [...listed, ...configured].filter((slug) => typeof slug === 'string')
}

/** The change that a checked body asks for, or what is wrong with the evaluators it names. */
export function toChange(
  body: ChangeFields,
  known: KnownEvaluators,
): { value: SetupChange } | { message: string } {
  const evaluators: EvaluatorSummary[] = []
  for (const [at, slug] of body.evaluators?.entries() ?? []) {
    const evaluator = known.find(slug)
    if (!evaluator) return { message: `evaluators[${at}]: unknown evaluator slug ${slug}` }
    evaluators.push(evaluator)
  }
  const configs = toEvaluatorConfigs(body.evaluator_configs ?? [], known)
  if ('message' in configs) return configs
  return {
    value: {
      ...(body.evaluators ? { evaluators: evaluators.map(refOf) } : {}),
      ...(body.evaluator_configs ? { evaluatorConfigs: configs.value } : {}),
      ...(body.selector ? { selector: body.selector } : {}),
      ...defined({ entityType: body.entity_type, entityValue: body.entity_value }),
    },
  }
}

/**
 * Checks the shape of a body. A body that is far too long or cannot be kept is refused before the schema looks into it: a
 * schema goes through all of a list before it says that the list is too long, and it drops the key `__proto__` without a
 * word.
 */
export function checkShape<Schema extends z.ZodType>(
  schema: Schema,
  body: unknown,
): { value: z.output<Schema> } | { message: string } {
  const message = oversize(body)
  return message === undefined ? firstFault(schema, body) : { message }
}

function oversize(body: unknown): string | undefined {
  const { evaluators, evaluator_configs, selector } = Object(body) as Record<string, unknown>
  const configs = Array.isArray(evaluator_configs) ? evaluator_configs : []
  const rules = Array.isArray(selector) ? selector : []
  return (
    tooMany('evaluators', evaluators, EVALUATORS_MAX) ??
    tooMany('selector', selector, RULES_MAX) ??
    tooMany('evaluator_configs', evaluator_configs, EVALUATORS_MAX) ??
    firstOf(rules, (rule, at) => tooMany(`selector[${at}]: values`, Object(rule).values, VALUES_MAX)) ??
    firstOf(
      configs,
      (config, at) =>
        tooMany(`evaluator_configs[${at}].mapping`, Object(config).mapping, MAPPINGS_MAX) ??
        tooMany(`evaluator_configs[${at}].config`, Object(config).config, MAPPINGS_MAX),
    )
  )
}

function tooMany(place: string, value: unknown, max: number): string | undefined {
  if (Array.isArray(value))
    return value.length > max ? `${place} must contain at most ${max} items` : undefined
  if (value === null || typeof value !== 'object') return undefined
  if (Object.hasOwn(value, '__proto__')) return `${place} must not contain the key __proto__`
  return Object.keys(value).length > max ? `${place} must contain at most ${max} keys` : undefined
}

function firstOf(items: readonly unknown[], faultOf: (item: unknown, at: number) => string | undefined) {
  for (const [at, item] of items.entries()) {
    const fault = faultOf(item, at)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Checks one body of create or one item of bulk completely; the message names the first fault. */
export function checkSetup(
  body: unknown,
  known: KnownEvaluators,
): { value: NamedChange } | { message: string } {
  const shape = checkShape(setupCreateInput, body)
  if ('message' in shape) return shape
  const change = toChange(shape.value, known)
  if ('message' in change) return change
  return { value: { externalId: shape.value.external_id, change: change.value } }
}

function toEvaluatorConfigs(
  items: readonly z.output<typeof evaluatorConfig>[],
  known: KnownEvaluators,
): { value: EvaluatorConfig[] } | { message: string } {
  const firstAt = new Map<string, number>()
  const value: EvaluatorConfig[] = []
  for (const [at, item] of items.entries()) {
    const place = `evaluator_configs[${at}]`
    const earlier = firstAt.get(item.slug)
    if (earlier !== undefined) {
      return { message: `${place}: duplicate slug ${item.slug} (also at evaluator_configs[${earlier}])` }
    }
    firstAt.set(item.slug, at)
    const evaluator = known.find(item.slug)
    if (!evaluator) return { message: `${place}: unknown evaluator slug ${item.slug}` }
    const fault =
      configFault(item, place) ??
      mappingFault(item, evaluator, place) ??
      thresholdFault(item, evaluator, place)
    if (fault) return { message: fault }
    value.push({ ...refOf(evaluator), override: toOverride(item) })
  }
  return { value }
}

// Only what is given is checked here: whether something required is missing is found when the monitor is bound.
function configFault(item: z.output<typeof evaluatorConfig>, place: string): string | undefined {
  for (const [name, field] of Object.entries(settingsOf(item.slug))) {
    const value = item.config?.[name]
    if (value === undefined || value === null) continue
    const result = firstFault(field, value, `${place}.config.${name}`)
    if ('message' in result) return result.message
  }
  return undefined
}

/** The settings of an evaluator by name; custom evaluators have none. */
function settingsOf(slug: string): Record<string, z.ZodType> {
  return findBuiltIn(slug)?.config.shape ?? {}
}

function mappingFault(
  item: z.output<typeof evaluatorConfig>,
  evaluator: EvaluatorSummary,
  place: string,
): string | undefined {
  const inputs = new Set(evaluator.inputSchema.map(({ name }) => name))
  const foreign = Object.keys(item.mapping ?? {}).find((name) => !inputs.has(name))
  return foreign === undefined ? undefined : `${place}.mapping.${foreign} is not an input of ${item.slug}`
}

function thresholdFault(
  item: z.output<typeof evaluatorConfig>,
  { slug, verdict }: EvaluatorSummary,
  place: string,
): string | undefined {
  if (item.verdict_threshold === undefined || thresholdField(verdict) !== undefined) return undefined
  return `${place}.verdict_threshold: ${slug} has no threshold, its verdict is: ${ruleInWords(verdict)}`
}

function toOverride(item: z.output<typeof evaluatorConfig>): EvaluatorOverride {
  return {
    ...(item.scope ? { scope: item.scope } : {}),
    ...(item.config ? { config: knownSettings(item.slug, item.config) } : {}),
    ...(item.mapping ? { mapping: item.mapping } : {}),
    ...defined({ samplingRate: item.sampling_rate, verdictThreshold: item.verdict_threshold }),
  }
}

// Unknown settings are ignored like every unknown field, and null is a setting that was not given.
function knownSettings(slug: string, config: Record<string, unknown>): Record<string, unknown> {
  const settings = settingsOf(slug)
  return Object.fromEntries(
    Object.entries(config).filter(([name, value]) => Object.hasOwn(settings, name) && value !== null),
  )
}

/** An input whose mapping is null has none. */
function withoutNullEntries(mapping: unknown): unknown {
  if (mapping === null || typeof mapping !== 'object' || Array.isArray(mapping)) return mapping
  return Object.fromEntries(Object.entries(mapping).filter(([, value]) => value !== null))
}

function compiles(pattern: string): boolean {
  try {
    compileSafeRegex(pattern, { dialect: 'python' })
    return true
  } catch {
    return false
  }
}

function refOf({ slug, evaluatorId }: EvaluatorSummary) {
  return { slug, evaluatorId }
}
