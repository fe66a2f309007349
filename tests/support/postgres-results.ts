import { PostgresDatabase } from '../../src/stores/postgres/postgres-database.ts'
import { beginRecording } from '../../src/stores/postgres/recording-order.ts'
import type { Sql } from '../../src/stores/shared/sql.ts'
import { recycledDatabase } from './postgres-store.ts'
import { recordingLogger } from './recording-logger.ts'

/** The scope of the project that `databaseWithMonitors` makes. */
export const RESULTS_SCOPE = { orgId: 'org', projectId: 'project', envProjectId: 'env' }

/** A database with one project and monitors of one version each, numbered from 1. */
export async function databaseWithMonitors(
  count: number,
): Promise<{ readonly url: string; readonly db: PostgresDatabase }> {
  const url = await recycledDatabase()
  const db = new PostgresDatabase({
    ...{
      url,
      connectionsMax: 6,
      statementMsMax: 300_000,
      connectMsMax: 300_000,
      logger: recordingLogger([]),
    },
  })
  await db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number) VALUES ('project', 'org', 'P', 'p', 0, 1);
    INSERT INTO environments VALUES ('env', 'project', 'prd', 0);
    INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value, status,
                        version, created_at_ms, updated_at_ms)
      VALUES ('setup', 'org', 'project', 'env', 'a', '', '', 'completed', 1, 0, 0);
    INSERT INTO monitors (number, id, project_number, setup_id, slug, evaluator_id, setup_version, version_number,
                          is_active, fill_next, fill_last, created_at_ms, updated_at_ms)
      SELECT n, 'monitor-' || n, 1, 'setup', 'slug-' || n, 'e', 1, n, 1, 0, -1, 0, 0 FROM generate_series(1, ${count}) n;
    INSERT INTO monitor_versions (number, monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                  sampling_rate, created_at_ms)
      SELECT number, number, 1, 'hash', 1, 'span', '{}', '{}', 1, 0 FROM monitors;`)
  return { url, db }
}

/** Stores evaluations as a worker does that records, within a transaction; the version is an expression of `n`, from 1. */
export async function recordEvaluations(
  tx: Sql,
  count: number,
  { version = '1', status = 'scored', output = `'{"v":' || n || '}'` } = {},
): Promise<void> {
  const nowMs = await beginRecording(tx, [1])
  await tx.run(
    `INSERT INTO evaluations (project_number, monitor_version, trace_id, span_id, status, value, output, batch_id, ordinal,
       unit_at_ms, duration_us, created_at_ms)
     SELECT 1, ${version}, uuid_send(gen_random_uuid()), substr(uuid_send(gen_random_uuid()), 1, 8), $2, n, ${output}, 1, n,
       n % 3 * 86400000, 0, $3 FROM generate_series(1, $1) n`,
    count,
    status,
    nowMs,
  )
}
