import type { EvaluatorSummary } from '../domain/evaluator.ts'
import type { OrgTenant } from '../domain/tenant.ts'
import type { Storage } from '../ports/storage.ts'
import { builtInSummary } from './catalogue.ts'

/** The evaluators that one organization can name: all built-in ones and its own. */
export interface KnownEvaluators {
  find(slug: string): EvaluatorSummary | undefined
}

/**
 * Looks up everything that the given slugs could mean. The store is asked only when one of them is not built in,
 * which most requests never need.
 */
export async function loadKnownEvaluators(
  storage: Storage,
  tenant: OrgTenant,
  slugs: Iterable<string>,
): Promise<KnownEvaluators> {
  const needsCustom = [...slugs].some((slug) => !builtInSummary(slug))
  const custom = needsCustom ? await storage.listCustomEvaluators(tenant) : []
  const customBySlug = new Map(custom.map((evaluator) => [evaluator.slug, evaluator]))
  return { find: (slug) => builtInSummary(slug) ?? customBySlug.get(slug) }
}
