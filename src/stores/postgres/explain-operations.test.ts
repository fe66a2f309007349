import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { recycledDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { listUndigestedBatches } from '../shared/explain-operations.ts'
import { PostgresDatabase } from './postgres-database.ts'

test('what was summed up in one project says nothing about another', async () => {
  const db = new PostgresDatabase({
    url: await recycledDatabase(),
    connectionsMax: 1,
    statementMsMax: 300_000,
    connectMsMax: 300_000,
    logger: recordingLogger([]),
  })
  after(() => db.close())
  await db.exec(`
    INSERT INTO organizations VALUES ('org', 'Org', 0, 720, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms, number)
      VALUES ('one', 'org', 'One', 'one', 0, 1), ('two', 'org', 'Two', 'two', 0, 2), ('new', 'org', 'New', 'new', 0, 3);
    INSERT INTO span_batches (id, project_number, env_project_id, revision, received_at_ms, span_count, byte_length, bytes)
      SELECT id, project, 'env', 0, 0, 1, 1, '' FROM (VALUES (1, 1), (2, 2), (3, 1), (4, 2), (5, 3)) AS batch (id, project);
    INSERT INTO digest_progress (project_number, through, newest) VALUES (1, 1, 3), (2, 4, 4);`)
  const undigested = async (projectId: string) =>
    (await listUndigestedBatches(db, { orgId: 'org', projectId }, 10)).map(({ batchId }) => batchId)
  assert.deepEqual(
    [await undigested('one'), await undigested('two'), await undigested('new')],
    [[3], [], [5]],
  )
})
