import type { Annotation, AnnotationSource } from '../domain/annotation.ts'
import type { EvaluationOutput } from '../domain/evaluation.ts'
import type { EnvironmentTenant, ProjectTenant } from '../domain/tenant.ts'
import type { Verdict } from '../domain/verdict.ts'

/** An annotation as it is kept. */
export interface StoredAnnotation extends Annotation {
  /** Grows in the order of arrival. */
  readonly number: number
  readonly envProjectId: string
  readonly createdAtMs: number
}

/** Which annotations are meant; all conditions hold together. */
export interface AnnotationFilter {
  readonly traceId?: string
  readonly spanId?: string
  readonly sessionId?: string
  readonly name?: string
  readonly source?: AnnotationSource
  readonly evaluator?: string
  readonly task?: string
  readonly fromMs?: number
  /** Not included. */
  readonly toMs?: number
}

/** A page, the newest first. With `nextAfter` there may be more behind it, also when the page is not full. */
export interface AnnotationPage {
  readonly annotations: readonly StoredAnnotation[]
  readonly nextAfter?: number
}

/** An annotation of a unit that a monitor has scored, and the monitor's output and verdict. */
export interface VerdictPair {
  readonly annotation: StoredAnnotation
  readonly output: EvaluationOutput
  readonly verdict?: Verdict
}

/** Annotations, confined to their tenant like everything else. */
export interface AnnotationStorage {
  /** Keeps all of them or none, in the environment of the tenant; the answer is in their order. */
  addAnnotations(
    tenant: EnvironmentTenant,
    annotations: readonly Annotation[],
    atMs: number,
  ): Promise<StoredAnnotation[]>
  /** False when the project has no annotation of that number. */
  deleteAnnotation(tenant: ProjectTenant, number: number): Promise<boolean>
  listAnnotations(
    tenant: ProjectTenant,
    filter: AnnotationFilter,
    range: { readonly afterNumber?: number; readonly limit: number },
  ): Promise<AnnotationPage>
  /** The annotations of these traces, their spans and these sessions; the newest first, at most that many. */
  listAnnotationsOf(
    tenant: ProjectTenant,
    about: { readonly traceIds: readonly string[]; readonly sessionIds: readonly string[] },
    limit: number,
  ): Promise<StoredAnnotation[]>
  /**
   * People's newest annotations that name the evaluator of a monitor, each with what the monitor's current version said about the
   * same span, trace or session; what is about a whole trace also counts for the only span of it that was evaluated. Each
   * unit once, with the newest annotation. At most so many annotations are looked at. Nothing for a monitor of another tenant.
   */
  listVerdictPairs(tenant: ProjectTenant, monitorId: string, annotationsMax: number): Promise<VerdictPair[]>
}
