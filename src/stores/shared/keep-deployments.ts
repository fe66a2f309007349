import { APPLICATIONS_MAX, DEPLOYMENTS_PER_APPLICATION_MAX } from '../../domain/application.ts'
import type { DeploymentDigest } from '../../domain/trace-digest.ts'
import type { UnitBatch } from './join-trace.ts'
import { Rows, type Sql } from './sql.ts'

/** A later sight of a version is noted when it is this much later, so that few batches have to write it. */
const SEEN_MS = 60_000

/** A version that the spans of a batch came from. */
export interface BatchDeployment {
  readonly batch: UnitBatch
  readonly deployment: DeploymentDigest
}

type DeploymentRow = {
  readonly env_project_id: string
  readonly application: string
  readonly version: string
  readonly first_seen_ms: number
  readonly last_seen_ms: number
}

/** Notes the versions that batches of a project came from. The caller holds the project. */
export async function keepDeployments(
  tx: Sql,
  project: number,
  given: readonly BatchDeployment[],
): Promise<void> {
  if (given.length === 0) return
  const seen = Map.groupBy(joined(given), ownerOf)
  const known = Map.groupBy(await readOf(tx, project, [...seen.values()]), ownerOf)
  const isNew = (owner: string) => !known.has(owner)
  let room = [...seen.keys()].some(isNew) ? APPLICATIONS_MAX - (await countOwners(tx, project)) : 0
  const [written, dropped]: DeploymentRow[][] = [[], []]
  for (const [owner, rows] of seen) {
    if (isNew(owner) && room-- <= 0) continue
    const stored = new Map((known.get(owner) ?? []).map((row) => [row.version, row]))
    const merged = new Map(stored)
    for (const row of rows) merged.set(row.version, mergedWith(row, stored.get(row.version)))
    const newest = [...merged.values()].toSorted((left, right) => right.last_seen_ms - left.last_seen_ms)
    const kept = newest.slice(0, DEPLOYMENTS_PER_APPLICATION_MAX)
    written?.push(...kept.filter((row) => row !== stored.get(row.version)))
    dropped?.push(
      ...newest.slice(DEPLOYMENTS_PER_APPLICATION_MAX).filter(({ version }) => stored.has(version)),
    )
  }
  await write(tx, project, written ?? [])
  await drop(tx, project, dropped ?? [])
}

function ownerOf({ env_project_id: environment, application }: DeploymentRow): string {
  return JSON.stringify([environment, application])
}

/** Each version once. A span that tells no start, or one that lies ahead, began when it arrived. */
function joined(given: readonly BatchDeployment[]): DeploymentRow[] {
  const rows = new Map<string, DeploymentRow>()
  for (const { batch, deployment } of given) {
    const { application, version, firstMs, lastMs } = deployment
    const believed = (ms: number) => (ms === 0 ? batch.received_at_ms : Math.min(ms, batch.received_at_ms))
    const key = JSON.stringify([batch.env_project_id, application, version])
    const row = {
      ...{ env_project_id: batch.env_project_id, application, version },
      ...{ first_seen_ms: believed(firstMs), last_seen_ms: believed(lastMs) },
    }
    const known = rows.get(key)
    rows.set(key, known ? widest(row, known) : row)
  }
  return [...rows.values()]
}

/** The stored row itself where there is nothing worth writing. */
function mergedWith(row: DeploymentRow, stored: DeploymentRow | undefined): DeploymentRow {
  if (!stored) return row
  const isWithin =
    row.first_seen_ms >= stored.first_seen_ms && row.last_seen_ms < stored.last_seen_ms + SEEN_MS
  return isWithin ? stored : widest(row, stored)
}

function widest(left: DeploymentRow, right: DeploymentRow): DeploymentRow {
  return {
    ...left,
    first_seen_ms: Math.min(left.first_seen_ms, right.first_seen_ms),
    last_seen_ms: Math.max(left.last_seen_ms, right.last_seen_ms),
  }
}

const OWNER = { env_project_id: 'text', application: 'text' } as const

function readOf(
  tx: Sql,
  project: number,
  seen: readonly (readonly DeploymentRow[])[],
): Promise<DeploymentRow[]> {
  const owners = seen.flatMap(([row]) =>
    row ? [{ env_project_id: row.env_project_id, application: row.application }] : [],
  )
  return tx.all<DeploymentRow>(
    `SELECT d.env_project_id, d.application, d.version, d.first_seen_ms, d.last_seen_ms
     FROM ${tx.dialect.rows('$2', 'o', OWNER)} JOIN deployments d
       ON d.project_number = $1 AND d.env_project_id = o.env_project_id AND d.application = o.application`,
    project,
    new Rows(owners),
  )
}

async function countOwners(tx: Sql, project: number): Promise<number> {
  const row = await tx.get<{ count: number }>(
    `SELECT count(*) AS count FROM (
       SELECT DISTINCT env_project_id, application FROM deployments WHERE project_number = $1) AS owners`,
    project,
  )
  return row?.count ?? 0
}

async function write(tx: Sql, project: number, rows: readonly DeploymentRow[]): Promise<void> {
  if (rows.length === 0) return
  const columns = { ...OWNER, version: 'text', first_seen_ms: 'bigint', last_seen_ms: 'bigint' } as const
  await tx.run(
    `INSERT INTO deployments (project_number, env_project_id, application, version, first_seen_ms, last_seen_ms)
     SELECT CAST($1 AS BIGINT), w.env_project_id, w.application, w.version, w.first_seen_ms, w.last_seen_ms
     FROM ${tx.dialect.rows('$2', 'w', columns)} WHERE true
     ON CONFLICT (project_number, env_project_id, application, version)
     DO UPDATE SET first_seen_ms = excluded.first_seen_ms, last_seen_ms = excluded.last_seen_ms`,
    project,
    new Rows(rows),
  )
}

async function drop(tx: Sql, project: number, rows: readonly DeploymentRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.run(
    `DELETE FROM deployments WHERE project_number = $1 AND (env_project_id, application, version) IN (
       SELECT w.env_project_id, w.application, w.version FROM ${tx.dialect.rows('$2', 'w', { ...OWNER, version: 'text' })})`,
    project,
    new Rows(rows),
  )
}
