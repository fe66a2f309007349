import { definitionOf, type Setup } from '../../domain/setup.ts'
import type { ProjectRow, Sql } from '../shared/sql.ts'
import { stopMonitorsOf } from './monitor-operations.ts'

/** A setup as it is to be, and as it is stored where it is not new. */
export interface WrittenSetup {
  readonly stored?: Setup
  readonly setup: Setup
}

type ReplacedSetup = Required<WrittenSetup>

/**
 * Writes setups of one project, which the caller has locked. However many they are, it takes a handful of statements, and
 * together they make one new revision of the catalogue, or none where nothing really changed.
 */
export async function writeSetups(
  tx: Sql,
  project: ProjectRow,
  written: readonly WrittenSetup[],
): Promise<void> {
  const created = written.filter(({ stored }) => !stored).map(({ setup }) => setup)
  const replaced = written.filter((item): item is ReplacedSetup => item.stored !== undefined)
  const changed = replaced.filter(hasNewVersion)
  if (created.length > 0) await insertSetups(tx, created)
  if (replaced.length > 0) await updateSetups(tx, replaced)
  if (created.length + changed.length > 0) {
    const revision = await nextRevision(tx, project)
    await endVersions(
      tx,
      changed.map(({ stored }) => stored),
      revision,
    )
    await insertVersions(tx, project, [...created, ...changed.map(({ setup }) => setup)], revision)
  }
  await insertEntries(
    tx,
    written.map(({ setup }) => setup),
  )
}

/** The catalogue of a project is another one from now on. */
export async function nextRevision(tx: Sql, { number }: ProjectRow): Promise<number> {
  const row = await tx.get<{ catalogue_revision: number }>(
    `UPDATE projects SET catalogue_revision = catalogue_revision + 1 WHERE number = $1 RETURNING catalogue_revision`,
    number,
  )
  return row?.catalogue_revision as number
}

/** The current versions of these setups end with a revision. */
export async function endVersions(tx: Sql, setups: readonly Setup[], revision: number): Promise<void> {
  if (setups.length === 0) return
  await tx.run(
    `UPDATE setup_versions v SET revision_to = $3
     FROM unnest($1::text[], $2::bigint[]) AS ended (setup_id, version)
     WHERE v.setup_id = ended.setup_id AND v.version = ended.version`,
    setups.map(({ id }) => id),
    setups.map(({ version }) => version),
    revision,
  )
}

async function insertSetups(tx: Sql, setups: readonly Setup[]): Promise<void> {
  await tx.run(
    `INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value,
                         status, version, created_at_ms, updated_at_ms)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
                          $8::text[], $9::bigint[], $10::bigint[], $11::bigint[])`,
    setups.map(({ id }) => id),
    setups.map(({ orgId }) => orgId),
    setups.map(({ projectId }) => projectId),
    setups.map(({ envProjectId }) => envProjectId),
    setups.map(({ externalId }) => externalId),
    setups.map(({ entityType }) => entityType),
    setups.map(({ entityValue }) => entityValue),
    setups.map(({ status }) => status),
    setups.map(({ version }) => version),
    setups.map(({ createdAtMs }) => createdAtMs),
    setups.map(({ updatedAtMs }) => updatedAtMs),
  )
}

/** What they were doing ends: whoever has claimed one of them can no longer finish it. */
async function updateSetups(tx: Sql, replaced: readonly ReplacedSetup[]): Promise<void> {
  const setups = replaced.map(({ setup }) => setup)
  const ids = setups.map(({ id }) => id)
  await tx.run(
    `UPDATE setups s SET entity_type = r.entity_type, entity_value = r.entity_value, status = r.status,
       version = r.version, updated_at_ms = r.updated_at_ms, lease = NULL, holder = NULL, has_news = 0, can_heal = 1,
       first_match = CASE WHEN s.version = r.version THEN s.first_match END
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
       AS r (id, entity_type, entity_value, status, version, updated_at_ms)
     WHERE s.id = r.id`,
    ids,
    setups.map(({ entityType }) => entityType),
    setups.map(({ entityValue }) => entityValue),
    setups.map(({ status }) => status),
    setups.map(({ version }) => version),
    setups.map(({ updatedAtMs }) => updatedAtMs),
  )
  await tx.run('DELETE FROM setup_entries WHERE setup_id = ANY($1)', ids)
  await stopReplaced(tx, replaced)
}

/** A file that is applied again unchanged leads back to the same monitors, so their queue is kept for them. */
async function stopReplaced(tx: Sql, replaced: readonly ReplacedSetup[]): Promise<void> {
  const atMs = Math.max(...replaced.map(({ setup }) => setup.updatedAtMs))
  for (const keepsWork of [true, false]) {
    const ids = replaced.filter((item) => hasNewVersion(item) !== keepsWork).map(({ setup }) => setup.id)
    if (ids.length > 0) await stopMonitorsOf(tx, ids, { keepsWork }, atMs)
  }
}

async function insertVersions(
  tx: Sql,
  project: ProjectRow,
  setups: readonly Setup[],
  revision: number,
): Promise<void> {
  const definitions = setups.map(definitionOf)
  await tx.run(
    `INSERT INTO setup_versions (setup_id, version, selector, evaluators, created_at_ms, project_number, revision_from)
     SELECT v.*, $6, $7 FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) AS v`,
    setups.map(({ id }) => id),
    setups.map(({ version }) => version),
    definitions.map(({ selector }) => JSON.stringify(selector)),
    definitions.map(({ evaluators }) => JSON.stringify(evaluators)),
    setups.map(({ updatedAtMs }) => updatedAtMs),
    project.number,
    revision,
  )
}

async function insertEntries(tx: Sql, setups: readonly Setup[]): Promise<void> {
  const entries = setups.flatMap(({ id, entries }) =>
    entries.map((entry, position) => ({ ...entry, setupId: id, position })),
  )
  if (entries.length === 0) return
  await tx.run(
    `INSERT INTO setup_entries (setup_id, position, slug, evaluator_id, override, status)
     SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])`,
    entries.map(({ setupId }) => setupId),
    entries.map(({ position }) => position),
    entries.map(({ slug }) => slug),
    entries.map(({ evaluatorId }) => evaluatorId),
    entries.map(({ override }) => JSON.stringify(override)),
    entries.map(({ status }) => status),
  )
}

function hasNewVersion({ stored, setup }: ReplacedSetup): boolean {
  return setup.version !== stored.version
}
