import type { CustomEvaluator } from '../../../domain/custom-evaluator.ts'
import type { Principal } from '../../../domain/tenant.ts'
import { labelVerdict } from '../../../domain/trial.ts'
import type { Verdict, VerdictRule } from '../../../domain/verdict.ts'
import { findBuiltIn } from '../../../evaluators/catalogue.ts'
import type { StoredAnnotation } from '../../../ports/annotation-storage.ts'
import type { RouteDeps } from '../../route.ts'
import type { TrialInput } from './run-trial.ts'

/** Annotations that are looked at for one trial. */
const ANNOTATIONS_MAX = 2_000

/** The verdict of people by row, then by candidate: the rule of a candidate may say what a value means. */
export type TrialLabels = readonly (readonly (Verdict | undefined)[])[]

/** Reads what people said about the rows of a trial: the newest annotation of the name that was asked for. */
export async function readTrialLabels(
  deps: RouteDeps,
  principal: Principal,
  candidates: readonly CustomEvaluator[],
  { rows, label }: TrialInput,
): Promise<TrialLabels> {
  const traceIds = rows.flatMap((row) => ('trace_id' in row ? [row.trace_id] : []))
  if (label === undefined || traceIds.length === 0) return rows.map(() => [])
  const about = { traceIds: [...new Set(traceIds)], sessionIds: [] }
  const all = await deps.storage.listAnnotationsOf(principal, about, ANNOTATIONS_MAX)
  const named = all.filter(({ source, name }) => source === 'human' && name === label)
  const rules = await rulesOf(deps, principal, named)
  return rows.map((row) => {
    if (!('trace_id' in row)) return []
    const found = named.find((each) => isAbout(each, row.trace_id, row.span_id))
    if (!found) return []
    const rule = found.evaluator === undefined ? undefined : rules.get(found.evaluator)
    return candidates.map(({ verdict }) => labelVerdict(found, verdict, rule))
  })
}

function isAbout(annotation: StoredAnnotation, traceId: string, spanId: string | undefined): boolean {
  if (annotation.traceId !== traceId) return false
  return spanId === undefined || annotation.spanId === undefined || annotation.spanId === spanId
}

/** The rules of the evaluators that annotations name, by slug. */
async function rulesOf(
  { storage }: RouteDeps,
  principal: Principal,
  annotations: readonly StoredAnnotation[],
): Promise<ReadonlyMap<string, VerdictRule>> {
  const slugs = new Set(annotations.flatMap(({ evaluator }) => evaluator ?? []))
  const rules = new Map<string, VerdictRule>()
  for (const slug of slugs) {
    const rule = findBuiltIn(slug)?.verdict ?? (await storage.findCustomEvaluator(principal, slug))?.verdict
    if (rule) rules.set(slug, rule)
  }
  return rules
}
