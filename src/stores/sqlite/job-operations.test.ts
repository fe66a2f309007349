import assert from 'node:assert/strict'
import { copyFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { migrate } from './migrate.ts'
import { SqliteDatabase } from './sqlite-database.ts'

const MIGRATIONS = fileURLToPath(new URL('./migrations/', import.meta.url))

test('a store from before there were jobs keeps its work as work that came with spans', () => {
  const earlier = temporaryDirectory()
  for (const name of readdirSync(MIGRATIONS)) {
    if (name < '0007') copyFileSync(path.join(MIGRATIONS, name), path.join(earlier, name))
  }
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db, earlier)
  db.exec(`
    INSERT INTO work (batch_id, monitor_version, units, unit_count, state, attempts, ready_at_ms, lease, lease_until_ms,
                      is_judged)
      VALUES (1, 2, x'05', 2, 1, 3, 4, 5, 6, 1), (7, 2, x'01', 1, 0, 0, 0, NULL, NULL, 0);
    INSERT INTO matches (batch_id, setup_version, units) VALUES (1, 9, x'05');`)
  const before = db.all('SELECT * FROM work ORDER BY batch_id')
  migrate(db)
  const after = db.all<Record<string, unknown>>('SELECT * FROM work ORDER BY batch_id')
  assert.deepEqual(
    after.map(({ job_number: job, is_rerun: isRerun, project_number: _, ...rest }) => [
      job,
      isRerun,
      { ...rest },
    ]),
    before.map((row) => [0, 0, { ...row }]),
  )
  assert.deepEqual({ ...db.get<object>('SELECT job_number FROM matches') }, { job_number: 0 })
  const plan = db.all<{ detail: string }>(
    `EXPLAIN QUERY PLAN SELECT DISTINCT job_number, batch_id FROM work
     WHERE state < 2 AND is_judged = 0 AND job_number = 0 ORDER BY job_number, batch_id LIMIT 4`,
  )
  assert.match(plan.map(({ detail }) => detail).join(), /work_open/)
})
