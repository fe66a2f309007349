import { definitionOf, type Setup } from '../../domain/setup.ts'
import { type ColumnTypes, type ProjectRow, Rows, type Sql } from './sql.ts'

/** A setup as it is to be, and as it is stored where it is not new. */
export interface WrittenSetup {
  readonly stored?: Setup
  readonly setup: Setup
}

type ReplacedSetup = Required<WrittenSetup>

/** Stops all monitors of setups. Their work is cancelled unless the same version may go on with it later. */
export type StopMonitors<Tx extends Sql> = (
  tx: Tx,
  setupIds: readonly string[],
  options: { readonly keepsWork: boolean },
  atMs: number,
) => Promise<void>

/**
 * Writes setups of one project, which the caller has locked. However many they are, it takes a handful of statements, and
 * together they make one new revision of the catalogue, or none where nothing really changed.
 */
export async function writeSetups<Tx extends Sql>(
  tx: Tx,
  project: ProjectRow,
  written: readonly WrittenSetup[],
  stopMonitors: StopMonitors<Tx>,
): Promise<void> {
  const created = written.filter(({ stored }) => !stored).map(({ setup }) => setup)
  const replaced = written.filter((item): item is ReplacedSetup => item.stored !== undefined)
  const changed = replaced.filter(hasNewVersion)
  if (created.length > 0) await insertSetups(tx, created)
  if (replaced.length > 0) {
    await updateSetups(tx, replaced)
    await stopReplaced(tx, replaced, stopMonitors)
  }
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
    `UPDATE setup_versions AS v SET revision_to = $2
     FROM ${tx.dialect.rows('$1', 'ended', { setup_id: 'text', version: 'bigint' })}
     WHERE v.setup_id = ended.setup_id AND v.version = ended.version`,
    new Rows(setups.map(({ id, version }) => ({ setup_id: id, version }))),
    revision,
  )
}

const SETUP_TYPES: ColumnTypes = {
  ...{ id: 'text', org_id: 'text', project_id: 'text', env_project_id: 'text', external_id: 'text' },
  ...{ entity_type: 'text', entity_value: 'text', status: 'text', version: 'bigint' },
  ...{ created_at_ms: 'bigint', updated_at_ms: 'bigint' },
}

function toSetupColumns(setup: Setup) {
  return {
    ...{ id: setup.id, org_id: setup.orgId, project_id: setup.projectId, env_project_id: setup.envProjectId },
    ...{ external_id: setup.externalId, entity_type: setup.entityType, entity_value: setup.entityValue },
    ...{ status: setup.status, version: setup.version },
    ...{ created_at_ms: setup.createdAtMs, updated_at_ms: setup.updatedAtMs },
  }
}

async function insertSetups(tx: Sql, setups: readonly Setup[]): Promise<void> {
  const columns = Object.keys(SETUP_TYPES).join(', ')
  await tx.run(
    `INSERT INTO setups (${columns}) SELECT ${columns} FROM ${tx.dialect.rows('$1', 'given', SETUP_TYPES)}`,
    new Rows(setups.map(toSetupColumns)),
  )
}

/** Claims on the setups end: a worker that has claimed one of them can no longer finish it. */
async function updateSetups(tx: Sql, replaced: readonly ReplacedSetup[]): Promise<void> {
  const setups = replaced.map(({ setup }) => setup)
  await tx.run(
    `UPDATE setups AS s SET entity_type = r.entity_type, entity_value = r.entity_value, status = r.status,
       version = r.version, updated_at_ms = r.updated_at_ms, ${tx.dialect.released}, has_news = 0, can_heal = 1,
       first_match = CASE WHEN s.version = r.version THEN s.first_match END
     FROM ${tx.dialect.rows('$1', 'r', SETUP_TYPES)} WHERE s.id = r.id`,
    new Rows(setups.map(toSetupColumns)),
  )
  await tx.run(
    `DELETE FROM setup_entries WHERE ${tx.dialect.oneOf('setup_id', '$1')}`,
    setups.map(({ id }) => id),
  )
}

/** A file that is applied again unchanged leads back to the same monitors, so their queue is kept for them. */
async function stopReplaced<Tx extends Sql>(
  tx: Tx,
  replaced: readonly ReplacedSetup[],
  stopMonitors: StopMonitors<Tx>,
): Promise<void> {
  const atMs = Math.max(...replaced.map(({ setup }) => setup.updatedAtMs))
  for (const keepsWork of [true, false]) {
    const ids = replaced.filter((item) => hasNewVersion(item) !== keepsWork).map(({ setup }) => setup.id)
    if (ids.length > 0) await stopMonitors(tx, ids, { keepsWork }, atMs)
  }
}

const VERSION_TYPES: ColumnTypes = {
  ...{ setup_id: 'text', version: 'bigint', selector: 'text', evaluators: 'text' },
  created_at_ms: 'bigint',
}

/** Stores the versions that setups have now, valid from a revision on. */
export async function insertVersions(
  tx: Sql,
  project: ProjectRow,
  setups: readonly Setup[],
  revision: number,
): Promise<void> {
  const columns = Object.keys(VERSION_TYPES).join(', ')
  await tx.run(
    `INSERT INTO setup_versions (${columns}, number, project_number, revision_from)
     SELECT ${columns}, ${tx.dialect.nextSetupVersion}, $2, $3
     FROM ${tx.dialect.rows('$1', 'given', VERSION_TYPES)}`,
    new Rows(
      setups.map((setup) => {
        const { selector, evaluators } = definitionOf(setup)
        return {
          ...{ setup_id: setup.id, version: setup.version, created_at_ms: setup.updatedAtMs },
          ...{ selector: JSON.stringify(selector), evaluators: JSON.stringify(evaluators) },
        }
      }),
    ),
    project.number,
    revision,
  )
}

const ENTRY_TYPES: ColumnTypes = {
  ...{ setup_id: 'text', position: 'bigint' },
  ...{ slug: 'text', evaluator_id: 'text', override: 'text', status: 'text' },
}

async function insertEntries(tx: Sql, setups: readonly Setup[]): Promise<void> {
  const entries = setups.flatMap(({ id, entries }) =>
    entries.map(({ slug, evaluatorId, override, status }, position) => ({
      ...{ setup_id: id, position, slug, evaluator_id: evaluatorId },
      ...{ override: JSON.stringify(override), status },
    })),
  )
  if (entries.length === 0) return
  const columns = Object.keys(ENTRY_TYPES).join(', ')
  await tx.run(
    `INSERT INTO setup_entries (${columns}) SELECT ${columns} FROM ${tx.dialect.rows('$1', 'given', ENTRY_TYPES)}`,
    new Rows(entries),
  )
}

function hasNewVersion({ stored, setup }: ReplacedSetup): boolean {
  return setup.version !== stored.version
}
