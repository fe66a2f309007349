import * as z from 'zod'
import type { CustomEvaluator, CustomEvaluatorVersion } from '../../../domain/custom-evaluator.ts'
import { CANONICAL_FIELDS, EVALUATION_SCOPES, type EvaluatorSummary } from '../../../domain/evaluator.ts'
import { builtInSummary } from '../../../evaluators/catalogue.ts'
import type { AnyEvaluator } from '../../../evaluators/kit/define-evaluator.ts'
import { labelOf } from '../../../evaluators/kit/schema-fields.ts'
import { defined } from '../../../lib/defined.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toWireChosenRule, toWireRule, verdictRuleInput, verdictRuleOutput } from '../../wire/verdict-wire.ts'
import { schemaField, toWireField } from '../setups/setup-output.ts'
import { toWireModelConfig } from './custom-evaluator-input.ts'

/** The type of every custom evaluator. */
export const CUSTOM_TYPE = 'LLM_AS_A_JUDGE'

const evaluatorFields = {
  id: z.string(),
  name: z.string().describe('For people.'),
  slug: z.string(),
  type: z.string().describe('The slug in capitals with underscores; `LLM_AS_A_JUDGE` for custom evaluators.'),
  description: z.string(),
  version: z.string(),
  version_id: z.string().optional().describe('Only of custom evaluators.'),
  source: z.enum(['prebuilt', 'custom']),
  input_schema: z.array(schemaField),
  output_schema: z.array(schemaField),
  verdict: verdictRuleOutput.describe('Which answers are good.'),
  method: z
    .enum(['exact', 'detector', 'judge'])
    .describe(
      'How it decides: by exact rules, by detectors and models in the process, or by asking a judge.',
    ),
  default_scope: z
    .enum(EVALUATION_SCOPES)
    .optional()
    .describe('What a monitor looks at unless its setup says otherwise; only of built-in evaluators.'),
  span_fields: z
    .record(z.string(), z.enum(CANONICAL_FIELDS).nullable())
    .optional()
    .describe(
      'By input: the field of a span it comes from unless the setup says otherwise; null where no span has it and the ' +
        'setup must say. Only of built-in evaluators.',
    ),
  config_schema: z
    .looseObject({})
    .optional()
    .describe('JSON Schema of its settings; absent where it has none.'),
  created_at: timestamp.optional().describe('Only of custom evaluators.'),
  updated_at: timestamp.optional().describe('Only of custom evaluators.'),
}

const config = z.object({
  provider: z.string().describe('`assay` for built-in evaluators.'),
  messages: z.array(z.looseObject({})),
  llm_config: z.looseObject({ model: z.string() }),
})

/** An evaluator in a list. */
export const evaluatorOutput = z
  .object({ ...evaluatorFields, config: config.optional().describe('Only of custom evaluators.') })
  .meta({ id: 'Evaluator' })

const example = z.object({
  name: z.string().describe('What it shows, in words.'),
  input: z.looseObject({}),
  config: z.looseObject({}).optional(),
  output: z.looseObject({}).describe('What the evaluator says; a judge may say something else.'),
})

/** An evaluator by itself. Clients insist on a provider and a model, also where no model is asked. */
export const evaluatorDetailOutput = z
  .object({
    ...evaluatorFields,
    config,
    chosen_verdict: verdictRuleInput
      .optional()
      .describe('The rule that its author chose; absent where there is none. Only of custom evaluators.'),
    examples: z.array(example).optional().describe('Calls to try; only of built-in evaluators.'),
  })
  .meta({ id: 'EvaluatorDetail' })

/** Which versions of a custom evaluator there are. */
export const versionsOutput = z.array(
  z.object({ id: z.string(), version: z.string(), created_at: timestamp }),
)

/** One of them in the form of the wire. */
export function toWireVersion({ versionId, version, createdAtMs }: CustomEvaluatorVersion) {
  return { id: versionId, version: String(version), created_at: toTimestamp(createdAtMs) }
}

/** A built-in evaluator in the form of the wire. */
export function toWireBuiltIn(evaluator: AnyEvaluator): z.output<typeof evaluatorOutput> {
  const summary = builtInSummary(evaluator.slug)
  if (!summary) throw new Error(`${evaluator.slug} is not in the registry`)
  return {
    ...fieldsOf(summary),
    type: evaluator.slug.toUpperCase().replaceAll('-', '_'),
    description: evaluator.summary,
    version: String(evaluator.version ?? 1),
    source: 'prebuilt',
    method: evaluator.method,
    default_scope: evaluator.defaultScope,
    span_fields: { ...evaluator.fromSpan },
    ...(Object.keys(evaluator.config.shape).length === 0
      ? {}
      : { config_schema: z.toJSONSchema(evaluator.config, { io: 'input' }) }),
  }
}

/** A custom evaluator in the form of the wire. */
export function toWireCustom(evaluator: CustomEvaluator): z.output<typeof evaluatorDetailOutput> {
  return {
    ...fieldsOf(evaluator),
    name: evaluator.name,
    type: CUSTOM_TYPE,
    description: evaluator.description,
    version: String(evaluator.version),
    version_id: evaluator.versionId,
    source: 'custom',
    method: 'judge',
    ...(evaluator.chosenVerdict && { chosen_verdict: toWireChosenRule(evaluator.chosenVerdict) }),
    created_at: toTimestamp(evaluator.createdAtMs),
    updated_at: toTimestamp(evaluator.updatedAtMs),
    config: {
      provider: evaluator.provider,
      messages: evaluator.messages.map(({ role, content }) => ({ role, content })),
      llm_config: toWireModelConfig(evaluator.modelConfig),
    },
  }
}

/** A built-in evaluator with what clients ask for when they read a single one. */
export function toWireBuiltInDetail(evaluator: AnyEvaluator): z.output<typeof evaluatorDetailOutput> {
  return {
    ...toWireBuiltIn(evaluator),
    config: { provider: 'assay', messages: [], llm_config: { model: evaluator.slug } },
    examples: evaluator.examples.map(({ name, input, config: settings, output }) => ({
      name,
      input,
      ...defined({ config: settings }),
      output,
    })),
  }
}

function fieldsOf(summary: EvaluatorSummary) {
  return {
    id: summary.evaluatorId,
    name: labelOf(summary.slug),
    slug: summary.slug,
    input_schema: summary.inputSchema.map(toWireField),
    output_schema: summary.outputSchema.map(toWireField),
    verdict: toWireRule(summary.verdict),
  }
}
