import * as z from 'zod'
import type { CustomEvaluatorDraft } from '../../../control/custom-evaluators.ts'
import type {
  CustomDefinition,
  CustomEvaluator,
  CustomEvaluatorChange,
  CustomMessage,
  CustomModelConfig,
} from '../../../domain/custom-evaluator.ts'
import { FIELD_TYPES, type SchemaField } from '../../../domain/evaluator.ts'
import { isProvider, PROVIDERS } from '../../../domain/judgement.ts'
import type { VerdictRule } from '../../../domain/verdict.ts'
import { labelOf } from '../../../evaluators/kit/schema-fields.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { boundedText, requiredName } from '../../wire/text-schemas.ts'
import { toVerdictRule, verdictFault, verdictRuleInput } from '../../wire/verdict-wire.ts'

const NAME_CHARS_MAX = 255
const MESSAGES_MAX = 50
const CONTENT_CHARS_MAX = 32_768
const FIELDS_MAX = 50
const FIELD_DESCRIPTION_CHARS_MAX = 1_024
const ENUM_VALUES_MAX = 100
const STOPS_MAX = 16
const TOKENS_MAX = 1_000_000

/** Lower-case and URL-safe, and not the form of an id: an id must always mean the evaluator that has it. */
const customSlug = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/,
    'must be 1 to 63 lower-case letters, digits, or inner hyphens and underscores',
  )
  .refine((slug) => !/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(slug), {
    error: 'must not look like an id',
  })

const property = z
  .object({
    // Names become keys of the answer's JSON schema, for which not every provider takes other characters.
    name: z
      .string()
      .regex(/^[A-Za-z][\w-]{0,63}$/, 'must be a letter, then at most 63 letters, digits, _ or -'),
    type: z
      .enum([...FIELD_TYPES, 'number'])
      .describe('`number` is taken for `float`, which is what is shown afterwards.'),
    description: boundedText(FIELD_DESCRIPTION_CHARS_MAX).optional(),
    label: boundedText(NAME_CHARS_MAX).optional().describe('Absent: made from the name.'),
    enum_values: z
      .array(requiredName(NAME_CHARS_MAX))
      .max(ENUM_VALUES_MAX)
      .optional()
      .describe('Only for `enum`, where it is required.'),
    minimum: z.number().optional().describe('Only for `int` and `float`: a smaller number is no answer.'),
    maximum: z.number().optional().describe('Only for `int` and `float`: a larger number is no answer.'),
  })
  .superRefine(({ type, enum_values: values }, context) => {
    if (type !== 'enum') return
    const complain = (message: string) => context.addIssue({ code: 'custom', path: ['enum_values'], message })
    if (!values) return complain('is required for the type enum')
    if (values.length === 0) return complain('must contain at least one item')
    const repeated = firstRepeated(values)
    if (repeated !== undefined) complain(`has ${JSON.stringify(repeated)} twice`)
  })
  .superRefine(({ type, minimum, maximum }, context) => {
    const complain = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    const given = minimum !== undefined ? 'minimum' : maximum !== undefined ? 'maximum' : undefined
    if (given !== undefined && !['int', 'float', 'number'].includes(type))
      return complain(given, 'is only for the types int and float')
    if (minimum !== undefined && maximum !== undefined && minimum > maximum)
      complain('maximum', 'must be at least minimum')
  })
  .meta({ id: 'EvaluatorProperty' })

const properties = z
  .array(property)
  .min(1)
  .max(FIELDS_MAX)
  .superRefine((fields, context) => {
    const names = fields.map(({ name }) => name)
    const repeated = firstRepeated(names)
    if (repeated === undefined) return
    const at = names.lastIndexOf(repeated)
    context.addIssue({ code: 'custom', path: [at, 'name'], message: `${repeated} is used twice` })
  })

const message = z
  .object({
    role: z.enum(['system', 'user', 'assistant', 'developer']).describe('`developer` is taken for `system`.'),
    content: requiredName(CONTENT_CHARS_MAX).describe('`{{name}}` stands for the input of that name.'),
  })
  .transform(
    ({ role, content }): CustomMessage => ({ role: role === 'developer' ? 'system' : role, content }),
  )

const messages = z
  .array(message)
  .min(1)
  .max(MESSAGES_MAX)
  .describe('What the model is told. What is put in place of a placeholder reaches it as data.')

/** A provider that can be asked. */
export const providerInput = requiredName(NAME_CHARS_MAX)
  .transform((name) => name.toLowerCase())
  .refine(isProvider, { error: `must be one of ${PROVIDERS.join(', ')}` })
  .describe('Every server that speaks the protocol of OpenAI is `openai`.')
// Names of models are told in headers, which hold nothing else.
/** A model of a provider. */
export const modelInput = requiredName(NAME_CHARS_MAX)
  .refine((name) => /^[!-~]+$/.test(name), { error: 'must be visible ASCII characters without blanks' })
  .describe('As the provider names it.')

const sampling = {
  temperature: z.number().min(0).max(2),
  top_p: z.number().min(0).max(1),
  frequency_penalty: z.number().min(-2).max(2),
  presence_penalty: z.number().min(-2).max(2),
  max_tokens: z.int().min(1).max(TOKENS_MAX),
  stop: z.array(requiredName(NAME_CHARS_MAX)).max(STOPS_MAX),
}
const samplingFields = z.object(sampling).partial().shape

/** The body of create. */
export const customEvaluatorInput = z
  .object({
    name: requiredName(NAME_CHARS_MAX).describe('For people.'),
    slug: customSlug.optional().describe('Absent: made from the name.'),
    description: boundedText().optional(),
    provider: providerInput,
    model: modelInput,
    messages,
    input_schema: properties,
    output_schema: properties.describe('The answer that the model is asked for has exactly these fields.'),
    verdict: verdictRuleInput.optional(),
    ...samplingFields,
    logprobs: z.boolean().optional().describe('Taken and not used.'),
    mode: boundedText(NAME_CHARS_MAX).optional().describe('Taken and not used.'),
  })
  .meta({ id: 'CustomEvaluatorInput' })

const unsettable = z.object({
  temperature: sampling.temperature.nullable(),
  top_p: sampling.top_p.nullable(),
  frequency_penalty: sampling.frequency_penalty.nullable(),
  presence_penalty: sampling.presence_penalty.nullable(),
  max_tokens: sampling.max_tokens.nullable(),
  stop: sampling.stop.nullable(),
})

/** The body of update: what is given replaces, the rest stays. */
export const customEvaluatorUpdateInput = z
  .object({
    name: requiredName(NAME_CHARS_MAX).optional(),
    description: boundedText().optional(),
    input_schema: properties.optional(),
    output_schema: properties.optional(),
    verdict: verdictRuleInput
      .nullable()
      .optional()
      .describe(
        'Which answers are good; null goes back to the rule that the outputs suggest. A change judges stored results again and ' +
          'makes no new version.',
      ),
    config: z
      .object({
        description: boundedText().optional(),
        provider: providerInput.optional(),
        messages: messages.optional(),
        llm_config: z
          .object({ model: modelInput.optional(), ...unsettable.partial().shape })
          .optional()
          .describe('A value of null leaves the setting to the provider again.'),
      })
      .optional(),
  })
  .meta({ id: 'CustomEvaluatorUpdateInput' })

/** The draft that a checked body of create describes. */
export function toDraft(body: z.output<typeof customEvaluatorInput>): CustomEvaluatorDraft {
  return {
    name: body.name,
    ...defined({ slug: body.slug }),
    description: body.description ?? '',
    ...(body.verdict && {
      verdict: checkedRule(toVerdictRule(body.verdict), body.output_schema.map(toField)),
    }),
    definition: {
      provider: body.provider,
      messages: body.messages,
      modelConfig: toModelConfig(body.model, body),
      inputSchema: body.input_schema.map(toField),
      outputSchema: body.output_schema.map(toField),
    },
  }
}

/** The changes that a checked body of update makes to the current version. */
export function toCustomChange(
  body: z.output<typeof customEvaluatorUpdateInput>,
  current: CustomEvaluator,
): CustomEvaluatorChange {
  const { config = {} } = body
  const description = config.description ?? body.description
  const definition: CustomDefinition = {
    provider: config.provider ?? current.provider,
    messages: config.messages ?? current.messages,
    modelConfig: config.llm_config
      ? mergedConfig(config.llm_config, current.modelConfig)
      : current.modelConfig,
    inputSchema: body.input_schema?.map(toField) ?? current.inputSchema,
    outputSchema: body.output_schema?.map(toField) ?? current.outputSchema,
  }
  // The default instead of the default is no change, and has no stored result judged again.
  const isSame = body.verdict === null && current.chosenVerdict === undefined
  const given = isSame ? undefined : body.verdict && toVerdictRule(body.verdict)
  // A rule that stays must fit the outputs that the change brings.
  const verdict = given === undefined ? current.chosenVerdict : given
  if (verdict) checkedRule(verdict, definition.outputSchema)
  return { ...defined({ name: body.name, description, verdict: given }), definition }
}

function checkedRule(rule: VerdictRule, outputs: readonly SchemaField[]): VerdictRule {
  const fault = verdictFault(rule, outputs)
  if (fault !== undefined) throw invalidInput(fault)
  return rule
}

/** How the model is called, in the form of the wire. */
export function toWireModelConfig(config: CustomModelConfig) {
  return {
    model: config.model,
    ...defined({
      temperature: config.temperature,
      top_p: config.topP,
      frequency_penalty: config.frequencyPenalty,
      presence_penalty: config.presencePenalty,
      max_tokens: config.maxTokens,
    }),
    ...(config.stop === undefined ? {} : { stop: [...config.stop] }),
  }
}

type WireSampling = {
  readonly [Name in keyof typeof sampling]?: z.output<(typeof sampling)[Name]> | null | undefined
}

function toModelConfig(name: string, given: WireSampling): CustomModelConfig {
  return {
    model: name,
    ...(given.temperature == null ? {} : { temperature: given.temperature }),
    ...(given.top_p == null ? {} : { topP: given.top_p }),
    ...(given.frequency_penalty == null ? {} : { frequencyPenalty: given.frequency_penalty }),
    ...(given.presence_penalty == null ? {} : { presencePenalty: given.presence_penalty }),
    ...(given.max_tokens == null ? {} : { maxTokens: given.max_tokens }),
    ...(given.stop == null ? {} : { stop: given.stop }),
  }
}

function mergedConfig(
  { model: name, ...given }: WireSampling & { readonly model?: string | undefined },
  current: CustomModelConfig,
): CustomModelConfig {
  return toModelConfig(name ?? current.model, { ...toWireModelConfig(current), ...given })
}

function toField(given: z.output<typeof property>): SchemaField {
  const { name, type, description, label, enum_values, minimum, maximum } = given
  return {
    name,
    type: type === 'number' ? 'float' : type,
    description: description ?? '',
    label: label ?? labelOf(name),
    ...(type === 'enum' && enum_values ? { enumValues: enum_values } : {}),
    ...defined({ minimum, maximum }),
  }
}

function firstRepeated(values: readonly string[]): string | undefined {
  return values.find((value, at) => values.indexOf(value) !== at)
}
