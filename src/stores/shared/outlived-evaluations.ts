/**
 * Evaluations that were recorded late, such as those of a rerun, outlive their spans and their trace. Then only the name of the
 * session that they carry tells that they belong to it, and there is no index by that, because it would cost every evaluation
 * something. So the deletion of a session goes through the evaluations of the project, some at a time.
 */

/** Evaluations that are looked at in one step. */
export const LOOKED_AT = 2_000

/** The end of the step behind evaluation $2 of project $1, null where there are no more. */
export const SELECT_STEP_END = `SELECT max(number) AS last FROM (
  SELECT number FROM evaluations WHERE project_number = $1 AND number > $2 ORDER BY number LIMIT ${LOOKED_AT}) AS step`

/**
 * The condition for those of a step, `e`, behind $2 through $3 of project $1, that belong to session $4 as it was deleted: of spans
 * that had arrived with batch $5 or whose batch is gone, and of whole traces that are gone. A trace that was gone may have come
 * again since; its evaluation from before is older than the deletion at $6 and unknown to its unit. Evaluations of whole sessions
 * are found by their own index.
 */
export const IS_OUTLIVED = `e.project_number = $1 AND e.number > $2 AND e.number <= $3 AND e.session_id = $4
  AND length(e.span_id) <= 8 AND CASE WHEN e.batch_id = 0
    THEN NOT EXISTS (SELECT 1 FROM traces t WHERE t.project_number = e.project_number AND t.trace_id = e.trace_id)
      OR (e.created_at_ms <= $6 AND NOT EXISTS (SELECT 1 FROM units u WHERE u.monitor_version = e.monitor_version
        AND u.scope = 'trace' AND u.unit_key = e.trace_id AND u.evaluation = e.number))
    ELSE e.batch_id <= $5 OR NOT EXISTS (SELECT 1 FROM span_batches b WHERE b.id = e.batch_id) END`

/** How far each session has come. It is kept in memory: a new process begins at the beginning. */
export class SessionLooks {
  readonly #looks = new Map<string, { readonly through: number; readonly hasFound: boolean }>()

  /** The number behind which the next step begins. */
  after(projectNumber: number, sessionId: string): number {
    return this.#looks.get(keyOf(projectNumber, sessionId))?.through ?? 0
  }

  /**
   * A step was looked at through that number, or there was none left. True when there is more to look at: also after a pass that
   * has found something, because taking it away may have failed behind this.
   */
  passed(projectNumber: number, sessionId: string, through: number | null, found: number): boolean {
    const key = keyOf(projectNumber, sessionId)
    const hasFound = (this.#looks.get(key)?.hasFound ?? false) || found > 0
    if (through === null) {
      this.#looks.delete(key)
      return hasFound
    }
    this.#looks.set(key, { through, hasFound })
    return true
  }
}

function keyOf(projectNumber: number, sessionId: string): string {
  return `${projectNumber} ${sessionId}`
}
