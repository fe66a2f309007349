/** Rollups of minutes that are folded into hours and days, so that long charts read few of them. It serves all tenants. */
export interface RollupStorage {
  /**
   * Folds some periods that have ended, or whose minutes have changed since they were folded; one short step, true when there may be
   * more. A read shows the same numbers whatever was folded, also while this runs.
   */
  foldRollups(nowMs: number): Promise<boolean>
}
