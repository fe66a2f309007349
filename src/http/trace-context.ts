import type { Principal } from '../domain/tenant.ts'
import type { StoredAnnotation } from '../ports/annotation-storage.ts'
import type { StoredEvaluation } from '../ports/result-storage.ts'
import type { Storage } from '../ports/storage.ts'
import type { StoredTrace } from '../ports/trace-storage.ts'

/** Results of one trace that a list shows; the trace itself and `/v2/evaluations` have all of them. */
const EVALUATIONS_EACH = 20
/** Annotations that one answer shows. */
const ANNOTATIONS_MAX = 1_000

/** Reads what is shown beside traces in a list: results, and what people said. */
export async function readTraceContext(
  storage: Storage,
  principal: Principal,
  traces: readonly StoredTrace[],
): Promise<{ evaluations: StoredEvaluation[]; annotations: StoredAnnotation[] }> {
  const traceIds = traces.map(({ traceId }) => traceId)
  const [evaluations, annotations] = await Promise.all([
    storage.listTraceEvaluations(principal, traceIds, { limitEach: EVALUATIONS_EACH }),
    readAnnotationsOf(storage, principal, traces),
  ])
  return { evaluations, annotations }
}

/** Reads what people and other programs said about traces and their sessions, newest first. */
export function readAnnotationsOf(
  storage: Storage,
  principal: Principal,
  traces: readonly StoredTrace[],
): Promise<StoredAnnotation[]> {
  const traceIds = traces.map(({ traceId }) => traceId)
  const sessionIds = [
    ...new Set(traces.flatMap(({ sessionId }) => (sessionId === undefined ? [] : [sessionId]))),
  ]
  return storage.listAnnotationsOf(principal, { traceIds, sessionIds }, ANNOTATIONS_MAX)
}
