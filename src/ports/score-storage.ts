import type { EvaluationOutput } from '../domain/evaluation.ts'
import type { Score, ScoreSource } from '../domain/score.ts'
import type { EnvironmentTenant, ProjectTenant } from '../domain/tenant.ts'

/** A score as it is kept. */
export interface StoredScore extends Score {
  /** Grows in the order of arrival. */
  readonly number: number
  readonly envProjectId: string
  readonly createdAtMs: number
}

/** Which scores are meant; all conditions hold together. */
export interface ScoreFilter {
  readonly traceId?: string
  readonly spanId?: string
  readonly sessionId?: string
  readonly name?: string
  readonly source?: ScoreSource
  readonly evaluator?: string
  readonly task?: string
  readonly fromMs?: number
  /** Not included. */
  readonly toMs?: number
}

/** A page, the newest first. With `nextAfter` there may be more behind it, also when the page is not full. */
export interface ScorePage {
  readonly scores: readonly StoredScore[]
  readonly nextAfter?: number
}

/** What a person said about a unit that a monitor has scored, and what the monitor said. */
export interface VerdictPair {
  readonly score: StoredScore
  readonly output: EvaluationOutput
}

/** Scores from outside, confined to its tenant like everything else. */
export interface ScoreStorage {
  /** Keeps all of them or none, in the environment of the tenant; the answer is in their order. */
  addScores(tenant: EnvironmentTenant, scores: readonly Score[], atMs: number): Promise<StoredScore[]>
  listScores(
    tenant: ProjectTenant,
    filter: ScoreFilter,
    range: { readonly afterNumber?: number; readonly limit: number },
  ): Promise<ScorePage>
  /** What was said about these traces, their spans and these sessions; the newest first, at most that many. */
  listScoresOf(
    tenant: ProjectTenant,
    about: { readonly traceIds: readonly string[]; readonly sessionIds: readonly string[] },
    limit: number,
  ): Promise<StoredScore[]>
  /**
   * People's newest scores that name the evaluator of a monitor, each with what the monitor's current version said about the
   * same span, trace or session; what is about a whole trace also counts for the only span of it that was evaluated. Each
   * unit once, with the newest score. At most so many scores are looked at. Nothing for a monitor of somebody else.
   */
  listVerdictPairs(tenant: ProjectTenant, monitorId: string, scoresMax: number): Promise<VerdictPair[]>
}
