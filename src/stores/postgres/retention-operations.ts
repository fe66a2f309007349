import { EXECUTION_MS_MAX } from '../../domain/execution.ts'
import { DROP_ANNOTATIONS } from '../shared/annotation-rows.ts'
import { DROP_CONTENTS } from '../shared/content-operations.ts'
import { DAY, HOUR } from '../shared/fold-plan.ts'
import { DROP_IMAGES, IMAGES_AT_ONCE } from '../shared/image-operations.ts'
import { DROP_INCIDENT_PARTS, DROP_INCIDENTS } from '../shared/incident-rows.ts'
import { DROP_REVIEW_ITEMS } from '../shared/review-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { dropSomeBatches } from './drop-batches.ts'
import {
  BATCH_WAIT_MS,
  dropOldPartition,
  EVALUATION_WAIT_MS,
  SPAN_WAIT_MS,
  soonDroppedBelow,
} from './drop-partitions.ts'
import { LOCK_CLASS, lockProjectNumber } from './lock-project.ts'
import { ensurePartitions } from './partitions.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** How long one call goes on. */
const DROP_MS_MAX = 50
/** Rows of one kind that are dropped in one transaction. */
const DROP_ROWS = 1_000
/** Rollups hold no user data, only counts and sums; they stay longer so that charts reach back. */
const ROLLUP_DAYS = 400
const HOUR_MS = 3_600_000
/** Retention looks every five minutes; its steps may follow each other closely. */
const ENSURE_MS = 240_000

/** A project of which something is no longer kept. */
interface ExpiredProject {
  readonly number: number
  readonly beforeMs: number
  /** Where partitions are dropped as a whole, rows in them may wait for that: what waits too long is before these. */
  readonly overdue: {
    readonly batchesMs: number
    readonly batchesBelow: number
    readonly evaluationsMs: number
    readonly spansMs: number
  }
}

/** One short step; true when there is more to drop. Processes that find another one at it leave it to that. */
export async function dropExpired(db: PostgresDatabase, nowMs: number, hoursMax: number): Promise<boolean> {
  await ensureFromTimeToTime(db, nowMs)
  const organizations = await db.get<{ hours: number | null }>(
    'SELECT max(retention_hours) AS hours FROM organizations',
  )
  const keptFromMs = nowMs - Math.min(organizations?.hours ?? hoursMax, hoursMax) * HOUR_MS
  if (await dropOldPartition(db, keptFromMs)) return true
  const untilMs = performance.now() + DROP_MS_MAX
  for (const project of await expiredProjects(db, nowMs, hoursMax, keptFromMs)) {
    for (const drop of DROPS) {
      while ((await inTurn(db, (tx) => drop(tx, project, db), project.number)) > 0)
        if (performance.now() > untilMs) return true
    }
  }
  while ((await inTurn(db, (tx) => dropExecutions(tx, nowMs, DROP_ROWS))) > 0)
    if (performance.now() > untilMs) return true
  const rollupsFromMs = nowMs - ROLLUP_DAYS * 24 * HOUR_MS
  for (const rollups of ROLLUPS) {
    while ((await inTurn(db, (tx) => dropRollups(tx, rollups, rollupsFromMs))) > 0)
      if (performance.now() > untilMs) return true
  }
  return false
}

const ensuredAtMs = new WeakMap<PostgresDatabase, number>()

/** The first time is at the start, before anything is dropped. */
async function ensureFromTimeToTime(db: PostgresDatabase, nowMs: number): Promise<void> {
  const atMs = performance.now()
  const lastMs = ensuredAtMs.get(db)
  const isDue = lastMs !== undefined && atMs > lastMs + ENSURE_MS
  if (lastMs === undefined || isDue) ensuredAtMs.set(db, atMs)
  if (isDue) await ensurePartitions(db, nowMs)
}

/** Projects that have anything that is no longer kept, each with what of it. */
async function expiredProjects(
  db: PostgresDatabase,
  nowMs: number,
  hoursMax: number,
  keptFromMs: number,
): Promise<ExpiredProject[]> {
  const rows = await db.all<{ number: number; before_ms: number }>(
    `SELECT p.number, p.before_ms FROM (
       SELECT p.number, ($1 - least(o.retention_hours, $2) * ${HOUR_MS})::bigint AS before_ms
       FROM projects p JOIN organizations o ON o.id = p.org_id) AS p
     WHERE EXISTS (SELECT 1 FROM span_batches b WHERE b.project_number = p.number AND b.received_at_ms < p.before_ms)
       OR EXISTS (SELECT 1 FROM traces t WHERE t.project_number = p.number AND t.first_ms < p.before_ms)
       OR EXISTS (SELECT 1 FROM units u WHERE u.project_number = p.number AND u.changed_at_ms < p.before_ms)
       OR (SELECT created_at_ms FROM evaluations e WHERE e.project_number = p.number ORDER BY number LIMIT 1) < p.before_ms
       OR EXISTS (SELECT 1 FROM span_contents c WHERE c.project_number = p.number AND c.received_at_ms < p.before_ms)
       OR (SELECT created_at_ms FROM scores s WHERE s.project_number = p.number ORDER BY number LIMIT 1) < p.before_ms
       OR (SELECT created_at_ms FROM span_images i WHERE i.project_number = p.number ORDER BY number LIMIT 1) < p.before_ms
       OR (SELECT evaluation_number FROM review_items i WHERE i.project_number = p.number ORDER BY evaluation_number LIMIT 1)
         < coalesce((SELECT number FROM evaluations e WHERE e.project_number = p.number ORDER BY number LIMIT 1), ${Number.MAX_SAFE_INTEGER})
       OR EXISTS (SELECT 1 FROM spans s WHERE s.project_number = p.number AND s.second < p.before_ms / 1000)
       OR EXISTS (SELECT 1 FROM incidents i WHERE i.project_number = p.number AND i.closed_at_ms < p.before_ms)
       OR EXISTS (SELECT 1 FROM jobs j WHERE j.project_number = p.number AND j.finished_at_ms < p.before_ms)
     ORDER BY p.number`,
    nowMs,
    hoursMax,
  )
  const below = await soonDroppedBelow(db, keptFromMs)
  return rows.map(({ number, before_ms: beforeMs }) => ({
    number,
    beforeMs,
    overdue: beforeMs > keptFromMs ? exactly(beforeMs) : waiting(beforeMs, below),
  }))
}

function exactly(beforeMs: number): ExpiredProject['overdue'] {
  return { batchesMs: beforeMs, batchesBelow: 0, evaluationsMs: beforeMs, spansMs: beforeMs }
}

function waiting(beforeMs: number, batchesBelow: number): ExpiredProject['overdue'] {
  return {
    batchesMs: beforeMs - BATCH_WAIT_MS,
    batchesBelow,
    evaluationsMs: beforeMs - EVALUATION_WAIT_MS,
    spansMs: beforeMs - SPAN_WAIT_MS,
  }
}

/** A transaction that holds the project, if any is meant; nothing is dropped while another process does. */
function inTurn(
  db: PostgresDatabase,
  drop: (tx: Sql) => Promise<number>,
  projectNumber?: number,
): Promise<number> {
  return db.transaction(async (tx) => {
    const lock = await tx.get<{ is_mine: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1, 0) AS is_mine',
      LOCK_CLASS.retention,
    )
    if (!lock?.is_mine) return 0
    if (projectNumber !== undefined && !(await lockProjectNumber(tx, projectNumber))) return 0
    return drop(tx)
  })
}

type Drop = (tx: Sql, project: ExpiredProject, db: PostgresDatabase) => Promise<number>

const dropOldBatches: Drop = (tx, { number, beforeMs, overdue }) =>
  dropSomeBatches(
    tx,
    'project_number = $1 AND received_at_ms < $2 AND (id >= $3 OR received_at_ms < $4)',
    number,
    beforeMs,
    overdue.batchesBelow,
    overdue.batchesMs,
  )

/** A trace goes with its last batch; those that began before the oldest kept batch are looked at, in order of their start. */
const dropTraces: Drop = (tx, { number, beforeMs }) =>
  tx.run(
    `DELETE FROM traces WHERE (project_number, trace_id) IN (
       SELECT t.project_number, t.trace_id FROM traces t
       WHERE t.project_number = $1 AND t.first_ms < $2 AND t.arrived_at_ms < $2 AND NOT EXISTS (
         SELECT 1 FROM trace_places p WHERE p.project_number = $1 AND p.trace_id = t.trace_id)
       ORDER BY t.first_ms LIMIT $3)`,
    number,
    beforeMs,
    DROP_ROWS,
  )

/** Units go with the spans they are made of. */
const dropUnits: Drop = (tx, { number, beforeMs }) =>
  tx.run(
    `DELETE FROM units WHERE (monitor_version, scope, unit_key) IN (
       SELECT monitor_version, scope, unit_key FROM units WHERE project_number = $1 AND changed_at_ms < $2 LIMIT $3)`,
    number,
    beforeMs,
    DROP_ROWS,
  )

const dropEvaluations: Drop = async (tx, { number, beforeMs, overdue }) =>
  (await dropEvaluationsOf(tx, 'evaluations_rest', number, beforeMs)) ||
  dropEvaluationsOf(tx, 'evaluations', number, overdue.evaluationsMs)

/** Their numbers grow with time, so the expired ones are at the beginning. */
function dropEvaluationsOf(tx: Sql, table: string, project: number, beforeMs: number): Promise<number> {
  return tx.run(
    `DELETE FROM ${table} e USING (
       SELECT number, unit_at_ms, created_at_ms FROM ${table} WHERE project_number = $1 ORDER BY number LIMIT $2) AS oldest
     WHERE e.number = oldest.number AND e.unit_at_ms = oldest.unit_at_ms AND oldest.created_at_ms < $3`,
    project,
    DROP_ROWS,
    beforeMs,
  )
}

const dropContents: Drop = (tx, { number, beforeMs }) => tx.run(DROP_CONTENTS, number, beforeMs, DROP_ROWS)

/** Items of review queues go with their evaluations. */
const dropReviewItems: Drop = (tx, { number }) => tx.run(DROP_REVIEW_ITEMS, number, DROP_ROWS)

const dropAnnotations: Drop = (tx, { number, beforeMs }) =>
  tx.run(DROP_ANNOTATIONS, number, DROP_ROWS, beforeMs)

const dropImages: Drop = (tx, { number, beforeMs }) => tx.run(DROP_IMAGES, number, IMAGES_AT_ONCE, beforeMs)

/** Jobs that have ended go with what they were about. */
const dropJobs: Drop = (tx, { number, beforeMs }) =>
  tx.run(
    `DELETE FROM jobs WHERE number IN (
       SELECT number FROM jobs WHERE project_number = $1 AND finished_at_ms < $2 LIMIT $3)`,
    number,
    beforeMs,
    DROP_ROWS,
  )

/** An incident that was closed goes with the evaluations of that time, and its parts go with it. */
const dropIncidents: Drop = async (tx, { number, beforeMs }) => {
  const dropped = await tx.run(DROP_INCIDENTS, number, beforeMs, DROP_ROWS)
  if (dropped > 0) for (const dropParts of DROP_INCIDENT_PARTS) await tx.run(dropParts, number)
  return dropped
}

/** Where the next step over the spans of each table and project begins; a new process begins at the beginning. */
const spansSeen = new WeakMap<PostgresDatabase, Map<string, SpanKey>>()

interface SpanKey {
  readonly second: number
  readonly trace_id: Uint8Array
  readonly span_id: Uint8Array
}

const NO_SPAN: SpanKey = { second: -1, trace_id: new Uint8Array(0), span_id: new Uint8Array(0) }

const dropSpans: Drop = async (tx, { number, beforeMs, overdue }, db) =>
  (await dropSpansOf(tx, db, 'spans_rest', number, beforeMs)) ||
  dropSpansOf(tx, db, 'spans', number, overdue.spansMs)

/**
 * Goes over the seconds that are no longer kept, range by range, and drops the spans whose batch is gone. A span that began
 * long before it arrived is kept as long as its batch; one that began in the future waits until its second has passed.
 */
async function dropSpansOf(
  tx: Sql,
  db: PostgresDatabase,
  table: string,
  project: number,
  beforeMs: number,
): Promise<number> {
  const seen = spansSeen.get(db) ?? new Map<string, SpanKey>()
  spansSeen.set(db, seen)
  const place = `${table} ${project}`
  const from = seen.get(place) ?? NO_SPAN
  const before = Math.floor(beforeMs / 1_000)
  const range = await tx.all<SpanKey>(
    `SELECT second, trace_id, span_id FROM ${table}
     WHERE project_number = $1 AND second < $2 AND second >= $3 AND (second, trace_id, span_id) > ($3, $4, $5)
     ORDER BY second, trace_id, span_id LIMIT $6`,
    project,
    before,
    from.second,
    from.trace_id,
    from.span_id,
    DROP_ROWS,
  )
  const to = range.at(-1)
  if (!to) {
    seen.delete(place)
    return 0
  }
  await tx.run(
    `DELETE FROM ${table} WHERE project_number = $1 AND second >= $2 AND second <= $5
       AND (second, trace_id, span_id) > ($2, $3, $4) AND (second, trace_id, span_id) <= ($5, $6, $7)
       AND batch_id < coalesce((SELECT min(id) FROM span_batches WHERE project_number = $1), ${Number.MAX_SAFE_INTEGER})`,
    project,
    from.second,
    from.trace_id,
    from.span_id,
    to.second,
    to.trace_id,
    to.span_id,
  )
  // Last, because what got into another's way is done again from its beginning. Behind a range that is not full there is
  // nothing; the next pass begins at the beginning, also if this one has no time left.
  if (range.length === DROP_ROWS) seen.set(place, to)
  else seen.delete(place)
  return range.length === DROP_ROWS ? DROP_ROWS : 0
}

const DROPS: readonly Drop[] = [
  ...[
    dropOldBatches,
    dropTraces,
    dropUnits,
    dropEvaluations,
    dropReviewItems,
    dropAnnotations,
    dropContents,
    dropImages,
    dropSpans,
    dropJobs,
    dropIncidents,
  ],
]

/** A table whose rows are dropped by age. `longerMs`: they stay so much longer. */
interface AgingTable {
  readonly table: string
  readonly about: 'monitor_version' | 'project_number'
  readonly owners: 'monitor_versions' | 'projects'
  readonly column: string
  readonly unitMs: number
  readonly longerMs?: number
}

const MINUTES = { column: 'minute', unitMs: 60_000 }
/** A period goes a day after its first minute: until then, losing minutes makes it stale. */
const FOLDS = { column: `level IN (${HOUR}, ${DAY}) AND r.minute`, unitMs: 60_000, longerMs: 24 * HOUR_MS }
const HOURS = { column: 'hour', unitMs: HOUR_MS }
const LAST_SEEN = { column: 'last_seen_ms', unitMs: 1 }

/** Rollups and what they are about, with the tables of their owners and the column of their time; rows without an owner are erased. */
const ROLLUPS = [
  { table: 'status_rollups', about: 'monitor_version', owners: 'monitor_versions', ...MINUTES },
  { table: 'value_rollups', about: 'monitor_version', owners: 'monitor_versions', ...MINUTES },
  { table: 'status_folds', about: 'monitor_version', owners: 'monitor_versions', ...FOLDS },
  { table: 'value_folds', about: 'monitor_version', owners: 'monitor_versions', ...FOLDS },
  { table: 'stale_folds', about: 'monitor_version', owners: 'monitor_versions', ...FOLDS },
  { table: 'application_rollups', about: 'monitor_version', owners: 'monitor_versions', ...HOURS },
  { table: 'usage_rollups', about: 'project_number', owners: 'projects', ...MINUTES },
  { table: 'usage_folds', about: 'project_number', owners: 'projects', ...FOLDS },
  { table: 'stale_usage_folds', about: 'project_number', owners: 'projects', ...FOLDS },
  { table: 'applications', about: 'project_number', owners: 'projects', ...LAST_SEEN },
  { table: 'deployments', about: 'project_number', owners: 'projects', ...LAST_SEEN },
] as const satisfies readonly AgingTable[]

/** Looks at the beginning of what each owner has: there is no index of times over all of them. */
function dropRollups(
  tx: Sql,
  { table, about, owners, column, unitMs, longerMs = 0 }: AgingTable,
  beforeMs: number,
): Promise<number> {
  return tx.run(
    `DELETE FROM ${table} WHERE ctid = ANY(ARRAY(
       SELECT found.ctid FROM ${owners} o CROSS JOIN LATERAL (
         SELECT r.ctid FROM ${table} r WHERE r.${about} = o.number AND r.${column} < $1 LIMIT ${DROP_ROWS}) AS found
       LIMIT ${DROP_ROWS}))`,
    Math.floor((beforeMs - longerMs) / unitMs),
  )
}

/** Drops the oldest of those that are no longer kept, and tells how many. */
async function dropExecutions(tx: Sql, nowMs: number, rowsMax: number): Promise<number> {
  return tx.run(
    `DELETE FROM executions WHERE id IN (SELECT id FROM executions WHERE created_at_ms < $1
     ORDER BY created_at_ms LIMIT $2 FOR UPDATE SKIP LOCKED)`,
    nowMs - EXECUTION_MS_MAX,
    rowsMax,
  )
}
