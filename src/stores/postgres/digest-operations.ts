import type { ProjectTenant } from '../../domain/tenant.ts'
import type { BatchDigest, TraceDigest } from '../../domain/trace-digest.ts'
import { listUnits } from '../../domain/unit-set.ts'
import type {
  DigestOutcome,
  OverdueBatch,
  PassedOverBatch,
  UndigestedBatch,
} from '../../ports/trace-storage.ts'
import { hashOf } from '../shared/deletion-rows.ts'
import { keepDeployments } from '../shared/keep-deployments.ts'
import { projectOf } from '../shared/project-of.ts'
import { type BatchRow, SELECT_BATCH, toBatch } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { addUsage } from './add-usage.ts'
import { type DigestedBatch, hideDigested } from './deletion-operations.ts'
import { addTraces, type BatchTrace } from './digest-traces.ts'
import { NOW_MS } from './leases.ts'
import { lockProjectNumber } from './lock-project.ts'

/** How long a process has a project to itself after it was handed batches of it. */
const HOLD_MS = 30_000

/** Projects whose oldest batch is looked up to find the one that has waited longest: those that were left behind most. */
const CANDIDATES_MAX = 100

/** There is something to be summed up, and no other process is at it. */
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
    return { after: held.through, batches: rows.map(toUndigested) }
  }
}

function toUndigested(row: BatchRow): UndigestedBatch {
  return { ...toBatch(row), repeated: row.repeated === null ? [] : listUnits(row.repeated) }
}

/**
 * The project that has waited longest and that no other process holds. It waits for a writer of the row, which is short: a
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

/** The batches to sum up are no longer kept. If a batch has come since, there is something to be read again. */
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

export async function readOverdue(
  db: Sql,
  nowMs: number,
  limit: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): Promise<OverdueBatch[]> {
  const rows = await db.all<BatchRow & { attempts: number }>(
    `WITH due AS MATERIALIZED (
       SELECT id, attempts, byte_length, sum(byte_length) OVER (ORDER BY retry_at_ms, id) AS bytes FROM (
         SELECT b.id, b.byte_length, u.attempts, u.retry_at_ms
         FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
         WHERE u.retry_at_ms <= $1 ORDER BY u.retry_at_ms, u.batch_id LIMIT $2) AS next)
     ${SELECT_BATCH.replace('SELECT', 'SELECT due.attempts,')} JOIN due ON due.id = b.id
     WHERE due.bytes <= $3::bigint OR due.bytes = due.byte_length`,
    nowMs,
    limit,
    bytesMax,
  )
  return rows.map((row) => ({ ...toUndigested(row), attempts: row.attempts }))
}

/** All outcomes are about batches of one project, as they were handed out. */
export async function recordDigests(
  tx: Sql,
  after: number,
  outcomes: readonly DigestOutcome[],
  quietMsMin: number,
): Promise<boolean> {
  const through = outcomes.at(-1)?.batchId
  const project = await holdOwner(tx, outcomes)
  // A batch that is no longer kept, or was deleted, is not summed up either. Nothing waits for it that could be moved
  // on.
  if (through === undefined || project === undefined) return true
  const progress = await tx.get<{ through: number }>(
    'SELECT through FROM digest_progress WHERE project_number = $1 FOR UPDATE',
    project,
  )
  if (progress?.through !== after) return false
  await record(tx, project, outcomes, quietMsMin)
  await tx.run(
    `UPDATE digest_progress SET through = $2, holder = CASE WHEN newest > $2 THEN holder END,
       held_until_ms = CASE WHEN newest > $2 THEN held_until_ms ELSE 0 END
     WHERE project_number = $1`,
    project,
    through,
  )
  return true
}

export async function recordOverdue(tx: Sql, outcome: DigestOutcome, quietMsMin: number): Promise<boolean> {
  const project = await holdOwner(tx, [outcome])
  if (project === undefined) return false
  const ended =
    'passedOver' in outcome ? 'SELECT 1 FROM undigested_batches' : 'DELETE FROM undigested_batches'
  const found = await tx.run(`${ended} WHERE batch_id = $1`, outcome.batchId)
  if (found > 0) await record(tx, project, [outcome], quietMsMin)
  return found > 0
}

export async function retryGivenUp(db: Sql): Promise<void> {
  await db.run('UPDATE undigested_batches SET retry_at_ms = 0 WHERE is_given_up = 1')
}

/** The project that the batches belong to, held from here on; undefined when they or the project are gone. */
async function holdOwner(tx: Sql, outcomes: readonly DigestOutcome[]): Promise<number | undefined> {
  const owner = await tx.get<{ project_number: number }>(
    'SELECT project_number FROM span_batches WHERE id = ANY($1::bigint[]) LIMIT 1',
    outcomes.map(({ batchId }) => batchId),
  )
  if (!owner || !(await lockProjectNumber(tx, owner.project_number))) return undefined
  return owner.project_number
}

async function record(
  tx: Sql,
  project: number,
  outcomes: readonly DigestOutcome[],
  quietMsMin: number,
): Promise<void> {
  const digests = outcomes.filter((outcome) => !('passedOver' in outcome)) as BatchDigest[]
  await addDigests(tx, project, digests, quietMsMin)
  for (const outcome of outcomes) if ('passedOver' in outcome) await passOver(tx, project, outcome)
}

async function passOver(
  tx: Sql,
  project: number,
  { batchId, passedOver: { reason, isGivenUp, retryAtMs } }: PassedOverBatch,
): Promise<void> {
  await tx.run(
    `INSERT INTO undigested_batches AS u (batch_id, project_number, is_given_up, reason, attempts, retry_at_ms)
     SELECT id, project_number, $3, $4, 1, $5 FROM span_batches WHERE id = $1 AND project_number = $2 FOR KEY SHARE
     ON CONFLICT (batch_id) DO UPDATE SET is_given_up = excluded.is_given_up, reason = excluded.reason,
       attempts = u.attempts + 1, retry_at_ms = excluded.retry_at_ms`,
    batchId,
    project,
    Number(isGivenUp),
    reason,
    retryAtMs,
  )
  // The batch says nothing about its traces, so those that were deleted before are looked for in the index of spans.
  await tx.run(
    'UPDATE deleted_traces SET needs_search = 1 WHERE project_number = $1 AND needs_search = 0',
    project,
  )
}

async function addDigests(
  tx: Sql,
  project: number,
  digests: readonly BatchDigest[],
  quietMsMin: number,
): Promise<void> {
  if (digests.length === 0) return
  // Kept until the transaction ends, so that nothing is stored about a batch that was dropped meanwhile.
  const batches = await tx.all<DigestedBatch>(
    `SELECT id, project_number, env_project_id, received_at_ms, is_queued FROM span_batches
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
  const added = await withoutAdded(tx, project, await withoutDeleted(tx, project, traces))
  await addTraces(tx, project, added, quietMsMin)
  await addUsage(
    tx,
    project,
    kept.flatMap(({ batch, digest }) => digest.usage.map((usage) => ({ batch, usage }))),
  )
  await keepDeployments(
    tx,
    project,
    kept.flatMap(
      ({ batch, digest }) => digest.deployments?.map((deployment) => ({ batch, deployment })) ?? [],
    ),
  )
}

interface DigestedTrace extends BatchTrace {
  readonly batch: DigestedBatch
}

/** Hides what belongs to a deleted trace or session; the rest. */
async function withoutDeleted(
  tx: Sql,
  project: number,
  traces: readonly DigestedTrace[],
): Promise<readonly DigestedTrace[]> {
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
  const past = await pastDeletions(tx, project, traces)
  if (rows.length === 0 && past.size === 0) return traces
  const deleted = new Set(rows.map((row) => row.trace_id))
  const sessions = new Map(rows.map((row) => [row.session_id, row.through_batch]))
  const isOfSession = ({ batch, said: { sessionId } }: DigestedTrace) =>
    sessionId !== undefined &&
    ((sessions.get(sessionId) ?? 0) >= batch.id ||
      (batch.is_queued === 1 && (past.get(sessionId) ?? 0) >= batch.received_at_ms))
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

/**
 * The traces that have no place for their batch yet. An embedded store adds the traces of a large batch in parts; one that was
 * moved here may have been stopped between two.
 */
async function withoutAdded(
  tx: Sql,
  project: number,
  traces: readonly DigestedTrace[],
): Promise<readonly DigestedTrace[]> {
  const rows = await tx.all<{ batch_id: number; trace_id: string }>(
    `SELECT p.batch_id, encode(p.trace_id, 'hex') AS trace_id FROM trace_places p
     JOIN unnest($2::bytea[], $3::bigint[]) AS said (trace_id, batch_id) USING (trace_id, batch_id)
     WHERE p.project_number = $1`,
    project,
    traces.map(({ said }) => Buffer.from(said.traceId, 'hex')),
    traces.map(({ batch }) => batch.id),
  )
  if (rows.length === 0) return traces
  const added = new Set(rows.map(({ batch_id, trace_id }) => `${batch_id} ${trace_id}`))
  return traces.filter(({ batch, said }) => !added.has(`${batch.id} ${said.traceId}`))
}

/** When sessions that batches out of a stream name were deleted last, by session id. */
async function pastDeletions(
  tx: Sql,
  project: number,
  traces: readonly DigestedTrace[],
): Promise<ReadonlyMap<string, number>> {
  const queued = traces.filter(({ batch }) => batch.is_queued === 1)
  const ids = [...new Set(queued.flatMap(({ said }) => said.sessionId ?? []))]
  if (ids.length === 0) return new Map()
  const rows = await tx.all<{ hash: string; deleted_at_ms: number }>(
    `SELECT encode(session_hash, 'hex') AS hash, deleted_at_ms FROM past_session_deletions
     WHERE project_number = $1 AND session_hash = ANY($2::bytea[])`,
    project,
    ids.map(hashOf),
  )
  const byHash = new Map(rows.map((row) => [row.hash, row.deleted_at_ms]))
  return new Map(
    ids.flatMap((id) => {
      const deletedAtMs = byHash.get(hashOf(id).toString('hex'))
      return deletedAtMs === undefined ? [] : [[id, deletedAtMs] as const]
    }),
  )
}

export async function isDigested(db: Sql, tenant: ProjectTenant, throughBatch: number): Promise<boolean> {
  const { number } = await projectOf(db, tenant)
  const row = await db.get<{ is_waiting: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM span_batches WHERE project_number = $1 AND id <= $2
         AND id > coalesce((SELECT through FROM digest_progress WHERE project_number = $1), 0))
       OR EXISTS (SELECT 1 FROM undigested_batches
         WHERE project_number = $1 AND batch_id <= $2 AND is_given_up = 0) AS is_waiting`,
    number,
    throughBatch,
  )
  return row?.is_waiting === false
}
