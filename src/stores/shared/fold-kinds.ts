/** Rollups that are folded: by whom they are counted, and the tables that keep them. */
export interface FoldKind {
  /** The column that says whose rollups they are. */
  readonly owner: 'monitor_version' | 'project_number'
  /** All owners, as `owner` and `project_number`. */
  readonly owners: string
  readonly progress: string
  readonly stale: string
  /** A table of minutes that has a row for each minute that anything is counted in, and the one it is folded into. */
  readonly minutes: string
  readonly folds: string
}

/** The counts and values of monitor versions. */
export const MONITOR_FOLDS: FoldKind = {
  owner: 'monitor_version',
  owners: `SELECT v.number AS owner, m.project_number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number`,
  progress: 'fold_progress',
  stale: 'stale_folds',
  minutes: 'status_rollups',
  folds: 'status_folds',
}

/** The use of models by projects. */
export const USAGE_FOLDS: FoldKind = {
  owner: 'project_number',
  owners: 'SELECT number AS owner, number AS project_number FROM projects',
  progress: 'usage_fold_progress',
  stale: 'stale_usage_folds',
  minutes: 'usage_rollups',
  folds: 'usage_folds',
}
