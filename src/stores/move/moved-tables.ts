/** A table that both stores have, and how its rows go from one to the other. */
export interface MovedTable {
  readonly name: string
  /** The columns that rows are moved in the order of. */
  readonly key: readonly string[]
  /** Columns that do not arrive as they are, as expressions over the row. */
  readonly changed?: Readonly<Record<string, string>>
}

/** The store has no workers any more, so that work that was begun is ready to be begun again. */
const NO_LEASE = { lease: 'NULL', lease_until_ms: 'NULL' }
const READY = { ...NO_LEASE, state: 'CASE state WHEN 1 THEN 0 ELSE state END' }
const PENDING = "CASE status WHEN 'in_progress' THEN 'pending' ELSE status END"

/** All that is moved, in an order in which no row names one that is not there yet. */
export const MOVED_TABLES: readonly MovedTable[] = [
  { name: 'organizations', key: ['id'] },
  { name: 'organization_limits', key: ['org_id'] },
  { name: 'projects', key: ['id'] },
  { name: 'environments', key: ['env_project_id'] },
  { name: 'api_keys', key: ['id'] },
  { name: 'saved_views', key: ['id'] },
  {
    name: 'setups',
    key: ['id'],
    changed: {
      ...NO_LEASE,
      status: PENDING,
      has_news: "CASE WHEN lease IS NOT NULL AND status IN ('partial', 'failed') THEN 1 ELSE has_news END",
    },
  },
  { name: 'setup_versions', key: ['setup_id', 'version'] },
  { name: 'setup_entries', key: ['setup_id', 'position'], changed: { status: PENDING } },
  { name: 'custom_evaluators', key: ['id'] },
  { name: 'custom_evaluator_versions', key: ['id'] },
  { name: 'span_batches', key: ['id'] },
  { name: 'spans', key: ['project_number', 'second', 'trace_id', 'span_id'] },
  { name: 'matches', key: ['batch_id', 'setup_version'] },
  { name: 'monitors', key: ['number'] },
  { name: 'monitor_versions', key: ['number'] },
  { name: 'applications', key: ['number'] },
  { name: 'evaluations', key: ['number'] },
  { name: 'status_rollups', key: ['monitor_version', 'minute', 'status'] },
  { name: 'status_totals', key: ['monitor_version', 'status'] },
  { name: 'value_rollups', key: ['monitor_version', 'minute', 'property'] },
  { name: 'application_rollups', key: ['monitor_version', 'hour', 'application'] },
  { name: 'deployments', key: ['project_number', 'env_project_id', 'application', 'version'] },
  { name: 'executions', key: ['id'] },
  { name: 'provider_keys', key: ['org_id', 'provider'] },
  { name: 'default_judges', key: ['org_id'] },
  { name: 'budgets', key: ['project_id', 'setup_id'] },
  { name: 'judge_spend', key: ['project_id', 'setup_id', 'day', 'model'] },
  { name: 'judge_cache', key: ['org_id', 'key'] },
  { name: 'traces', key: ['project_number', 'trace_id'] },
  { name: 'trace_places', key: ['project_number', 'trace_id', 'batch_id'] },
  { name: 'usage_rollups', key: ['project_number', 'minute', 'env_project_id', 'service', 'model'] },
  { name: 'service_pauses', key: ['project_number', 'service'] },
  { name: 'units', key: ['monitor_version', 'scope', 'unit_key'], changed: READY },
  { name: 'scores', key: ['number'] },
  { name: 'review_queues', key: ['number'] },
  { name: 'review_items', key: ['queue_number', 'place'] },
  { name: 'span_contents', key: ['number'] },
  { name: 'span_images', key: ['number'] },
  { name: 'jobs', key: ['number'] },
  { name: 'incidents', key: ['number'] },
  { name: 'incident_monitors', key: ['incident_number', 'monitor_id', 'version'] },
  { name: 'incident_events', key: ['number'] },
  { name: 'incident_examples', key: ['incident_number', 'evaluation_number'] },
  { name: 'work', key: ['batch_id', 'monitor_version', 'job_number'], changed: READY },
  { name: 'deleted_traces', key: ['project_number', 'trace_id'] },
  { name: 'deleted_sessions', key: ['project_number', 'session_id'] },
  { name: 'past_session_deletions', key: ['project_number', 'session_hash'] },
  { name: 'deletions', key: ['id'] },
  { name: 'undigested_batches', key: ['batch_id'] },
  { name: 'erasures', key: ['batch_id'] },
  { name: 'dropped_projects', key: ['number'] },
  { name: 'dropped_versions', key: ['number'] },
  { name: 'cache_erasures', key: ['org_id'] },
]

/**
 * Tables of the embedded store that are about itself. How far the digest has come is worked out, the database counts stored bytes as
 * batches and images arrive, it folds rollups anew, and the first look for incidents looks at everything.
 */
export const LEFT_TABLES: readonly string[] = [
  'leases',
  'digest_progress',
  'erasure_progress',
  'service_state',
  'verifications',
  'stored_bytes',
  'incident_looks',
  ...['status_folds', 'value_folds', 'fold_progress', 'stale_folds'],
  ...['usage_folds', 'usage_fold_progress', 'stale_usage_folds'],
]

/** Where new numbers come from in the database, and the columns of the file that have used such numbers. */
export const NUMBERED: readonly {
  readonly sequence: string
  readonly used: readonly { readonly table: string; readonly column: string }[]
}[] = [
  { sequence: 'batch_numbers', used: [{ table: 'span_batches', column: 'id' }] },
  { sequence: 'evaluation_numbers', used: [{ table: 'evaluations', column: 'number' }] },
  {
    sequence: 'projects_number_seq',
    used: [
      { table: 'projects', column: 'number' },
      { table: 'dropped_projects', column: 'number' },
    ],
  },
  { sequence: 'setup_versions_number_seq', used: [{ table: 'setup_versions', column: 'number' }] },
  { sequence: 'monitors_number_seq', used: [{ table: 'monitors', column: 'number' }] },
  {
    sequence: 'monitor_versions_number_seq',
    used: [
      { table: 'monitor_versions', column: 'number' },
      { table: 'dropped_versions', column: 'number' },
    ],
  },
  { sequence: 'applications_number_seq', used: [{ table: 'applications', column: 'number' }] },
  { sequence: 'scores_number_seq', used: [{ table: 'scores', column: 'number' }] },
  { sequence: 'review_queues_number_seq', used: [{ table: 'review_queues', column: 'number' }] },
  { sequence: 'span_contents_number_seq', used: [{ table: 'span_contents', column: 'number' }] },
  { sequence: 'span_images_number_seq', used: [{ table: 'span_images', column: 'number' }] },
  { sequence: 'jobs_number_seq', used: [{ table: 'jobs', column: 'number' }] },
  { sequence: 'incidents_number_seq', used: [{ table: 'incidents', column: 'number' }] },
  { sequence: 'incident_events_number_seq', used: [{ table: 'incident_events', column: 'number' }] },
]
