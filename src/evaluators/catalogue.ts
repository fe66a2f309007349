import { createHash } from 'node:crypto'
import type { EvaluatorSummary } from '../domain/evaluator.ts'
import { formatUuid } from '../lib/uuid.ts'
import type { AnyEvaluator } from './kit/define-evaluator.ts'
import { schemaFields } from './kit/schema-fields.ts'
import { EVALUATORS } from './registry.gen.ts'

const bySlug = new Map<string, AnyEvaluator>(EVALUATORS.map((evaluator) => [evaluator.slug, evaluator]))
const byId = new Map<string, AnyEvaluator>(
  EVALUATORS.map((evaluator) => [builtInId(evaluator.slug), evaluator]),
)
const summaries = new Map<string, EvaluatorSummary>()

/** The built-in evaluator of that slug or id. */
export function findBuiltIn(name: string): AnyEvaluator | undefined {
  return bySlug.get(name) ?? byId.get(name)
}

/** The version of every built-in evaluator, by slug. */
export function builtInVersions(): Record<string, number> {
  return Object.fromEntries(EVALUATORS.map((evaluator) => [evaluator.slug, versionOf(evaluator)]))
}

/** The version of an evaluator; most have had only one. */
export function versionOf(evaluator: AnyEvaluator): number {
  return evaluator.version ?? 1
}

/** The summary of a built-in evaluator that setups show; made once, when first asked for. */
export function builtInSummary(slug: string): EvaluatorSummary | undefined {
  const known = summaries.get(slug)
  const definition = bySlug.get(slug)
  if (known || !definition) return known
  const summary = {
    slug,
    evaluatorId: builtInId(slug),
    inputSchema: schemaFields(definition.input),
    outputSchema: schemaFields(definition.output),
    verdict: definition.verdict,
  }
  summaries.set(slug, summary)
  return summary
}

/** The same on every installation and after every upgrade: a UUID (version 8) made from the slug. */
export function builtInId(slug: string): string {
  return formatUuid(createHash('sha256').update(`assay evaluator ${slug}`).digest(), 8)
}
