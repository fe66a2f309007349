import type { MonitorPlan } from '../../domain/monitor.ts'
import { countUnits } from '../../domain/unit-set.ts'
import { spread } from '../../lib/spread.ts'
import type { ClaimedSetup, EntryOutcome, MatchSample, SetupOutcome } from '../../ports/work-storage.ts'
import { planOf } from '../shared/monitor-rows.ts'
import { readSetupsById } from '../shared/setup-operations.ts'
import type { Sql } from '../shared/sql.ts'
import { bindEntries } from './bind-entries.ts'
import { NEXT_LEASE, NOW_MS } from './leases.ts'
import { lockProject } from './lock-project.ts'
import { cancelWork } from './monitor-operations.ts'
import { readMonitorVersions, readWorkBatches } from './work-operations.ts'

/** A setup with failed entries is not looked at again before this, however many spans match it meanwhile. */
const HEAL_PAUSE_MS = 500

export async function claimSetups(
  tx: Sql,
  holder: number,
  limit: number,
  leaseMs: number,
  writtenBeforeMs: number,
): Promise<ClaimedSetup[]> {
  // A setup that has failed entries keeps its state while they are looked at again: its monitors go on meanwhile.
  const claimed = await tx.all<{ id: string; lease: number }>(
    `WITH pending AS MATERIALIZED (
       SELECT id FROM setups WHERE deleted_at_ms IS NULL AND status IN ('pending', 'in_progress')
         AND (CASE status WHEN 'pending' THEN updated_at_ms < $1 ELSE lease_until_ms <= ${NOW_MS} END)
       ORDER BY id LIMIT $2 FOR UPDATE SKIP LOCKED),
     with_news AS MATERIALIZED (
       SELECT id FROM setups WHERE has_news = 1 AND deleted_at_ms IS NULL
         AND status IN ('waiting_for_spans', 'partial', 'failed') AND coalesce(lease_until_ms, 0) <= ${NOW_MS}
       LIMIT $2 - (SELECT count(*) FROM pending) FOR UPDATE SKIP LOCKED)
     UPDATE setups s SET lease = ${NEXT_LEASE}, lease_until_ms = ${NOW_MS} + $3, holder = $4, has_news = 0,
       status = CASE WHEN s.status IN ('pending', 'waiting_for_spans') THEN 'in_progress' ELSE s.status END
     FROM (SELECT id FROM pending UNION ALL SELECT id FROM with_news) AS chosen
     WHERE s.id = chosen.id RETURNING s.id, s.lease`,
    writtenBeforeMs,
    limit,
    leaseMs,
    holder,
  )
  if (claimed.length === 0) return []
  const ids = claimed.map(({ id }) => id)
  await tx.run(
    "UPDATE setup_entries SET status = 'in_progress' WHERE setup_id = ANY($1) AND status = 'pending'",
    ids,
  )
  const setups = await readSetupsById(tx, ids)
  const versions = await currentVersions(tx, ids)
  const plans = await knownPlans(tx, versions)
  const leases = new Map(claimed.map(({ id, lease }) => [id, lease]))
  return setups.map((setup) => ({
    setup,
    setupVersion: versions.get(setup.id) as number,
    lease: leases.get(setup.id) as number,
    knownPlans: plans.get(setup.id) ?? new Map(),
  }))
}

async function currentVersions(tx: Sql, setupIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await tx.all<{ id: string; number: number }>(
    `SELECT s.id, v.number FROM setups s JOIN setup_versions v ON v.setup_id = s.id AND v.version = s.version
     WHERE s.id = ANY($1)`,
    setupIds,
  )
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** The plans of each setup's entries from an earlier binding of its current version, by slug. */
async function knownPlans(
  tx: Sql,
  setupVersions: ReadonlyMap<string, number>,
): Promise<Map<string, Map<string, MonitorPlan>>> {
  const monitors = await tx.all<{ setup_id: string; version_number: number }>(
    'SELECT setup_id, version_number FROM monitors WHERE setup_id = ANY($1) AND setup_version = ANY($2)',
    [...setupVersions.keys()],
    [...setupVersions.values()],
  )
  const plans = new Map<string, Map<string, MonitorPlan>>()
  if (monitors.length === 0) return plans
  const setupOf = new Map(monitors.map((monitor) => [monitor.version_number, monitor.setup_id]))
  for (const version of await readMonitorVersions(tx, [...setupOf.keys()])) {
    const setupId = setupOf.get(version.number) as string
    plans.set(setupId, (plans.get(setupId) ?? new Map()).set(version.slug, planOf(version)))
  }
  return plans
}

export async function sampleMatches(db: Sql, claim: ClaimedSetup, limit: number): Promise<MatchSample> {
  const row = await db.get<{ looked_through: number; first_match: number | null; number: number }>(
    `SELECT s.looked_through, s.first_match, p.number FROM setups s JOIN projects p ON p.id = s.project_id
     WHERE s.id = $1`,
    claim.setup.id,
  )
  const lookedThrough = row?.looked_through ?? 0
  if (!row || row.first_match === null) return { spanCount: 0, batches: [], through: lookedThrough }
  // Entries that were never bound count all spans; those that failed wait for spans they have not seen.
  const after = claim.setup.status === 'in_progress' ? 0 : lookedThrough
  const matches = await db.all<{ batch_id: number; units: Uint8Array }>(
    `SELECT t.batch_id, t.units FROM span_batches b JOIN matches t ON t.batch_id = b.id AND t.setup_version = $4
     WHERE b.project_number = $1 AND b.id >= $2 AND b.id > $3 ORDER BY t.batch_id`,
    row.number,
    row.first_match,
    after,
    claim.setupVersion,
  )
  const chosen = spread(matches, limit)
  const batches = await readWorkBatches(
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

export async function finishSetup(tx: Sql, claim: ClaimedSetup, outcome: SetupOutcome): Promise<boolean> {
  const { setup, setupVersion, lease } = claim
  const project = await lockProject(tx, setup)
  const held = await tx.get<{ first_match: number | null }>(
    'SELECT first_match FROM setups WHERE id = $1 AND lease = $2 AND deleted_at_ms IS NULL FOR UPDATE',
    setup.id,
    lease,
  )
  if (!held) return false
  const bound = outcome.entries.filter((entry) => 'plan' in entry)
  const failed = outcome.entries.filter((entry) => 'errorMessage' in entry)
  await failEntries(tx, setup.id, failed, outcome.atMs)
  await bindEntries(
    tx,
    { setupId: setup.id, setupVersion, projectNumber: project.number, firstMatch: held.first_match },
    bound,
    outcome.atMs,
  )
  if (outcome.status === 'waiting_for_spans') {
    await tx.run(
      "UPDATE setup_entries SET status = 'pending' WHERE setup_id = $1 AND status = 'in_progress'",
      setup.id,
    )
  }
  const canHeal = failed.some((entry) => entry.canHeal)
  const isOpen = outcome.status === 'waiting_for_spans' || canHeal
  await tx.run(
    `UPDATE setups SET status = $1::text, lease = NULL, holder = NULL,
       lease_until_ms = CASE WHEN $2::boolean THEN ${NOW_MS} + ${HEAL_PAUSE_MS} ELSE 0 END,
       looked_through = $3::bigint, can_heal = $4::smallint,
       first_match = CASE $1::text WHEN 'completed' THEN NULL ELSE first_match END,
       has_news = CASE WHEN $4::smallint = 1 AND EXISTS (
         SELECT 1 FROM span_batches b JOIN matches t ON t.batch_id = b.id AND t.setup_version = $5
         WHERE b.project_number = $6 AND b.id > $3::bigint AND b.id >= first_match) THEN 1 ELSE 0 END
     WHERE id = $7`,
    outcome.status,
    canHeal,
    outcome.lookedThrough,
    isOpen ? 1 : 0,
    setupVersion,
    project.number,
    setup.id,
  )
  return true
}

type FailedEntry = Extract<EntryOutcome, { errorMessage: unknown }>

async function failEntries(
  tx: Sql,
  setupId: string,
  entries: readonly FailedEntry[],
  atMs: number,
): Promise<void> {
  if (entries.length === 0) return
  const slugs = entries.map(({ slug }) => slug)
  await tx.run(
    `UPDATE setup_entries e SET status = 'failed', error_message = f.message, binding_id = NULL, processed_at_ms = $1
     FROM unnest($3::text[], $4::text[]) AS f (slug, message) WHERE e.setup_id = $2 AND e.slug = f.slug`,
    atMs,
    setupId,
    slugs,
    entries.map(({ errorMessage }) => errorMessage),
  )
  const monitors = await tx.all<{ version_number: number }>(
    `UPDATE monitors SET is_active = 0, updated_at_ms = CASE is_active WHEN 1 THEN $1 ELSE updated_at_ms END
     WHERE setup_id = $2 AND slug = ANY($3) RETURNING version_number`,
    atMs,
    setupId,
    slugs,
  )
  const versions = monitors.map((monitor) => monitor.version_number)
  await cancelWork(tx, versions, atMs)
}
