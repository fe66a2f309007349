import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { after, test } from 'node:test'
import type { StorageHarness } from '../../../tests/contract/contract-fixtures.ts'
import { sumUp } from '../../../tests/contract/deletion-fixtures.ts'
import { admitNames, carryOn } from '../../../tests/contract/job-fixtures.ts'
import { growStore, viewOf } from '../../../tests/support/grown-store.ts'
import { bareDatabase, emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { startInProcess } from '../../../tests/support/storage-in-process.ts'
import { temporaryDirectory } from '../../../tests/support/temporary-directory.ts'
import { renderComparison } from '../../cli/migrate-store.ts'
import { PostgresDatabase } from '../postgres/postgres-database.ts'
import { openPostgresStorage } from '../postgres/postgres-storage.ts'
import { migrate } from '../sqlite/migrate.ts'
import { SqliteDatabase } from '../sqlite/sqlite-database.ts'
import { DATABASE_FILE, openSqliteStorage } from '../sqlite/sqlite-storage.ts'
import { moveStore } from './move-store.ts'
import { LEFT_TABLES, MOVED_TABLES } from './moved-tables.ts'

const KILLED_MOVE = path.join(import.meta.dirname, '../../../tests/support/killed-move.ts')

const optionsOf = (url: string) => ({
  ...{ url, connectionsMax: 4, statementMsMax: 300_000, connectMsMax: 300_000 },
  logger: recordingLogger([]),
})

function harnessAt(dataDir: string): StorageHarness {
  const open = () => openSqliteStorage({ dataDir, readerThreads: 1, startThread: startInProcess })
  return { name: 'sqlite', open, reopen: open, files: async () => [] }
}

/** A grown store whose service has ended, and what its tenants saw in it. */
async function grownDirectory() {
  const dataDir = temporaryDirectory()
  const { storage, tenant, stranger } = await growStore(harnessAt(dataDir))
  const seen = [await viewOf(storage, tenant), await viewOf(storage, stranger)]
  await storage.close()
  return { dataDir, seen, scopes: [tenant, stranger] as const }
}

const move = (dataDir: string, url: string, onProgress: (table: string) => void = () => {}) =>
  moveStore({ dataDir, postgres: optionsOf(url), pieceRowsMax: 1, onProgress })

async function openMoved(url: string) {
  const storage = await openPostgresStorage(optionsOf(url))
  after(() => storage.close())
  return storage
}

function connect(url: string): PostgresDatabase {
  const db = new PostgresDatabase(optionsOf(url))
  after(() => db.close())
  return db
}

test('a moved store shows everything that it showed before, and goes on', async () => {
  const { dataDir, seen, scopes } = await grownDirectory()
  const url = await bareDatabase()
  const compared = await move(dataDir, url)
  assert.deepEqual(
    compared.filter(({ isSame }) => !isSame),
    [],
  )
  for (const name of [
    'spans',
    'evaluations',
    'traces',
    'scores',
    'span_contents',
    'span_images',
    'jobs',
    'incidents',
    'incident_monitors',
    'incident_events',
    'incident_examples',
    'judge_cache',
    'deleted_traces',
    'units',
  ])
    assert.ok(
      compared.some((table) => table.name === name && table.rows.target > 0),
      name,
    )
  const moved = await openMoved(url)
  const [tenant, stranger] = scopes
  assert.deepEqual([await viewOf(moved, tenant), await viewOf(moved, stranger)], seen)

  const held = await moved.work.claimWork('local', 100, 1_000)
  assert.ok(held.length > 1, 'what somebody had begun, and what a job had queued, is ready')
  assert.equal((await moved.units.claimUnits(10, 1_000)).length, 1)
  await sumUp(moved)
  assert.equal(
    (await moved.listTraces(tenant, {}, { limit: 100 })).traces.length,
    (seen[0]?.traces.length ?? 0) + 1,
  )
  const newest = Math.max(...seen.flatMap(({ batches }) => batches.map(({ batchId }) => batchId)))
  await admitNames(moved, tenant, ['after the move'])
  const refs = await moved.listSpanRefs(tenant, {
    ...{ fromSecond: 0, toSecond: 4_000_000_000, isDescending: false, limit: 100 },
  })
  assert.ok(refs.some(({ batchId }) => batchId === newest + 1))
  await carryOn(moved)
})

test('a move that was killed is carried on where it stopped, and nothing is there twice', async () => {
  const { dataDir, seen, scopes } = await grownDirectory()
  const url = await emptyDatabase()
  for (const end of ['setups', 'spans', 'work']) {
    const { signal } = spawnSync(process.execPath, [KILLED_MOVE, dataDir, url, end])
    assert.equal(signal, 'SIGKILL')
    await assert.rejects(openPostgresStorage(optionsOf(url)), /being moved/)
  }
  const moved: string[] = []
  const compared = await move(dataDir, url, (table) => moved.push(table))
  assert.ok(!moved.includes('organizations') && moved.includes('deleted_traces'))
  assert.ok(compared.every(({ isSame }) => isSame))
  const storage = await openMoved(url)
  assert.deepEqual(await viewOf(storage, scopes[0]), seen[0])
  await assert.rejects(move(dataDir, url), /moved to this database already/)
})

test('rows are stored together with the place where they end, or not at all', async () => {
  const { dataDir } = await grownDirectory()
  const url = await emptyDatabase()
  const db = connect(url)
  await db.exec("ALTER TABLE store_move_tables ADD CONSTRAINT refused CHECK (name <> 'spans')")
  await assert.rejects(move(dataDir, url), /refused/)
  assert.deepEqual(await db.all('SELECT * FROM spans'), [])
  await db.exec('ALTER TABLE store_move_tables DROP CONSTRAINT refused')
  assert.ok((await move(dataDir, url)).every(({ isSame }) => isSame))
})

test('a row that is not the same is found, and the database cannot be used', async () => {
  const { dataDir } = await grownDirectory()
  const url = await emptyDatabase()
  const stop = (table: string) => {
    if (table === 'work') throw new Error('ended')
  }
  await assert.rejects(move(dataDir, url, stop), /ended/)
  await connect(url).run('UPDATE spans SET ordinal = ordinal + 1 WHERE batch_id = 1 AND ordinal = 0')
  const compared = await move(dataDir, url)
  assert.deepEqual(
    compared.filter(({ isSame }) => !isSame).map(({ name }) => name),
    ['spans'],
  )
  assert.match(renderComparison(compared), /^spans .*DIFFERENT$/m)
  assert.match(renderComparison(compared), /^setups .*same$/m)
  await assert.rejects(openPostgresStorage(optionsOf(url)), /being moved/)
})

test('a store that a service has open is not moved', async () => {
  const dataDir = temporaryDirectory()
  const { storage } = await growStore(harnessAt(dataDir))
  const url = await emptyDatabase()
  await assert.rejects(move(dataDir, url), /in use/)
  await storage.close()
  const file = path.join(dataDir, DATABASE_FILE)
  const compared = await move(dataDir, url, () => assert.equal(SqliteDatabase.openAlone(file), undefined))
  assert.ok(compared.every(({ isSame }) => isSame))
})

test('nothing is moved to a database that holds anything else, nor from nowhere', async () => {
  const { dataDir } = await grownDirectory()
  const other = await grownDirectory()
  const used = await emptyDatabase()
  const db = connect(used)
  await db.run(
    "INSERT INTO organizations (id, name, is_operator, retention_hours, created_at_ms) VALUES ('o', 'o', 1, 1, 1)",
  )
  await assert.rejects(move(dataDir, used), /not empty/)
  const url = await emptyDatabase()
  const stop = () => {
    throw new Error('ended')
  }
  await assert.rejects(move(dataDir, url, stop), /ended/)
  await assert.rejects(move(other.dataDir, url), /another store/)
  await assert.rejects(move(temporaryDirectory(), await emptyDatabase()), /no store/)
})

test('a store is moved to a database by one at a time', async () => {
  const { dataDir } = await grownDirectory()
  const other = await grownDirectory()
  const url = await emptyDatabase()
  let second: Promise<void> | undefined
  await move(dataDir, url, () => {
    second ??= assert.rejects(move(other.dataDir, url), /somebody else is moving/)
  })
  await second
})

test('every table and every column of the embedded store is moved, or known to be left', async () => {
  const file = path.join(temporaryDirectory(), DATABASE_FILE)
  const source = SqliteDatabase.openWriter(file)
  migrate(source)
  const target = connect(await emptyDatabase())
  const tables = source
    .all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .map(({ name }) => name)
  const known = [...MOVED_TABLES.map(({ name }) => name), ...LEFT_TABLES]
  assert.deepEqual(tables.toSorted(), known.toSorted())
  for (const { name } of MOVED_TABLES) {
    const columns = source.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', name)
    const found = await target.all<{ name: string }>(
      'SELECT attname::text AS name FROM pg_attribute WHERE attrelid = $1::text::regclass AND attnum > 0',
      name,
    )
    const added = ['holder', 'held_until_ms']
    assert.deepEqual(
      found
        .map((column) => column.name)
        .filter((column) => !added.includes(column))
        .toSorted(),
      columns.map((column) => column.name).toSorted(),
      name,
    )
  }
  source.close()
})
