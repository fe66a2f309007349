import { LARGE_UNIT } from '../shared/series-rows.ts'
import type { Dialect, Locks, Sql } from '../shared/sql.ts'
import { OPEN_WORK_OF_JOB } from '../shared/work-state.ts'
import { NOW_MS } from './leases.ts'
import {
  excludeRecording,
  lockOrganization,
  lockProject,
  lockProjectIfThere,
  lockProjectNumber,
} from './lock-project.ts'

const TYPES = { text: 'text', bigint: 'bigint', bytes: 'bytea' } as const

/** PostgreSQL refuses sums that leave the range of numbers. Those that are close to its end are added up in a smaller unit. */
const LARGE_SUM = 1e290

/** The words of PostgreSQL. */
export const POSTGRES_DIALECT: Dialect = {
  oneOf: (column, place) => `${column} = ANY(${place})`,
  oneOfBytes: (column, place) => `${column} = ANY(${place}::bytea[])`,
  rows(place, name, columns) {
    const typed = Object.entries(columns).map(([column, type]) => `${column} ${TYPES[type]}`)
    return `ROWS FROM (json_to_recordset(${place}::json) AS (${typed.join(', ')}))
      WITH ORDINALITY AS ${name} (${Object.keys(columns).join(', ')}, nth)`
  },
  joinEach: (table, _key, choice) => `CROSS JOIN LATERAL (SELECT * FROM ${table} ${choice}) AS found`,
  // OFFSET keeps the planner from turning the walk into a join that reads the whole table.
  joinWalk: (table, condition) =>
    `CROSS JOIN LATERAL (SELECT * FROM ${table} AS r WHERE ${condition} OFFSET 0) AS r`,
  // Its planner takes no orders.
  indexedBy: () => '',
  released: 'lease = NULL, holder = NULL',
  contains: (text, place) => `strpos(${text}, ${place}) > 0`,
  bytes: (place) => `${place}::bytea`,
  forEach: (type, query, order) =>
    `SELECT found.* FROM unnest($1::${type}[]) WITH ORDINALITY AS asked (item, place)
     CROSS JOIN LATERAL (${query('asked.item')}) AS found ORDER BY asked.place, found.${order}`,
  addedSums: `coalesce(sum(sum) FILTER (WHERE count > 0 AND abs(sum) < ${LARGE_SUM}), 0) AS sum,
       coalesce(sum(sum / ${LARGE_UNIT}) FILTER (WHERE count > 0 AND abs(sum) >= ${LARGE_SUM}), 0) AS large_sum`,
  nowMs: NOW_MS,
  nextProjectNumber: 'DEFAULT',
  nextSetupVersion: "nextval(pg_get_serial_sequence('setup_versions', 'number'))",
  undigested: `SELECT b.id, b.span_count, b.received_at_ms FROM digest_progress d
    JOIN span_batches b ON b.project_number = d.project_number AND b.id > d.through WHERE d.through < d.newest
    UNION ALL
    SELECT b.id, b.span_count, b.received_at_ms FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
    WHERE u.is_given_up = 0`,
  // An array can be looked up in an index on either side of OR, a subquery cannot.
  undigestedOf: (project) => `project_number = ${project} AND (
    id > coalesce((SELECT through FROM digest_progress WHERE project_number = ${project}), 0)
    OR id = ANY (ARRAY(SELECT batch_id FROM undigested_batches WHERE project_number = ${project} AND is_given_up = 0)))`,
}

/** The locks that rows and tables give to a transaction. */
export function locksOf(tx: Sql): Locks {
  return {
    organization: (tenant) => lockOrganization(tx, tenant),
    async organizations() {
      await tx.run('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE')
    },
    project: (tenant) => lockProject(tx, tenant),
    projectIfThere: (tenant) => lockProjectIfThere(tx, tenant),
    projectNumber: (tenant) => lockProject(tx, tenant, 'KEY SHARE'),
    recording: (projectNumber) => excludeRecording(tx, projectNumber),
    async digests(projectNumber) {
      await lockProjectNumber(tx, projectNumber)
    },
    async openWorkOf(jobNumber) {
      // In the order in which every operation locks work, so that there is no deadlock; counted, so that no row travels here.
      await tx.run(
        `SELECT count(*) FROM (SELECT 1 FROM work WHERE ${OPEN_WORK_OF_JOB} = $1
           ORDER BY batch_id, monitor_version FOR UPDATE) AS open`,
        jobNumber,
      )
    },
    async customEvaluator(tenant, evaluatorId) {
      await tx.run(
        'SELECT 1 FROM custom_evaluators WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
        tenant.orgId,
        evaluatorId,
      )
    },
  }
}
