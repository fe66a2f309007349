import type { ProjectTenant } from '../../domain/tenant.ts'
import type {
  Application,
  ApplicationCounts,
  ApplicationCountsQuery,
  Deployment,
  DeploymentQuery,
} from '../../ports/application-storage.ts'
import { hourOf } from './application-rollups.ts'
import { projectOf } from './project-of.ts'
import type { Sql, SqlValue } from './sql.ts'
import { numberPlaces, Where } from './where.ts'

const HOUR_MS = 3_600_000

export async function listApplications(
  db: Sql,
  tenant: ProjectTenant,
  { limit, afterName }: { readonly limit: number; readonly afterName?: string },
): Promise<Application[]> {
  const where = new Where<SqlValue>()
    .and('project_number = ?', (await projectOf(db, tenant)).number)
    .and('name > ?', afterName)
  const rows = await db.all<{ name: string; first_seen_ms: number; last_seen_ms: number }>(
    numberPlaces(
      `SELECT name, first_seen_ms, last_seen_ms FROM applications WHERE ${where.sql} ORDER BY name LIMIT ?`,
    ),
    ...where.values,
    limit,
  )
  return rows.map((row) => ({
    name: row.name,
    firstSeenMs: row.first_seen_ms,
    lastSeenMs: row.last_seen_ms,
  }))
}

interface CountsRow {
  readonly name: string | null
  readonly id: string
  readonly version: number
  readonly bucket: number
  readonly passed: number
  readonly failed: number
  readonly neutral: number
  readonly not_scored: number
}

export async function readApplicationCounts(
  db: Sql,
  tenant: ProjectTenant,
  { fromMs, toMs, bucketMs, application }: ApplicationCountsQuery,
): Promise<ApplicationCounts[]> {
  const where = new Where<SqlValue>()
    .and('m.project_number = ?', (await projectOf(db, tenant)).number)
    .and('r.hour >= ?', hourOf(fromMs))
    .and('r.hour < ?', Math.ceil(toMs / HOUR_MS))
    .and('a.name = ?', application)
  const rows = await db.all<CountsRow>(
    numberPlaces(
      `SELECT a.name, m.id, v.version, r.hour / CAST(? AS bigint) AS bucket, sum(r.passed) AS passed,
         sum(r.failed) AS failed, sum(r.neutral) AS neutral, sum(r.not_scored) AS not_scored
       FROM monitors m JOIN monitor_versions v ON v.monitor_number = m.number
       JOIN application_rollups r ON r.monitor_version = v.number LEFT JOIN applications a ON a.number = r.application
       WHERE ${where.sql} GROUP BY a.name, m.id, v.version, bucket ORDER BY bucket, m.id, v.version, a.name`,
    ),
    Math.round(bucketMs / HOUR_MS),
    ...where.values,
  )
  return rows.map((row) => ({
    ...(row.name === null ? {} : { application: row.name }),
    monitorId: row.id,
    version: row.version,
    startMs: row.bucket * bucketMs,
    pass: row.passed,
    fail: row.failed,
    neutral: row.neutral,
    notScored: row.not_scored,
  }))
}

interface DeploymentRow {
  readonly environment: string
  readonly application: string
  readonly version: string
  readonly first_seen_ms: number
  readonly last_seen_ms: number
  readonly previous_version: string | null
}

/** The order of the list, from the end to the beginning. */
const ORDER = ['d.first_seen_ms', 'n.slug', 'd.application', 'd.version']

export async function listDeployments(
  db: Sql,
  tenant: ProjectTenant,
  { fromMs, toMs, application, limit, after }: DeploymentQuery,
): Promise<Deployment[]> {
  const where = new Where<SqlValue>()
    .and('d.project_number = ?', (await projectOf(db, tenant)).number)
    .and('d.first_seen_ms >= ?', fromMs)
    .and('d.first_seen_ms < ?', toMs)
    .and('d.application = ?', application)
    .and(
      `(${ORDER.join(', ')}) < (?, ?, ?, ?)`,
      after?.firstSeenMs,
      after?.environment,
      after?.application,
      after?.version,
    )
  const rows = await db.all<DeploymentRow>(
    numberPlaces(
      `SELECT n.slug AS environment, d.application, d.version, d.first_seen_ms, d.last_seen_ms, (
         SELECT p.version FROM deployments p
         WHERE p.project_number = d.project_number AND p.env_project_id = d.env_project_id
           AND p.application = d.application AND (p.first_seen_ms, p.version) < (d.first_seen_ms, d.version)
         ORDER BY p.first_seen_ms DESC, p.version DESC LIMIT 1) AS previous_version
       FROM deployments d JOIN environments n ON n.env_project_id = d.env_project_id
       WHERE ${where.sql} ORDER BY ${ORDER.map((column) => `${column} DESC`).join(', ')} LIMIT ?`,
    ),
    ...where.values,
    limit,
  )
  return rows.map((row) => ({
    environment: row.environment,
    application: row.application,
    version: row.version,
    firstSeenMs: row.first_seen_ms,
    lastSeenMs: row.last_seen_ms,
    ...(row.previous_version === null ? {} : { previousVersion: row.previous_version }),
  }))
}
