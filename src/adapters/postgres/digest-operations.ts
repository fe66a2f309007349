import type { ProjectScope } from '../../domain/tenant.ts'
import type { BatchDigest, TraceDigest } from '../../domain/trace-digest.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type { UndigestedBatch } from '../../ports/trace-storage.ts'
import type { UnitBatch } from '../sql/join-trace.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from '../sql/span-rows.ts'
import { addUsage } from './add-usage.ts'
import { hideDigested } from './deletion-operations.ts'
import { addTraces, type BatchTrace } from './digest-traces.ts'
import { NOW_MS } from './leases.ts'
import { lockProjectNumber, projectOf } from './lock-project.ts'
import type { Sql } from './sql.ts'

/** How long a process has a project to itself after it was handed batches of it. */
const HOLD_MS = 30_000

/** Projects whose oldest batch is looked up to find the one that has waited longest: those that were left behind most. */
const CANDIDATES_MAX = 100

/** There is something to be summed up, and nobody else is at it. */
const IS_FREE = `d.through < d.newest AND (d.holder IS NULL OR d.holder = $1 OR d.held_until_ms <= ${NOW_MS})`

interface HeldProject {
  readonly project_number: number
  readonly through: number
  readonly newest: number
}

/** Not in one transaction: those who admit spans of the project would have to wait until its batches were sent. */
export async function readUndigested(
  db: Sql,
  holder: number,
  limit: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): Promise<{ after: number; batches: UndigestedBatch[] }> {
  for (;;) {
    const held = await holdProject(db, holder)
    if (!held) return { after: 0, batches: [] }
    const rows = await nextBatches(db, held, limit, bytesMax)
    if (rows.length === 0) {
      await settle(db, holder, held)
      continue
    }
    const batches = rows.map((row) => ({
      ...toBatch(row),
      repeated: row.repeated === null ? [] : listUnits(row.repeated),
    }))
    return { after: held.through, batches }
  }
}

/**
 * The project that has waited longest and that nobody else holds. It waits for whoever is writing the row, which is short: a
 * project that gets spans all the time would be passed over for ever otherwise.
 */
function holdProject(db: Sql, holder: number): Promise<HeldProject | undefined> {
  return db.get<HeldProject>(
    `WITH next AS (
       SELECT d.project_number FROM digest_progress d JOIN projects p ON p.number = d.project_number
       CROSS JOIN LATERAL (
         SELECT min(b.id) AS id FROM span_batches b WHERE b.project_number = d.project_number AND b.id > d.through
       ) AS oldest
       WHERE ${IS_FREE} AND d.project_number IN (
         SELECT d.project_number FROM digest_progress d WHERE ${IS_FREE} ORDER BY d.through LIMIT ${CANDIDATES_MAX})
       ORDER BY oldest.id NULLS FIRST LIMIT 1 FOR UPDATE OF d)
     UPDATE digest_progress d SET holder = $1, held_until_ms = ${NOW_MS} + ${HOLD_MS} FROM next
     WHERE d.project_number = next.project_number
     RETURNING d.project_number, d.through, d.newest`,
    holder,
  )
}

/** The next batches that are few and small enough together; the first is, whatever its size. */
function nextBatches(
  db: Sql,
  { project_number: project, through }: HeldProject,
  limit: number,
  bytesMax: number,
): Promise<BatchRow[]> {
  return db.all<BatchRow>(
    `WITH sizes AS MATERIALIZED (
       SELECT id, byte_length, sum(byte_length) OVER (ORDER BY id) AS bytes FROM (
         SELECT id, byte_length FROM span_batches WHERE project_number = $1 AND id > $2 ORDER BY id LIMIT $3) AS next)
     ${SELECT_BATCH} WHERE b.id = ANY (ARRAY(SELECT id FROM sizes WHERE bytes <= $4::bigint OR bytes = byte_length))
     ORDER BY b.id`,
    project,
    through,
    limit,
    bytesMax,
  )
}

/** What there was to be summed up is no longer kept. If a batch has come since, there is something to be read again. */
async function settle(db: Sql, holder: number, held: HeldProject): Promise<void> {
  await db.run(
    `UPDATE digest_progress SET through = newest, holder = NULL, held_until_ms = 0
     WHERE project_number = $1 AND holder = $2 AND through = $3 AND newest = $4`,
    held.project_number,
    holder,
    held.through,
    held.newest,
  )
}

/** All digests are about batches of one project, as they were handed out. */
export async function recordDigests(
  tx: Sql,
  after: number,
  digests: readonly BatchDigest[],
  quietMsMin: number,
): Promise<boolean> {
  const batchIds = digests.map(({ batchId }) => batchId)
  const through = batchIds.at(-1)
  const owner = await tx.get<{ project_number: number }>(
    'SELECT project_number FROM span_batches WHERE id = ANY($1::bigint[]) LIMIT 1',
    batchIds,
  )
  // What is no longer kept, or was deleted, is not summed up either. Nothing waits for it that could be moved on.
  if (through === undefined || !owner) return true
  const { project_number: project } = owner
  if (!(await lockProjectNumber(tx, project))) return true
  const progress = await tx.get<{ through: number }>(
    'SELECT through FROM digest_progress WHERE project_number = $1 FOR UPDATE',
    project,
  )
  if (progress?.through !== after) return false
  await addDigests(tx, project, digests, quietMsMin)
  await tx.run(
    `UPDATE digest_progress SET through = $2, holder = CASE WHEN newest > $2 THEN holder END,
       held_until_ms = CASE WHEN newest > $2 THEN held_until_ms ELSE 0 END
     WHERE project_number = $1`,
    project,
    through,
  )
  return true
}

async function addDigests(
  tx: Sql,
  project: number,
  digests: readonly BatchDigest[],
  quietMsMin: number,
): Promise<void> {
  // Kept until the transaction ends, so that nothing is stored about a batch that was dropped meanwhile.
  const batches = await tx.all<UnitBatch>(
    `SELECT id, project_number, env_project_id, received_at_ms FROM span_batches
     WHERE id = ANY($1::bigint[]) AND project_number = $2 FOR KEY SHARE`,
    digests.map(({ batchId }) => batchId),
    project,
  )
  const batchOf = new Map(batches.map((batch) => [batch.id, batch]))
  const kept = digests.flatMap((digest) => {
    const batch = batchOf.get(digest.batchId)
    return batch ? [{ batch, digest }] : []
  })
  const traces = kept.flatMap(({ batch, digest }) => digest.traces.map((said) => ({ batch, said })))
  await addTraces(tx, project, await withoutDeleted(tx, project, traces), quietMsMin)
  await addUsage(
    tx,
    project,
    kept.flatMap(({ batch, digest }) => digest.usage.map((usage) => ({ batch, usage }))),
  )
}

/** Hides what belongs to a deleted trace or session; the rest. */
async function withoutDeleted(
  tx: Sql,
  project: number,
  traces: readonly BatchTrace[],
): Promise<readonly BatchTrace[]> {
  const sessionIds = traces.flatMap(({ said }) => said.sessionId ?? [])
  const rows = await tx.all<{
    trace_id: string | null
    session_id: string | null
    through_batch: number | null
  }>(
    `SELECT encode(trace_id, 'hex') AS trace_id, NULL AS session_id, NULL AS through_batch FROM deleted_traces
     WHERE project_number = $1 AND trace_id = ANY($2::bytea[])
     UNION ALL SELECT NULL, session_id, through_batch FROM deleted_sessions
     WHERE project_number = $1 AND session_id = ANY($3::text[])`,
    project,
    traces.map(({ said }) => Buffer.from(said.traceId, 'hex')),
    sessionIds,
  )
  if (rows.length === 0) return traces
  const deleted = new Set(rows.map((row) => row.trace_id))
  const sessions = new Map(rows.map((row) => [row.session_id, row.through_batch]))
  const isOfSession = ({ batch, said }: BatchTrace) =>
    said.sessionId !== undefined && (sessions.get(said.sessionId) ?? 0) >= batch.id
  // With its session a whole trace is deleted, also what other batches say about it without naming the session.
  const ofSessions = traces.filter(isOfSession)
  for (const { said } of ofSessions) deleted.add(said.traceId)
  const isHidden = ({ said }: { readonly said: TraceDigest }) => deleted.has(said.traceId)
  for (const { batch, said } of [
    ...ofSessions,
    ...traces.filter((one) => isHidden(one) && !isOfSession(one)),
  ])
    await hideDigested(tx, batch, said)
  return traces.filter((one) => !isHidden(one))
}

export async function isDigested(db: Sql, scope: ProjectScope, throughBatch: number): Promise<boolean> {
  const { number } = await projectOf(db, scope)
  const row = await db.get<{ is_waiting: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM span_batches WHERE project_number = $1 AND id <= $2
       AND id > coalesce((SELECT through FROM digest_progress WHERE project_number = $1), 0)) AS is_waiting`,
    number,
    throughBatch,
  )
  return row?.is_waiting === false
}
