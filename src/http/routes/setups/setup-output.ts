import * as z from 'zod'
import { EVALUATION_SCOPES, FIELD_TYPES, type SchemaField } from '../../../domain/evaluator.ts'
import type { EvaluatorOverride, Setup, SetupEntry } from '../../../domain/setup.ts'
import { ENTRY_STATUSES, SETUP_STATUSES } from '../../../domain/setup-status.ts'
import type { KnownEvaluators } from '../../../evaluators/known-evaluators.ts'
import { defined } from '../../../lib/defined.ts'
import { mappingOutput, toWireMapping } from '../../wire/mapping-wire.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { ruleOutput, toWireRule } from './selector-wire.ts'

/** One input or output of an evaluator. */
export const schemaField = z
  .object({
    name: z.string(),
    type: z.enum(FIELD_TYPES),
    description: z.string(),
    label: z.string(),
    enum_values: z.array(z.string()).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
  })
  .meta({ id: 'SchemaField' })

const evaluatorEntry = z
  .object({
    evaluator_type: z.string().describe('The evaluator slug.'),
    evaluator_id: z.string(),
    binding_id: z.string().optional().describe('The monitor; absent until there is one.'),
    scope: z
      .enum(EVALUATION_SCOPES)
      .optional()
      .describe('As the setup says, or as binding has chosen; absent before that.'),
    status: z.enum(ENTRY_STATUSES),
    error_message: z.string().optional(),
    processed_at: timestamp.optional(),
    input_schema: z.array(schemaField),
    output_schema: z.array(schemaField),
  })
  .meta({ id: 'EvaluatorEntry' })

/** The changes of a setup to one evaluator, as they were given. */
export const storedOverride = z
  .object({
    slug: z.string(),
    scope: z.enum(EVALUATION_SCOPES).optional(),
    config: z.record(z.string(), z.unknown()).optional(),
    mapping: z.record(z.string(), mappingOutput).optional(),
    sampling_rate: z.number().optional(),
    verdict_threshold: z.number().optional(),
  })
  .meta({ id: 'EvaluatorConfig' })

/** A setup as every operation answers it. A field that is not known yet is left out, never null. */
export const setupOutput = z
  .object({
    id: z.string(),
    external_id: z.string(),
    org_id: z.string(),
    project_id: z.string(),
    env_project_id: z.string(),
    entity_type: z.string(),
    entity_value: z.string(),
    init_rules: z.array(ruleOutput),
    evaluators: z.array(evaluatorEntry),
    evaluator_configs: z
      .array(storedOverride)
      .optional()
      .describe('What the setup changes about evaluators, as it was given; absent when nothing.'),
    status: z.enum(SETUP_STATUSES),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Setup' })

/** A setup in the form of the wire. */
export function toWireSetup(setup: Setup, known: KnownEvaluators): z.output<typeof setupOutput> {
  const overrides = setup.entries.filter(({ override }) => Object.keys(override).length > 0)
  return {
    id: setup.id,
    external_id: setup.externalId,
    org_id: setup.orgId,
    project_id: setup.projectId,
    env_project_id: setup.envProjectId,
    entity_type: setup.entityType,
    entity_value: setup.entityValue,
    init_rules: setup.selector.map(toWireRule),
    evaluators: setup.entries.map((entry) => toWireEntry(entry, known)),
    ...(overrides.length === 0
      ? {}
      : {
          evaluator_configs: overrides.map(({ slug, override }) => ({ slug, ...toWireOverride(override) })),
        }),
    status: setup.status,
    created_at: toTimestamp(setup.createdAtMs),
    updated_at: toTimestamp(setup.updatedAtMs),
  }
}

function toWireEntry(entry: SetupEntry, known: KnownEvaluators): z.output<typeof evaluatorEntry> {
  const evaluator = known.find(entry.slug)
  return {
    evaluator_type: entry.slug,
    evaluator_id: entry.evaluatorId,
    ...defined({ binding_id: entry.bindingId, scope: entry.override.scope ?? entry.boundScope }),
    status: entry.status,
    ...defined({ error_message: entry.errorMessage }),
    ...(entry.processedAtMs === undefined ? {} : { processed_at: toTimestamp(entry.processedAtMs) }),
    input_schema: evaluator?.inputSchema.map(toWireField) ?? [],
    output_schema: evaluator?.outputSchema.map(toWireField) ?? [],
  }
}

/** The changes to one evaluator in the form of the wire, without its slug. */
export function toWireOverride({
  scope,
  config,
  mapping,
  samplingRate,
  verdictThreshold,
}: EvaluatorOverride) {
  return {
    ...defined({ scope }),
    ...(config === undefined ? {} : { config: { ...config } }),
    ...(mapping === undefined ? {} : { mapping: toWireMapping(mapping) }),
    ...defined({ sampling_rate: samplingRate, verdict_threshold: verdictThreshold }),
  }
}

/** A field in the form of the wire. */
export function toWireField({
  name,
  type,
  description,
  label,
  enumValues,
  minimum,
  maximum,
}: SchemaField): z.output<typeof schemaField> {
  return {
    name,
    type,
    description,
    label,
    ...(enumValues ? { enum_values: [...enumValues] } : {}),
    ...defined({ minimum, maximum }),
  }
}
