import type { ProjectTenant } from '../../domain/tenant.ts'
import type { BatchDigest, TraceDigest, UsageDigest } from '../../domain/trace-digest.ts'
import { listUnits } from '../../domain/unit-set.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import type {
  DigestOutcome,
  OverdueBatch,
  PassedOverBatch,
  UndigestedBatch,
} from '../../ports/trace-storage.ts'
import { joinTrace, pauseBefore, type UnitBatch } from '../shared/join-trace.ts'
import { keepDeployments } from '../shared/keep-deployments.ts'
import type { TraceRow } from '../shared/trace-rows.ts'
import { type DigestedBatch, hideDigested } from './deletion-operations.ts'
import { type BatchRow, projectOf, SELECT_BATCH, toBatch } from './span-operations.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'
import { gatheredMatches, learnServicePause, openUnits } from './unit-operations.ts'

export function readUndigested(
  db: SqliteDatabase,
  limit: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): { after: number; batches: UndigestedBatch[] } {
  const after = digestedThrough(db)
  const last = lastWithin(db, after, limit, bytesMax)
  const rows = db.all<BatchRow>(`${SELECT_BATCH} WHERE b.id > ? AND b.id <= ? ORDER BY b.id`, after, last)
  return { after, batches: rows.map(toUndigested) }
}

function toUndigested(row: BatchRow): UndigestedBatch {
  return { ...toBatch(row), repeated: row.repeated === null ? [] : listUnits(row.repeated) }
}

/** The last of the next batches that are few and small enough together; the first is, whatever its size. */
function lastWithin(db: SqliteDatabase, after: number, limit: number, bytesMax: number): number {
  const sizes = db.all<{ id: number; byte_length: number }>(
    'SELECT id, byte_length FROM span_batches WHERE id > ? ORDER BY id LIMIT ?',
    after,
    limit,
  )
  return few(sizes, bytesMax).at(-1)?.id ?? after
}

/** The first of the rows, and those behind it as long as all of them together are small enough. */
function few<Row extends { readonly byte_length: number }>(rows: readonly Row[], bytesMax: number): Row[] {
  let bytes = 0
  const end = rows.findIndex(({ byte_length: length }, at) => {
    bytes += length
    return at > 0 && bytes > bytesMax
  })
  return end === -1 ? [...rows] : rows.slice(0, end)
}

export function readOverdue(
  db: SqliteDatabase,
  nowMs: number,
  limit: number,
  bytesMax = Number.MAX_SAFE_INTEGER,
): OverdueBatch[] {
  const due = db.all<{ id: number; byte_length: number; attempts: number }>(
    `SELECT b.id, b.byte_length, u.attempts FROM undigested_batches u JOIN span_batches b ON b.id = u.batch_id
     WHERE u.retry_at_ms <= ? ORDER BY u.retry_at_ms, u.batch_id LIMIT ?`,
    nowMs,
    limit,
  )
  const attempts = new Map(few(due, bytesMax).map((row) => [row.id, row.attempts]))
  const rows = db.all<BatchRow>(
    `${SELECT_BATCH} WHERE b.id IN (SELECT value FROM json_each(?))`,
    JSON.stringify([...attempts.keys()]),
  )
  return rows.map((row) => ({ ...toUndigested(row), attempts: attempts.get(row.id) ?? 0 }))
}

export async function recordDigests(
  db: SqliteDatabase,
  after: number,
  outcomes: readonly DigestOutcome[],
  quietMsMin: number,
): Promise<boolean> {
  if (digestedThrough(db) !== after) return false
  for (const outcome of outcomes) {
    if ('passedOver' in outcome) passOver(db, outcome)
    else await addDigest(db, outcome, quietMsMin)
  }
  const through = outcomes.at(-1)?.batchId
  if (through !== undefined) db.run('UPDATE digest_progress SET through = ?', through)
  return true
}

/** Adds some of the traces of the batch behind `after`, which counts as summed up only when the rest follows. */
export async function recordDigestPart(
  db: SqliteDatabase,
  after: number,
  part: BatchDigest,
  quietMsMin: number,
): Promise<boolean> {
  if (digestedThrough(db) !== after) return false
  await addDigest(db, part, quietMsMin)
  return true
}

export async function recordOverdue(
  db: SqliteDatabase,
  outcome: DigestOutcome,
  quietMsMin: number,
): Promise<boolean> {
  const { batchId } = outcome
  if ('passedOver' in outcome) {
    if (!db.get('SELECT 1 FROM undigested_batches WHERE batch_id = ?', batchId)) return false
    passOver(db, outcome)
    return true
  }
  if (db.run('DELETE FROM undigested_batches WHERE batch_id = ?', batchId) === 0) return false
  await addDigest(db, outcome, quietMsMin)
  return true
}

export function retryGivenUp(db: SqliteDatabase): void {
  db.run('UPDATE undigested_batches SET retry_at_ms = 0 WHERE is_given_up = 1')
}

function passOver(db: SqliteDatabase, { batchId, passedOver }: PassedOverBatch): void {
  const { reason, isGivenUp, retryAtMs } = passedOver
  db.run(
    `INSERT INTO undigested_batches (batch_id, project_number, is_given_up, reason, attempts, retry_at_ms)
     SELECT id, project_number, ?2, ?3, 1, ?4 FROM span_batches
     WHERE id = ?1 AND project_number IN (SELECT number FROM projects)
     ON CONFLICT DO UPDATE SET is_given_up = excluded.is_given_up, reason = excluded.reason, attempts = attempts + 1,
       retry_at_ms = excluded.retry_at_ms`,
    batchId,
    Number(isGivenUp),
    reason,
    retryAtMs,
  )
  // The batch says nothing about its traces, so those that were deleted before are looked for in the index of spans.
  db.run(
    `UPDATE deleted_traces SET needs_search = 1
     WHERE project_number = (SELECT project_number FROM span_batches WHERE id = ?)`,
    batchId,
  )
}

async function addDigest(db: SqliteDatabase, digest: BatchDigest, quietMsMin: number): Promise<void> {
  const batch = db.get<DigestedBatch & Record<string, unknown>>(
    `SELECT id, project_number, env_project_id, received_at_ms, is_queued FROM span_batches
     WHERE id = ? AND project_number IN (SELECT number FROM projects)`,
    digest.batchId,
  )
  // An expired or deleted batch is not digested.
  if (!batch) return
  const matches = gatheredMatches(db, batch.id)
  for (const said of digest.traces) {
    if (hideDigested(db, batch, said)) continue
    // A trace that has its place was added before, by a recording of this batch that was cut off.
    if (!addPlace(db, batch, said)) continue
    const known = findTrace(db, batch, said)
    const pause = pauseBefore(known, batch, said)
    if (pause) learnServicePause(db, batch.project_number, pause.service, pause.ms)
    const trace = joinTrace(known, batch, said)
    writeTrace(db, batch, trace)
    openUnits(db, batch, said, trace, matches, quietMsMin)
  }
  for (const usage of digest.usage) addUsage(db, batch, usage)
  const deployments = digest.deployments?.map((deployment) => ({ batch, deployment })) ?? []
  await keepDeployments(new SqliteSql(db), batch.project_number, deployments)
}

/** Adds what a batch says about a trace, and nothing else of what summing up does; for a trace that is put together again. */
export function rebuildTraceRow(db: SqliteDatabase, batchId: number, said: TraceDigest): void {
  const batch = db.get<UnitBatch & Record<string, unknown>>(
    `SELECT id, project_number, env_project_id, received_at_ms FROM span_batches
     WHERE id = ? AND project_number IN (SELECT number FROM projects)`,
    batchId,
  )
  if (!batch) return
  writeTrace(db, batch, joinTrace(findTrace(db, batch, said), batch, said))
  addPlace(db, batch, said)
}

export function isDigested(db: SqliteDatabase, tenant: ProjectTenant, throughBatch: number): boolean {
  const { number } = projectOf(db, tenant)
  return !db.get(
    `SELECT 1 FROM span_batches WHERE project_number = ?1 AND id > ?2 AND id <= ?3
     UNION ALL
     SELECT 1 FROM undigested_batches WHERE project_number = ?1 AND batch_id <= ?3 AND is_given_up = 0 LIMIT 1`,
    number,
    digestedThrough(db),
    throughBatch,
  )
}

export function digestedThrough(db: SqliteDatabase): number {
  return db.get<{ through: number }>('SELECT through FROM digest_progress')?.through ?? 0
}

function findTrace(
  db: SqliteDatabase,
  batch: UnitBatch,
  { traceId }: Pick<TraceDigest, 'traceId'>,
): TraceRow | undefined {
  return db.get<TraceRow & Record<string, unknown>>(
    'SELECT * FROM traces WHERE project_number = ? AND trace_id = ?',
    batch.project_number,
    Buffer.from(traceId, 'hex'),
  )
}

function writeTrace(db: SqliteDatabase, batch: UnitBatch, trace: TraceRow): void {
  db.run(
    `INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms, span_count,
       error_count, root_name, service, model, session_id, model_calls, prompt_tokens, completion_tokens, model_use,
       is_complete)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET first_ms = excluded.first_ms, last_ms = excluded.last_ms,
       arrived_at_ms = excluded.arrived_at_ms, span_count = excluded.span_count, error_count = excluded.error_count,
       root_name = excluded.root_name, service = excluded.service, model = excluded.model,
       session_id = excluded.session_id, model_calls = excluded.model_calls, prompt_tokens = excluded.prompt_tokens,
       completion_tokens = excluded.completion_tokens, model_use = excluded.model_use,
       is_complete = excluded.is_complete`,
    batch.project_number,
    trace.trace_id,
    trace.env_project_id,
    trace.first_ms,
    trace.last_ms,
    trace.arrived_at_ms,
    trace.span_count,
    trace.error_count,
    trace.root_name,
    trace.service,
    trace.model,
    trace.session_id,
    trace.model_calls,
    trace.prompt_tokens,
    trace.completion_tokens,
    trace.model_use,
    trace.is_complete,
  )
}

/** Notes which spans of a batch belong to a trace; false when that is noted already. */
function addPlace(db: SqliteDatabase, batch: UnitBatch, { traceId, units }: TraceDigest): boolean {
  const added = db.run(
    `INSERT INTO trace_places (project_number, trace_id, batch_id, units) VALUES (?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    batch.project_number,
    Buffer.from(traceId, 'hex'),
    batch.id,
    units,
  )
  return added > 0
}

function addUsage(db: SqliteDatabase, batch: UnitBatch, usage: UsageDigest): void {
  const key = [batch.project_number, usage.minute, batch.env_project_id, usage.service, usage.model] as const
  const where = 'project_number = ? AND minute = ? AND env_project_id = ? AND service = ? AND model = ?'
  const known = db.get<{ durations: Uint8Array }>(
    `SELECT durations FROM usage_rollups WHERE ${where}`,
    ...key,
  )
  const durations = known ? ValueSketch.decode(known.durations) : new ValueSketch()
  for (const durationMs of usage.durationsMs) durations.add(durationMs)
  db.run(
    `INSERT INTO usage_rollups (project_number, minute, env_project_id, service, model, calls, errors, counted_calls,
       prompt_tokens, completion_tokens, durations)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, errors = errors + excluded.errors,
       counted_calls = counted_calls + excluded.counted_calls,
       prompt_tokens = prompt_tokens + excluded.prompt_tokens,
       completion_tokens = completion_tokens + excluded.completion_tokens, durations = excluded.durations`,
    ...key,
    usage.calls,
    usage.errors,
    usage.countedCalls,
    usage.promptTokens,
    usage.completionTokens,
    durations.encode(),
  )
}
