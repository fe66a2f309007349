import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { DROP_REVIEW_ITEMS } from '../shared/review-rows.ts'
import { migrate } from './migrate.ts'
import { forgetEvaluations } from './record-operations.ts'
import { SqliteDatabase } from './sqlite-database.ts'

/** Two projects whose queues name the evaluations 1 to 6; 3 to 6 are there. */
function storeWithItems(): SqliteDatabase {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  db.exec(`
    WITH n (n) AS (VALUES (3), (4), (5), (6))
      INSERT INTO evaluations (number, project_number, monitor_version, trace_id, span_id, status, batch_id, ordinal,
                               unit_at_ms, duration_us, created_at_ms)
      SELECT n, 1 + n % 2, 1, randomblob(16), randomblob(8), 'error', 1, 0, n, 0, 0 FROM n;
    WITH n (n) AS (VALUES (1), (2), (3), (4), (5), (6))
      INSERT INTO review_items (queue_number, place, project_number, evaluation_number, unit_at_ms)
      SELECT 1 + n % 2, n, 1 + n % 2, n, n FROM n;`)
  return db
}

const itemsOf = (db: SqliteDatabase) =>
  db
    .all<{ number: number }>(
      'SELECT evaluation_number AS number FROM review_items ORDER BY evaluation_number',
    )
    .map(({ number }) => number)

test('drops items before the oldest evaluation of their project, a few at a time', () => {
  const db = storeWithItems()
  assert.equal(db.run(DROP_REVIEW_ITEMS, 1, 10), 1)
  assert.deepEqual(itemsOf(db), [1, 3, 4, 5, 6])
  db.run('DELETE FROM evaluations')
  assert.equal(db.run(DROP_REVIEW_ITEMS, 1, 1), 1)
  assert.equal(db.run(DROP_REVIEW_ITEMS, 1, 10), 1)
  assert.deepEqual(itemsOf(db), [1, 3, 5])
})

test('forgets items with their evaluations', () => {
  const db = storeWithItems()
  const row = {
    monitor_version: 1,
    is_current: 0,
    status: 'error',
    output: null,
    unit_at_ms: 5,
    verdict: null,
  } as const
  forgetEvaluations(db, [{ ...row, number: 5, application: null }])
  assert.deepEqual(itemsOf(db), [1, 2, 3, 4, 6])
})
