import { asksProvider, type MonitorPlan } from '../../domain/monitor.ts'
import type { EntryOutcome } from '../../ports/work-storage.ts'
import { fillRange, hashOf, type MonitorRow } from '../shared/monitor-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { assignRules } from '../shared/verdict-operations.ts'
import { cancelWork, fillWorkOf } from './monitor-operations.ts'

/** A setup whose project and row are held. */
export interface HeldSetup {
  readonly setupId: string
  readonly setupVersion: number
  readonly projectNumber: number
  readonly firstMatch: number | null
}

/** The version of a monitor that was only just made. */
const NO_VERSION = 0

type BoundEntry = Extract<EntryOutcome, { plan: unknown }>

/** An entry with its monitor and the version of it that does what was bound. */
interface Binding {
  readonly entry: BoundEntry
  readonly monitor: MonitorRow
  readonly versionNumber: number
}

/** Makes the monitors of entries, or takes up those that they had, and the work for what matched before. */
export async function bindEntries(
  tx: Sql,
  setup: HeldSetup,
  entries: readonly BoundEntry[],
  atMs: number,
): Promise<void> {
  if (entries.length === 0) return
  const monitors = await monitorsOf(tx, setup, entries, atMs)
  const versions = await versionsOf(tx, setup, entries, monitors, atMs)
  const bindings = entries.map((entry, at) => ({
    entry,
    monitor: monitors.get(entry.slug) as MonitorRow,
    versionNumber: versions[at] as number,
  }))
  // Before any work is held: a rule that changes waits for those who record, and they hold the right to do so before their work.
  await assignRules(
    tx,
    bindings.map(({ monitor, entry }) => ({ monitor: monitor.number, rule: entry.verdictRule })),
  )
  await startMonitors(tx, setup, bindings, atMs)
  const replaced = bindings.filter(
    ({ monitor, versionNumber }) =>
      monitor.version_number !== NO_VERSION && monitor.version_number !== versionNumber,
  )
  await handOverJobs(tx, replaced)
  await cancelWork(
    tx,
    replaced.map(({ monitor }) => monitor.version_number),
    atMs,
  )
  for (const { monitor } of bindings) await fillWorkOf(tx, monitor.number)
  await completeEntries(tx, setup, bindings, atMs)
}

async function monitorsOf(
  tx: Sql,
  { setupId, projectNumber }: HeldSetup,
  entries: readonly BoundEntry[],
  atMs: number,
): Promise<Map<string, MonitorRow>> {
  await tx.run(
    `INSERT INTO monitors (id, project_number, setup_id, slug, evaluator_id, setup_version, version_number, is_active,
                           fill_next, fill_last, created_at_ms, updated_at_ms, verdict_rule)
     SELECT n.id, $1, $2, n.slug, n.evaluator_id, 0, ${NO_VERSION}, 0, 0, -1, $3::bigint, $3::bigint, n.verdict_rule
     FROM unnest($4::text[], $5::text[], $6::text[], $7::text[])
       WITH ORDINALITY AS n (id, slug, evaluator_id, verdict_rule, place)
     WHERE NOT EXISTS (SELECT 1 FROM monitors m WHERE m.setup_id = $2 AND m.slug = n.slug) ORDER BY n.place`,
    projectNumber,
    setupId,
    atMs,
    entries.map(({ newMonitorId }) => newMonitorId),
    entries.map(({ slug }) => slug),
    entries.map(({ plan }) => plan.evaluatorId),
    // A monitor that was made just now has recorded nothing, so that its first rule waits for no one.
    entries.map(({ verdictRule }) => JSON.stringify(verdictRule)),
  )
  const rows = await tx.all<MonitorRow & { slug: string }>(
    `SELECT slug, number, id, setup_version, version_number, fill_next, fill_last FROM monitors
     WHERE setup_id = $1 AND slug = ANY($2)`,
    setupId,
    entries.map(({ slug }) => slug),
  )
  return new Map(rows.map((row) => [row.slug, row]))
}

/** The versions with these plans and selector; the same again where there was one, so that its series goes on. */
async function versionsOf(
  tx: Sql,
  { setupVersion }: HeldSetup,
  entries: readonly BoundEntry[],
  monitors: ReadonlyMap<string, MonitorRow>,
  atMs: number,
): Promise<number[]> {
  const row = await tx.get<{ selector: string }>(
    'SELECT selector FROM setup_versions WHERE number = $1',
    setupVersion,
  )
  const wanted = entries.map(({ slug, plan }) => ({
    plan,
    monitorNumber: (monitors.get(slug) as MonitorRow).number,
    hash: hashOf(row?.selector, plan),
  }))
  await insertVersions(tx, wanted, atMs)
  const rows = await tx.all<{ number: number; monitor_number: number; hash: string }>(
    'SELECT number, monitor_number, hash FROM monitor_versions WHERE monitor_number = ANY($1) AND hash = ANY($2)',
    wanted.map(({ monitorNumber }) => monitorNumber),
    wanted.map(({ hash }) => hash),
  )
  const numbers = new Map(rows.map((known) => [`${known.monitor_number} ${known.hash}`, known.number]))
  return wanted.map(({ monitorNumber, hash }) => numbers.get(`${monitorNumber} ${hash}`) as number)
}

async function insertVersions(
  tx: Sql,
  wanted: readonly {
    readonly plan: MonitorPlan
    readonly monitorNumber: number
    readonly hash: string
  }[],
  atMs: number,
): Promise<void> {
  await tx.run(
    `INSERT INTO monitor_versions (monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                   sampling_rate, judge, skips, created_at_ms)
     SELECT n.monitor_number, (SELECT count(*) + 1 FROM monitor_versions v WHERE v.monitor_number = n.monitor_number),
       n.hash, n.evaluator_version, n.scope, n.config, n.mapping, n.sampling_rate, n.judge, n.skips, $1
     FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::float8[], $9::text[],
       $10::text[])
       WITH ORDINALITY AS n (monitor_number, hash, evaluator_version, scope, config, mapping, sampling_rate, judge, skips, place)
     WHERE NOT EXISTS (SELECT 1 FROM monitor_versions v WHERE v.monitor_number = n.monitor_number AND v.hash = n.hash)
     ORDER BY n.place`,
    atMs,
    wanted.map(({ monitorNumber }) => monitorNumber),
    wanted.map(({ hash }) => hash),
    wanted.map(({ plan }) => plan.evaluatorVersion),
    wanted.map(({ plan }) => plan.scope),
    wanted.map(({ plan }) => JSON.stringify(plan.config)),
    wanted.map(({ plan }) => JSON.stringify(plan.mapping)),
    wanted.map(({ plan }) => plan.samplingRate),
    wanted.map(({ plan }) => plan.judge ?? null),
    wanted.map(({ plan }) => plan.skips ?? null),
  )
}

async function startMonitors(
  tx: Sql,
  setup: HeldSetup,
  bindings: readonly Binding[],
  atMs: number,
): Promise<void> {
  const newest = await tx.get<{ id: number | null }>(
    'SELECT max(id) AS id FROM span_batches WHERE project_number = $1',
    setup.projectNumber,
  )
  const open = await tx.all<{ monitor_version: number; oldest: number }>(
    `SELECT monitor_version, min(batch_id) AS oldest FROM work
     WHERE state < 2 AND job_number = 0 AND monitor_version = ANY($1) GROUP BY monitor_version`,
    bindings.map(({ monitor }) => monitor.version_number),
  )
  const oldestOpen = new Map(open.map((row) => [row.monitor_version, row.oldest]))
  const fills = bindings.map(({ monitor, versionNumber }) =>
    fillRange(monitor, setup.setupVersion, versionNumber, {
      newest: newest?.id ?? 0,
      firstMatch: setup.firstMatch,
      oldestOpen: oldestOpen.get(monitor.version_number) ?? null,
    }),
  )
  await tx.run(
    `UPDATE monitors m SET evaluator_id = b.evaluator_id, setup_version = $1, version_number = b.version_number,
       is_judged = b.is_judged, is_gathered = b.is_gathered, is_active = 1, fill_next = b.fill_next,
       fill_last = b.fill_last, updated_at_ms = $2
     FROM unnest($3::bigint[], $4::text[], $5::bigint[], $6::smallint[], $7::smallint[], $8::bigint[], $9::bigint[])
       AS b (number, evaluator_id, version_number, is_judged, is_gathered, fill_next, fill_last)
     WHERE m.number = b.number`,
    setup.setupVersion,
    atMs,
    bindings.map(({ monitor }) => monitor.number),
    bindings.map(({ entry }) => entry.plan.evaluatorId),
    bindings.map(({ versionNumber }) => versionNumber),
    bindings.map(({ entry }) => Number(asksProvider(entry.plan))),
    bindings.map(({ entry }) => Number(entry.plan.scope !== 'span')),
    fills.map(({ next }) => next),
    fills.map(({ last }) => last),
  )
}

/** The new version of a monitor does the work that jobs had queued for the old one. */
async function handOverJobs(tx: Sql, replaced: readonly Binding[]): Promise<void> {
  if (replaced.length === 0) return
  await tx.run(
    `WITH open AS MATERIALIZED (
       SELECT w.batch_id, w.monitor_version, w.job_number, r.to_version, r.is_judged
       FROM work w JOIN unnest($1::bigint[], $2::bigint[], $3::smallint[]) AS r (from_version, to_version, is_judged)
         ON r.from_version = w.monitor_version
       WHERE w.state < 2 AND w.job_number > 0 AND NOT EXISTS (
         SELECT 1 FROM work o
         WHERE o.batch_id = w.batch_id AND o.monitor_version = r.to_version AND o.job_number = w.job_number)
       ORDER BY w.batch_id, w.monitor_version, w.job_number FOR UPDATE OF w)
     UPDATE work w SET monitor_version = o.to_version, is_judged = o.is_judged, state = 0, lease = NULL, holder = NULL
     FROM open o
     WHERE w.batch_id = o.batch_id AND w.monitor_version = o.monitor_version AND w.job_number = o.job_number`,
    replaced.map(({ monitor }) => monitor.version_number),
    replaced.map(({ versionNumber }) => versionNumber),
    replaced.map(({ entry }) => Number(asksProvider(entry.plan))),
  )
}

async function completeEntries(
  tx: Sql,
  { setupId }: HeldSetup,
  bindings: readonly Binding[],
  atMs: number,
): Promise<void> {
  await tx.run(
    `UPDATE setup_entries e SET status = 'completed', error_message = NULL, binding_id = b.id, processed_at_ms = $1
     FROM unnest($3::text[], $4::text[]) AS b (slug, id) WHERE e.setup_id = $2 AND e.slug = b.slug`,
    atMs,
    setupId,
    bindings.map(({ entry }) => entry.slug),
    bindings.map(({ monitor }) => monitor.id),
  )
}
