import type { TraceDigest } from '../../domain/trace-digest.ts'
import type { VerificationStorage, WrongTrace } from '../../ports/verification-storage.ts'
import { REBUILD_APPLICATION_HOUR } from '../shared/application-rollups.ts'
import { isDeleted } from '../shared/deleted-traces.ts'
import { rebuiltRollups, SELECT_COUNTED, SELECT_COUNTS } from '../shared/rebuilt-rollups.ts'
import type { CountedRow } from '../shared/rollup-changes.ts'
import type { Sql, SqlValue } from '../shared/sql.ts'
import { sharedVerification } from '../shared/verification.ts'
import { rebuildTraceRows } from './digest-traces.ts'
import { excludeRecording, LOCK_CLASS, lockProjectNumber } from './lock-project.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { writeRollups } from './write-rollups.ts'

/** The verification of a database that several processes share. */
export function openVerification(db: PostgresDatabase): VerificationStorage {
  return {
    ...sharedVerification({
      read: (...queries) =>
        db.snapshot(async (tx) => {
          const found = []
          for (const { sql, values = [] } of queries) found.push(await tx.all(sql, ...(values as SqlValue[])))
          return found
        }),
      write: (...statements) =>
        db.transaction(async (tx) => {
          const changed = []
          for (const { sql, values = [] } of statements)
            changed.push(await tx.run(sql, ...(values as SqlValue[])))
          return changed
        }),
      countUnits: 'bit_count',
      digestedThrough:
        'coalesce((SELECT g.through FROM digest_progress g WHERE g.project_number = b.project_number), 0)',
      spanTable: (place) =>
        `unnest($${place}::bigint[], $${place + 1}::bigint[], $${place + 2}::bytea[], $${place + 3}::bytea[])
           AS v (ordinal, second, trace_id, span_id)`,
      spanValues: (spans) => [
        spans.map(({ ordinal }) => ordinal),
        spans.map(({ second }) => second),
        spans.map(({ traceId }) => Buffer.from(traceId, 'hex')),
        spans.map(({ spanId }) => Buffer.from(spanId, 'hex')),
      ],
      holdProject: 'SELECT 1 FROM projects WHERE number = $1 FOR NO KEY UPDATE',
    }),
    checkPages: (part) => checkPages(db, part),
    rebuildTrace: (...args) => db.transaction((tx) => rebuildTrace(tx, ...args)),
    rebuildRollups: (...args) => db.transaction((tx) => rebuildRollups(tx, ...args)),
    begin: (...args) => db.transaction((tx) => begin(tx, ...args)),
  }
}

/** The server checks its pages when it reads them, if it was set up to; of the indexes those are checked that amcheck can. */
async function checkPages(db: Sql, part: number): ReturnType<VerificationStorage['checkPages']> {
  if (part === 0) {
    const state = await db.get<{ setting: string; failures: number | null }>(
      `SELECT current_setting('data_checksums') AS setting,
         (SELECT checksum_failures FROM pg_stat_database WHERE datname = current_database()) AS failures`,
    )
    const failures = state?.failures ?? 0
    const what =
      state?.setting === 'on'
        ? 'the page checksums of the server'
        : 'the page checksums of the server (they are off: see "initdb --data-checksums")'
    return { what, problems: failures > 0 ? [`the server has read ${failures} damaged pages`] : [] }
  }
  const index = await db.get<{ name: string; amcheck: string | null }>(
    `SELECT c.oid::regclass::text AS name, (SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
       WHERE e.extname = 'amcheck') AS amcheck
     FROM pg_class c JOIN pg_am a ON a.oid = c.relam
     WHERE c.relkind = 'i' AND a.amname = 'btree' AND c.relnamespace = current_schema()::regnamespace
     ORDER BY c.relname LIMIT 1 OFFSET $1`,
    part - 1,
  )
  if (!index?.amcheck) return undefined
  const what = `the index ${index.name}`
  try {
    await db.run(`SELECT "${index.amcheck}".bt_index_check($1::text::regclass)`, index.name)
    return { what, problems: [] }
  } catch (error) {
    // A partition may be dropped, and a role may not be allowed to check.
    const { code, message } = error as { code?: string; message: string }
    return { what, problems: code === 'XX001' || code === 'XX002' ? [message] : [] }
  }
}

async function rebuildTrace(
  tx: Sql,
  { projectNumber, traceId }: WrongTrace,
  from: readonly number[],
  said: readonly { readonly batchId: number; readonly digest: TraceDigest }[],
): Promise<boolean> {
  const key = [projectNumber, Buffer.from(traceId, 'hex')] as const
  if (!(await lockProjectNumber(tx, projectNumber))) return false
  const places = await tx.all<{ batch_id: number }>(
    'SELECT batch_id FROM trace_places WHERE project_number = $1 AND trace_id = $2 ORDER BY batch_id',
    ...key,
  )
  const isSame = places.length === from.length && places.every(({ batch_id: id }, at) => id === from[at])
  if (!isSame || (await isDeleted(tx, ...key))) return false
  await tx.run('DELETE FROM traces WHERE project_number = $1 AND trace_id = $2', ...key)
  await tx.run('DELETE FROM trace_places WHERE project_number = $1 AND trace_id = $2', ...key)
  await rebuildTraceRows(tx, projectNumber, said)
  return true
}

async function rebuildRollups(tx: Sql, monitorVersion: number, minute: number): Promise<void> {
  const owner = await tx.get<{ project_number: number }>(
    `SELECT m.project_number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number WHERE v.number = $1`,
    monitorVersion,
  )
  if (!owner) return
  // Nothing is recorded meanwhile.
  await excludeRecording(tx, owner.project_number)
  const key = [monitorVersion, minute] as const
  const stored = await tx.all<{ status: string; units: number }>(SELECT_COUNTS, ...key)
  const evaluations = await tx.all<CountedRow>(SELECT_COUNTED, ...key)
  await tx.run('DELETE FROM value_rollups WHERE monitor_version = $1 AND minute = $2', ...key)
  await writeRollups(tx, rebuiltRollups(monitorVersion, minute, evaluations, stored))
  const hour = Math.floor(minute / 60)
  for (const sql of REBUILD_APPLICATION_HOUR) await tx.run(sql, monitorVersion, hour)
}

async function begin(tx: Sql, nowMs: number, pauseMs: number): Promise<boolean> {
  await tx.run('SELECT pg_advisory_xact_lock($1, 0)', LOCK_CLASS.verification)
  const begun = await tx.run(
    `INSERT INTO verifications (started_at_ms) SELECT $1::bigint
     WHERE NOT EXISTS (SELECT 1 FROM verifications WHERE started_at_ms > $1::bigint - $2::bigint AND started_at_ms <= $1)
     ON CONFLICT (started_at_ms) DO NOTHING`,
    nowMs,
    pauseMs,
  )
  // The last ones are enough to see since when something is wrong.
  await tx.run('DELETE FROM verifications WHERE started_at_ms < $1', nowMs - 90 * 86_400_000)
  return begun > 0
}
