import type { Preview } from '../domain/preview.ts'
import type { ProjectTenant } from '../domain/tenant.ts'
import type { StoredEvaluation } from '../ports/result-storage.ts'
import { type PreviewSource, type PreviewUnit, showPreviews } from './show-previews.ts'

/** The previews of evaluations, in their order: of the span, of the trace, or of the newest trace of the session then. */
export async function previewEvaluations(
  storage: PreviewSource,
  tenant: ProjectTenant,
  evaluations: readonly StoredEvaluation[],
): Promise<Preview[]> {
  const units = new Map<string, PreviewUnit>()
  const keys: string[] = []
  for (const evaluation of evaluations) {
    const unit = await unitOf(storage, tenant, evaluation)
    // Several evaluators look at the same span.
    const key = 'traceId' in unit ? unit.traceId : `${unit.batchId} ${unit.ordinal}`
    units.set(key, unit)
    keys.push(key)
  }
  const previews = await showPreviews(storage, tenant, [...units.values()])
  const byKey = new Map([...units.keys()].map((key, at) => [key, previews[at]]))
  return keys.map((key) => byKey.get(key) ?? {})
}

async function unitOf(
  storage: PreviewSource,
  tenant: ProjectTenant,
  { scope, traceId, sessionId, batchId, ordinal, createdAtMs }: StoredEvaluation,
): Promise<PreviewUnit> {
  if (scope === 'span') return { batchId, ordinal }
  if (scope === 'trace' || sessionId === undefined) return { traceId }
  const page = await storage.listTraces(tenant, { sessionId, toMs: createdAtMs + 1 }, { limit: 1 })
  return { traceId: page.traces[0]?.traceId ?? traceId }
}
