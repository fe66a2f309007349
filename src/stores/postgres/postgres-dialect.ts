import { LARGE_UNIT } from '../shared/series-rows.ts'
import type { Dialect, Locks, Sql } from '../shared/sql.ts'
import { NOW_MS } from './leases.ts'
import { lockOrganization, lockProject } from './lock-project.ts'

/** PostgreSQL refuses sums that leave the range of numbers. Those that are close to its end are added up in a smaller unit. */
const LARGE_SUM = 1e290

/** The words of PostgreSQL. */
export const POSTGRES_DIALECT: Dialect = {
  oneOf: (column, place) => `${column} = ANY(${place})`,
  oneOfBytes: (column, place) => `${column} = ANY(${place}::bytea[])`,
  contains: (text, place) => `strpos(${text}, ${place}) > 0`,
  bytes: (place) => `${place}::bytea`,
  // Its planner takes no orders.
  indexedBy: () => '',
  forEach: (type, query, order) =>
    `SELECT found.* FROM unnest($1::${type}[]) WITH ORDINALITY AS asked (item, place)
     CROSS JOIN LATERAL (${query('asked.item')}) AS found ORDER BY asked.place, found.${order}`,
  addedSums: `coalesce(sum(sum) FILTER (WHERE count > 0 AND abs(sum) < ${LARGE_SUM}), 0) AS sum,
       coalesce(sum(sum / ${LARGE_UNIT}) FILTER (WHERE count > 0 AND abs(sum) >= ${LARGE_SUM}), 0) AS large_sum`,
  nowMs: NOW_MS,
  nextProjectNumber: 'DEFAULT',
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
    organization: (scope) => lockOrganization(tx, scope),
    async organizations() {
      await tx.run('LOCK TABLE organizations IN SHARE ROW EXCLUSIVE MODE')
    },
    project: (scope) => lockProject(tx, scope),
    async customEvaluator(scope, evaluatorId) {
      await tx.run(
        'SELECT 1 FROM custom_evaluators WHERE org_id = $1 AND id = $2 FOR NO KEY UPDATE',
        scope.orgId,
        evaluatorId,
      )
    },
  }
}
