import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { listUnits } from '../../domain/unit-set.ts'
import { NEUTRAL } from '../../evaluators/kit/verdict-rule.ts'
import { createSetup } from '../shared/setup-operations.ts'
import { createOrganization } from '../shared/tenant-operations.ts'
import { migrate } from './migrate.ts'
import { fillWork } from './monitor-operations.ts'
import { claimSetups, finishSetup } from './processing-operations.ts'
import { admitSpans, readCatalogue } from './span-operations.ts'
import { SqliteDatabase } from './sqlite-database.ts'
import { SqliteSql } from './sqlite-sql.ts'
import { sweep } from './sweep-operations.ts'
import { claimWork } from './work-operations.ts'

const tenant = { orgId: 'org', projectId: 'project', envProjectId: 'env' }
const evaluator = { slug: 'char-count', evaluatorId: 'e1' }

async function openProject(): Promise<SqliteDatabase> {
  const db = SqliteDatabase.openWriter(path.join(temporaryDirectory(), 'test.db'))
  migrate(db)
  const sql = new SqliteSql(db)
  await createOrganization(sql, {
    organization: { id: 'org', name: 'Org', isOperator: true, retentionHours: 720, createdAtMs: 0 },
    project: {
      id: 'project',
      name: 'P',
      slug: 'p',
      environments: [{ envProjectId: 'env', slug: 'prd' }],
      createdAtMs: 0,
    },
    keys: [],
  })
  await createSetup(sql, tenant, { id: 'setup', externalId: 's', change: { evaluators: [evaluator] } }, 0)
  return db
}

/** One span that every setup matches. */
function admit(db: SqliteDatabase, at: number): void {
  const { revision, current } = readCatalogue(db, tenant)
  const ids = Buffer.alloc(24)
  ids.writeUInt32BE(at + 1, 0)
  ids.writeUInt32BE(at + 1, 16)
  admitSpans(db, tenant, {
    revision,
    receivedAtMs: at,
    bytes: new Uint8Array(1),
    byteLength: 1,
    knownFaults: [],
    ids,
    startSeconds: new Float64Array([at]),
    matches: current.map(({ setupVersion }) => ({ setupVersion, units: new Uint8Array([1]) })),
  })
}

function bind(db: SqliteDatabase): void {
  const [claim] = claimSetups(db, 1, 60_000, Number.MAX_SAFE_INTEGER)
  assert.ok(claim)
  const plan = {
    ...evaluator,
    evaluatorVersion: 1,
    scope: 'span' as const,
    config: {},
    mapping: {},
    samplingRate: 1,
  }
  const entries = [{ slug: 'char-count', plan, newMonitorId: 'monitor', verdictRule: NEUTRAL }]
  assert.ok(finishSetup(db, claim, { status: 'completed', entries, lookedThrough: 0, atMs: 0 }))
}

test('the sweep makes work for a match that has none and says how often that happened', async () => {
  const db = await openProject()
  admit(db, 0)
  bind(db)
  admit(db, 1)
  db.run('DELETE FROM work WHERE batch_id = 2')
  assert.deepEqual(sweep(db), { missingWork: 1, staleLeases: 0 })
  assert.deepEqual(
    claimWork(db, 'local', 10, 60_000).map(({ batchId, units }) => [batchId, listUnits(units)]),
    [
      [1, [0]],
      [2, [0]],
    ],
  )
  assert.deepEqual(sweep(db), { missingWork: 0, staleLeases: 0 })
})

test('a long history gets its work in steps, and the sweep does not take the rest for missing', async () => {
  const db = await openProject()
  admit(db, 0)
  bind(db)
  for (let at = 1; at < 1_200; at++) admit(db, at)
  // As if the monitor had been bound only now, with everything before it still to be filled in.
  db.run('DELETE FROM work')
  db.run('UPDATE monitors SET fill_next = 1, fill_last = 1200')
  assert.deepEqual(sweep(db), { missingWork: 0, staleLeases: 0 })
  let steps = 0
  while (fillWork(db)) steps++
  assert.ok(steps < 100)
  assert.equal(db.get<{ count: number }>('SELECT count(*) AS count FROM work')?.count, 1_200)
})
