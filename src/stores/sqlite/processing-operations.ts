import { asksProvider, type MonitorPlan } from '../../domain/monitor.ts'
import { countUnits } from '../../domain/unit-set.ts'
import { spread } from '../../lib/spread.ts'
import type { ClaimedSetup, EntryOutcome, MatchSample, SetupOutcome } from '../../ports/work-storage.ts'
import { type FillFacts, fillRange, hashOf, type MonitorRow, planOf } from '../shared/monitor-rows.ts'
import { assignRules } from '../shared/verdict-operations.ts'
import { nextLease } from './leases.ts'
import { cancelWork, fillWorkOf, stopMonitor } from './monitor-operations.ts'
import { readSetupById } from './read-setups.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'
import { readMonitorVersions, readWorkBatches } from './work-operations.ts'

/** A setup with failed entries is not looked at again before this, however many spans match it meanwhile. */
const HEAL_PAUSE_MS = 500

export function claimSetups(
  db: SqliteDatabase,
  limit: number,
  leaseMs: number,
  writtenBeforeMs: number,
): ClaimedSetup[] {
  const nowMs = Date.now()
  const pending = db.all<{ id: string }>(
    `SELECT id FROM setups WHERE deleted_at_ms IS NULL AND status IN ('pending', 'in_progress')
       AND (CASE status WHEN 'pending' THEN updated_at_ms < ? ELSE lease_until_ms <= ? END) ORDER BY id LIMIT ?`,
    writtenBeforeMs,
    nowMs,
    limit,
  )
  const withNews = db.all<{ id: string }>(
    `SELECT id FROM setups WHERE has_news = 1 AND deleted_at_ms IS NULL
       AND status IN ('waiting_for_spans', 'partial', 'failed') AND coalesce(lease_until_ms, 0) <= ? LIMIT ?`,
    nowMs,
    limit - pending.length,
  )
  return [...pending, ...withNews].map(({ id }) => claimSetup(db, id, nowMs + leaseMs))
}

// A setup that has failed entries keeps its state while they are looked at again: its monitors go on meanwhile.
function claimSetup(db: SqliteDatabase, id: string, leaseUntilMs: number): ClaimedSetup {
  const lease = nextLease(db)
  db.run(
    `UPDATE setups SET lease = ?, lease_until_ms = ?, has_news = 0,
       status = CASE WHEN status IN ('pending', 'waiting_for_spans') THEN 'in_progress' ELSE status END
     WHERE id = ?`,
    lease,
    leaseUntilMs,
    id,
  )
  db.run("UPDATE setup_entries SET status = 'in_progress' WHERE setup_id = ? AND status = 'pending'", id)
  const setupVersion = currentVersion(db, id)
  return { setup: readSetupById(db, id), setupVersion, lease, knownPlans: knownPlans(db, id, setupVersion) }
}

function currentVersion(db: SqliteDatabase, setupId: string): number {
  const row = db.get<{ number: number }>(
    'SELECT v.number FROM setups s JOIN setup_versions v ON v.setup_id = s.id AND v.version = s.version WHERE s.id = ?',
    setupId,
  )
  return row?.number as number
}

function knownPlans(db: SqliteDatabase, setupId: string, setupVersion: number): Map<string, MonitorPlan> {
  const rows = db.all<{ version_number: number }>(
    'SELECT version_number FROM monitors WHERE setup_id = ? AND setup_version = ?',
    setupId,
    setupVersion,
  )
  if (rows.length === 0) return new Map()
  const versions = readMonitorVersions(
    db,
    rows.map((row) => row.version_number),
  )
  return new Map(versions.map((version) => [version.slug, planOf(version)]))
}

export function sampleMatches(db: SqliteDatabase, claim: ClaimedSetup, limit: number): MatchSample {
  const { looked_through: lookedThrough, first_match: firstMatch } = db.get<{
    looked_through: number
    first_match: number | null
  }>('SELECT looked_through, first_match FROM setups WHERE id = ?', claim.setup.id) ?? {
    looked_through: 0,
    first_match: null,
  }
  if (firstMatch === null) return { spanCount: 0, batches: [], through: lookedThrough }
  // Entries that were never bound count all spans; those that failed wait for spans they have not seen.
  const after = claim.setup.status === 'in_progress' ? 0 : lookedThrough
  const matches = db.all<{ batch_id: number; units: Uint8Array }>(
    'SELECT batch_id, units FROM matches WHERE batch_id >= ? AND batch_id > ? AND setup_version = ? ORDER BY batch_id',
    firstMatch,
    after,
    claim.setupVersion,
  )
  const chosen = spread(matches, limit)
  const batches = readWorkBatches(
    db,
    chosen.map((match) => match.batch_id),
  )
  const byId = new Map(batches.map((batch) => [batch.batchId, batch]))
  return {
    spanCount: matches.reduce((sum, { units }) => sum + countUnits(units), 0),
    batches: chosen.flatMap(({ batch_id, units }) => {
      const batch = byId.get(batch_id)
      return batch ? [{ batch, units }] : []
    }),
    through: matches.at(-1)?.batch_id ?? lookedThrough,
  }
}

export async function finishSetup(
  db: SqliteDatabase,
  claim: ClaimedSetup,
  outcome: SetupOutcome,
): Promise<boolean> {
  const { setup, setupVersion, lease } = claim
  const held = db.get(
    'SELECT 1 FROM setups WHERE id = ? AND lease = ? AND deleted_at_ms IS NULL',
    setup.id,
    lease,
  )
  if (!held) return false
  for (const entry of outcome.entries) {
    if ('plan' in entry) {
      const monitor = bindEntry(db, claim, entry, outcome.atMs)
      await assignRules(new SqliteSql(db), [{ monitor, rule: entry.verdictRule }])
    } else failEntry(db, setup.id, entry.slug, entry.errorMessage, outcome.atMs)
  }
  if (outcome.status === 'waiting_for_spans') {
    db.run(
      "UPDATE setup_entries SET status = 'pending' WHERE setup_id = ? AND status = 'in_progress'",
      setup.id,
    )
  }
  const canHeal = outcome.entries.some((entry) => 'canHeal' in entry && entry.canHeal)
  const isOpen = outcome.status === 'waiting_for_spans' || canHeal
  db.run(
    `UPDATE setups SET status = ?1, lease = NULL, lease_until_ms = ?6, looked_through = ?2, can_heal = ?3,
       first_match = CASE ?1 WHEN 'completed' THEN NULL ELSE first_match END,
       has_news = ?3 AND EXISTS (
         SELECT 1 FROM matches WHERE batch_id > ?2 AND batch_id >= first_match AND setup_version = ?4)
     WHERE id = ?5`,
    outcome.status,
    outcome.lookedThrough,
    isOpen ? 1 : 0,
    setupVersion,
    setup.id,
    canHeal ? Date.now() + HEAL_PAUSE_MS : 0,
  )
  return true
}

function failEntry(db: SqliteDatabase, setupId: string, slug: string, message: string, atMs: number): void {
  db.run(
    `UPDATE setup_entries SET status = 'failed', error_message = ?, binding_id = NULL, processed_at_ms = ?
     WHERE setup_id = ? AND slug = ?`,
    message,
    atMs,
    setupId,
    slug,
  )
  const monitor = db.get<{ number: number; version_number: number }>(
    'SELECT number, version_number FROM monitors WHERE setup_id = ? AND slug = ?',
    setupId,
    slug,
  )
  if (!monitor) return
  stopMonitor(db, monitor.number, atMs)
  cancelWork(db, [monitor.version_number], atMs)
}

/** The number of the monitor. */
function bindEntry(
  db: SqliteDatabase,
  { setup, setupVersion }: ClaimedSetup,
  { slug, plan, newMonitorId }: Extract<EntryOutcome, { plan: unknown }>,
  atMs: number,
): number {
  const current =
    db.get<MonitorRow>('SELECT * FROM monitors WHERE setup_id = ? AND slug = ?', setup.id, slug) ??
    insertMonitor(db, setup.id, plan, newMonitorId, atMs)
  const versionNumber = versionOf(db, current.number, plan, setupVersion, atMs)
  const facts = fillFacts(db, setup.id, current.version_number)
  const fill = fillRange(current, setupVersion, versionNumber, facts)
  db.run(
    `UPDATE monitors SET evaluator_id = ?, setup_version = ?, version_number = ?, is_judged = ?, is_gathered = ?,
       is_active = 1, fill_next = ?, fill_last = ?, updated_at_ms = ? WHERE number = ?`,
    plan.evaluatorId,
    setupVersion,
    versionNumber,
    Number(asksProvider(plan)),
    Number(plan.scope !== 'span'),
    fill.next,
    fill.last,
    atMs,
    current.number,
  )
  if (current.version_number !== versionNumber) {
    handOverJobs(db, current.version_number, versionNumber, plan)
    cancelWork(db, [current.version_number], atMs)
  }
  fillWorkOf(db, current.number)
  db.run(
    `UPDATE setup_entries SET status = 'completed', error_message = NULL, binding_id = ?, processed_at_ms = ?
     WHERE setup_id = ? AND slug = ?`,
    current.id,
    atMs,
    setup.id,
    slug,
  )
  return current.number
}

/** The new version of a monitor does the work that jobs had queued for the old one. */
function handOverJobs(db: SqliteDatabase, from: number, to: number, plan: MonitorPlan): void {
  db.run(
    `UPDATE OR IGNORE work SET monitor_version = ?, is_judged = ?, state = 0, lease = NULL
     WHERE state < 2 AND job_number > 0 AND monitor_version = ?`,
    to,
    Number(asksProvider(plan)),
    from,
  )
}

function insertMonitor(
  db: SqliteDatabase,
  setupId: string,
  plan: MonitorPlan,
  id: string,
  atMs: number,
): MonitorRow {
  db.run(
    `INSERT INTO monitors (id, project_number, setup_id, slug, evaluator_id, setup_version, version_number, is_active,
                           fill_next, fill_last, created_at_ms, updated_at_ms)
     SELECT ?, p.number, s.id, ?, ?, 0, 0, 0, 0, -1, ?, ? FROM setups s JOIN projects p ON p.id = s.project_id
     WHERE s.id = ?`,
    id,
    plan.slug,
    plan.evaluatorId,
    atMs,
    atMs,
    setupId,
  )
  return { number: db.lastInsertedId(), id, setup_version: 0, version_number: 0, fill_next: 0, fill_last: -1 }
}

/** The version with this plan and selector; the same again when there was one, so that its series goes on. */
function versionOf(
  db: SqliteDatabase,
  monitorNumber: number,
  plan: MonitorPlan,
  setupVersion: number,
  atMs: number,
): number {
  const selector = db.get<{ selector: string }>(
    'SELECT selector FROM setup_versions WHERE number = ?',
    setupVersion,
  )?.selector
  const hash = hashOf(selector, plan)
  const known = db.get<{ number: number }>(
    'SELECT number FROM monitor_versions WHERE monitor_number = ? AND hash = ?',
    monitorNumber,
    hash,
  )
  if (known) return known.number
  db.run(
    `INSERT INTO monitor_versions (monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                   sampling_rate, judge, skips, created_at_ms)
     VALUES (?1, (SELECT count(*) + 1 FROM monitor_versions WHERE monitor_number = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
    monitorNumber,
    hash,
    plan.evaluatorVersion,
    plan.scope,
    JSON.stringify(plan.config),
    JSON.stringify(plan.mapping),
    plan.samplingRate,
    plan.judge ?? null,
    plan.skips ?? null,
    atMs,
  )
  return db.lastInsertedId()
}

function fillFacts(db: SqliteDatabase, setupId: string, versionNumber: number): FillFacts {
  const newest = db.get<{ id: number | null }>('SELECT max(id) AS id FROM span_batches')?.id ?? 0
  const firstMatch =
    db.get<{ first_match: number | null }>('SELECT first_match FROM setups WHERE id = ?', setupId)
      ?.first_match ?? null
  const oldestOpen =
    db.get<{ batch_id: number | null }>(
      'SELECT min(batch_id) AS batch_id FROM work WHERE state < 2 AND job_number = 0 AND monitor_version = ?',
      versionNumber,
    )?.batch_id ?? null
  return { newest, firstMatch, oldestOpen }
}
