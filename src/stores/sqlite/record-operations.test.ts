import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import type { UnitOutcome } from '../../domain/evaluation.ts'
import { getMonitor } from '../shared/monitor-result-operations.ts'
import { readSeries } from '../shared/series-operations.ts'
import { listEvaluations } from './evaluation-operations.ts'
import { migrate } from './migrate.ts'
import { recordGeneration } from './record-operations.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'

const MINUTE_MS = 60_000
const tenant = { orgId: 'org', projectId: 'project' }

function storeWithMonitor(): SqliteDatabase {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number) VALUES ('project', 'org', 'P', 'p', 0, 1);
    INSERT INTO environments VALUES ('env', 'project', 'prd', 0);
    INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value, status,
                        version, created_at_ms, updated_at_ms)
      VALUES ('setup', 'org', 'project', 'env', 'a', '', '', 'completed', 1, 0, 0);
    INSERT INTO monitors (number, id, project_number, setup_id, slug, evaluator_id, setup_version, version_number,
                          is_active, fill_next, fill_last, created_at_ms, updated_at_ms)
      VALUES (1, 'monitor', 1, 'setup', 'slug', 'e', 1, 1, 1, 0, -1, 0, 0);
    INSERT INTO monitor_versions (number, monitor_number, version, hash, evaluator_version, scope, config, mapping,
                                  sampling_rate, created_at_ms)
      VALUES (1, 1, 1, 'hash', 1, 'trace', '{}', '{}', 1, 0);`)
  return db
}

function outcome(unit: number, given: Partial<UnitOutcome>): UnitOutcome {
  return {
    ordinal: 0,
    traceId: unit.toString(16).padStart(32, '0'),
    spanId: '',
    unitAtMs: 0,
    status: 'scored',
    durationUs: 1,
    ...given,
  }
}

function record(db: SqliteDatabase, given: UnitOutcome, generation = 1, superseded: number | null = null) {
  return recordGeneration(db, { projectNumber: 1, monitorVersion: 1, outcome: given, generation, superseded })
}

function series(db: SqliteDatabase, property = 'v') {
  const query = { monitorId: 'monitor', property, fromMs: 0, toMs: 10 * MINUTE_MS, bucketMs: MINUTE_MS }
  return readSeries(new SqliteSql(db), tenant, { ...query, quantile: 0.5 })
}

test('shows the newest generation in charts and counts, and keeps the old one as history', async () => {
  const db = storeWithMonitor()
  const first = await record(db, outcome(1, { output: { v: 5, label: 'bad' } }))
  await record(db, outcome(2, { output: { v: 2, label: 'good' } }))
  const second = await record(db, outcome(1, { output: { v: 1, label: 'good' } }), 2, first)
  const [bucket] = await series(db)
  assert.deepEqual(
    [bucket?.count, bucket?.sum, bucket?.min, bucket?.max, bucket?.quantile],
    [2, 3, 1, 2, 1.5],
  )
  assert.deepEqual((await series(db, 'label'))[0]?.labels, { good: 2 })
  assert.deepEqual((await getMonitor(new SqliteSql(db), tenant, 'monitor'))?.counts, { scored: 2 })
  const list = (withHistory: boolean) =>
    listEvaluations(db, tenant, { withHistory }, { order: 'oldest', limit: 10 }).evaluations.map(
      ({ number, status, generation, output }) => [number, status, generation, output?.['v']],
    )
  assert.deepEqual(list(false), [
    [2, 'scored', 1, 2],
    [second, 'scored', 2, 1],
  ])
  assert.deepEqual(list(true)[0], [first, 'superseded', 1, 5])
})

test('moves a unit from one status and minute to another without a trace in the counts', async () => {
  const db = storeWithMonitor()
  const first = await record(db, outcome(1, { status: 'error', errorMessage: 'no judge' }))
  const second = await record(db, outcome(1, { unitAtMs: MINUTE_MS, output: { v: 7, label: 'x' } }), 2, first)
  assert.deepEqual(
    (await series(db)).map(({ startMs, count, byStatus }) => [startMs, count, byStatus]),
    [[MINUTE_MS, 1, { scored: 1 }]],
  )
  const monitor = await getMonitor(new SqliteSql(db), tenant, 'monitor')
  assert.deepEqual([monitor?.counts, monitor?.errors], [{ scored: 1 }, []])
  await record(db, outcome(1, { status: 'error', errorMessage: 'again' }), 3, second)
  assert.deepEqual(
    (await series(db)).map(({ startMs, count, byStatus }) => [startMs, count, byStatus]),
    [[0, 0, { error: 1 }]],
  )
  assert.deepEqual(db.all('SELECT * FROM value_rollups'), [])
})

test('takes a superseded evaluation out of the totals although its minute is no longer kept', async () => {
  const db = storeWithMonitor()
  const first = await record(db, outcome(1, { status: 'error', errorMessage: 'no judge' }))
  db.exec('DELETE FROM status_rollups')
  await record(db, outcome(1, { output: { v: 1 } }), 2, first)
  assert.deepEqual((await getMonitor(new SqliteSql(db), tenant, 'monitor'))?.counts, { scored: 1 })
})

test('takes a superseded evaluation out of the counts once only, and refuses a generation that exists', async () => {
  const db = storeWithMonitor()
  const first = await record(db, outcome(1, { output: { v: 1 } }))
  await record(db, outcome(2, { output: { v: 1 } }))
  await record(db, outcome(1, { output: { v: 1 } }), 2, first)
  await assert.rejects(record(db, outcome(1, { output: { v: 1 } }), 2, null), /stored already/)
  await record(db, outcome(1, { output: { v: 1 } }), 3, first)
  assert.deepEqual((await getMonitor(new SqliteSql(db), tenant, 'monitor'))?.counts, { scored: 3 })
})
