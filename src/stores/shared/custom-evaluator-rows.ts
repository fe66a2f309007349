import type {
  CustomDefinition,
  CustomEvaluator,
  CustomEvaluatorVersion,
} from '../../domain/custom-evaluator.ts'
import { suggestedRule } from '../../domain/verdict.ts'
import { defined } from '../../lib/defined.ts'
import { parseRule } from './stored-verdict.ts'

export interface CustomEvaluatorRow {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly description: string
  readonly verdict_rule: string | null
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly version_id: string
  readonly version: number
  readonly definition: string
}

export const CUSTOM_EVALUATOR_COLUMNS = `c.id, c.slug, c.name, c.description, c.verdict_rule, c.created_at_ms, c.updated_at_ms,
  v.id AS version_id, v.version, v.definition`
/** The newest version of each; an evaluator without any is not shown, because it could not do anything. */
export const NEWEST_CUSTOM_EVALUATORS =
  'custom_evaluators c JOIN custom_evaluator_versions v ON v.evaluator_id = c.id AND v.version = c.version'

export function toCustomEvaluator(row: CustomEvaluatorRow): CustomEvaluator {
  const { provider, messages, modelConfig, inputSchema, outputSchema }: CustomDefinition = JSON.parse(
    row.definition,
  )
  const chosen = row.verdict_rule === null ? undefined : parseRule(row.verdict_rule)
  return {
    slug: row.slug,
    evaluatorId: row.id,
    name: row.name,
    description: row.description,
    versionId: row.version_id,
    version: row.version,
    inputSchema,
    outputSchema,
    verdict: chosen ?? suggestedRule(outputSchema),
    ...defined({ chosenVerdict: chosen }),
    provider,
    messages,
    modelConfig,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

export interface CustomVersionRow {
  readonly id: string
  readonly version: number
  readonly created_at_ms: number
}

export function toCustomVersion(row: CustomVersionRow): CustomEvaluatorVersion {
  return { versionId: row.id, version: row.version, createdAtMs: row.created_at_ms }
}
