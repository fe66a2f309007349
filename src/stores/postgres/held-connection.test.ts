import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type PostgresServer, startPostgres } from '../../../tests/support/postgres-server.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { openSmallDatabase } from '../../../tests/support/small-database.ts'
import type { Hint } from '../../ports/storage.ts'
import type { SqlValue } from '../shared/sql.ts'
import { HeldConnection } from './held-connection.ts'
import { LOCK_CLASS } from './lock-project.ts'
import { migrate } from './migrate.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { findOrphans } from './release-orphans.ts'

const WAIT_MS_MAX = 300_000

let server: PostgresServer

before(async () => {
  server = await startPostgres({ isDurable: false })
  const db = open()
  await migrate(db)
})

after(() => server?.stop())

const open = (url = server.url): PostgresDatabase => openSmallDatabase(url)

/** A session like that of a process of its own, and what it hears. */
async function openSession() {
  const db = open()
  const session = await HeldConnection.open(db, recordingLogger([]))
  after(() => session.close())
  const heard: Hint[] = []
  session.onHint((hint) => heard.push(hint))
  return { db, session, heard }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const untilMs = Date.now() + WAIT_MS_MAX
  while (!(await isTrue())) {
    assert.ok(Date.now() < untilMs, 'waited for too long')
    await sleep(10)
  }
}

/** Has the holder hold a lease of everything that can be held. */
async function holdAll(db: PostgresDatabase, holder: number): Promise<void> {
  await db.exec(`
    INSERT INTO organizations VALUES ('o${holder}', 'o', 0, 1, 0);
    INSERT INTO projects (id, org_id, name, slug, created_at_ms) VALUES ('p${holder}', 'o${holder}', 'p', 'p', 0);
    INSERT INTO environments VALUES ('e${holder}', 'p${holder}', 'e', 0);
    INSERT INTO setups (id, org_id, project_id, env_project_id, external_id, entity_type, entity_value, status, version,
      created_at_ms, updated_at_ms, lease, lease_until_ms, holder)
      VALUES ('s${holder}', 'o${holder}', 'p${holder}', 'e${holder}', 'x', 't', 'v', 'in_progress', 1, 0, 0, 1, 1e15, ${holder});
    INSERT INTO work (batch_id, monitor_version, units, unit_count, state, lease, lease_until_ms, holder)
      VALUES (${holder}, 1, 'x', 1, 1, 1, 1e15, ${holder});
    INSERT INTO units (monitor_version, scope, unit_key, project_number, env_project_id, state, changed_at_ms, look_at_ms,
      opened_at_ms, lease, lease_until_ms, holder) VALUES (${holder}, 'trace', 'x', 1, 'e', 1, 0, 0, 0, 1, 1e15, ${holder});
    INSERT INTO digest_progress VALUES (${holder}, 0, 1, ${holder}, 1e15);
    INSERT INTO jobs (id, project_number, kind, request, state, place_ms, place_id, last_id, created_at_ms, holder,
      held_until_ms) VALUES ('j${holder}', 1, 'rerun', '{}', 'running', 0, 0, 0, 0, ${holder}, 1e15)`)
}

const TABLES = ['setups', 'work', 'units', 'digest_progress', 'jobs']

async function heldBy(db: PostgresDatabase, holder: number): Promise<string[]> {
  const held: string[] = []
  for (const table of TABLES)
    if (await db.get(`SELECT 1 FROM ${table} WHERE holder = $1`, holder)) held.push(table)
  return held
}

describe('a session', () => {
  test('gives its connection one statement at a time, which the driver asks for', async () => {
    const warnings: string[] = []
    const note = (warning: Error) => warnings.push(warning.message)
    process.on('warning', note)
    const [one, two] = [await openSession(), await openSession()]
    for (const hint of ['spans', 'setups', 'jobs'] as const) one.session.hint(hint)
    await until(() => two.heard.length === 3)
    process.off('warning', note)
    assert.deepEqual(two.heard.toSorted(), ['jobs', 'setups', 'spans'])
    assert.deepEqual(warnings, [])
  })

  test('hears what other processes tell, and not itself', async () => {
    const [one, two] = [await openSession(), await openSession()]
    one.session.hint('spans')
    one.session.hint('jobs')
    await until(() => two.heard.length === 2)
    assert.deepEqual(two.heard, ['spans', 'jobs'])
    assert.deepEqual(one.heard, [])
  })

  test('tells a few times of what happens very often, and of the last time', async () => {
    const [one, two] = [await openSession(), await openSession()]
    for (let at = 0; at < 100; at++) one.session.hint('spans')
    await until(() => two.heard.length === 2)
    await sleep(100)
    assert.equal(two.heard.length, 2)
  })

  test('ends the leases of processes that are gone, and those of nobody else', async () => {
    const [living, gone] = [await openSession(), await openSession()]
    await holdAll(living.db, living.session.holder)
    await holdAll(gone.db, gone.session.holder)
    assert.deepEqual(await findOrphans(living.db), [])
    assert.deepEqual(await heldBy(living.db, gone.session.holder), TABLES)
    await gone.session.close()
    await until(async () => (await heldBy(living.db, gone.session.holder)).length === 0)
    assert.deepEqual(await heldBy(living.db, living.session.holder), TABLES)
    const setup = await living.db.get(
      'SELECT status, lease FROM setups WHERE id = $1',
      `s${gone.session.holder}`,
    )
    assert.deepEqual(setup, { status: 'pending', lease: null })
    const work = await living.db.get('SELECT state, lease FROM work WHERE batch_id = $1', gone.session.holder)
    assert.deepEqual(work, { state: 0, lease: null })
  })

  test('does not take a process for gone whose session comes back soon', async () => {
    const { db } = await openSession()
    const holder = 900_001
    const client = db.newClient()
    await client.connect()
    // A process looks for it once and does not find it. The next looks wait, however slow the machine is.
    const isBack = Promise.withResolvers<void>()
    let looks = 0
    const all = db.all.bind(db) as typeof db.all
    db.all = async <T>(sql: string, ...values: SqlValue[]) => {
      if (sql.includes('pg_locks') && ++looks > 1) await isBack.promise
      return all<T>(sql, ...values)
    }
    await holdAll(db, holder)
    await until(() => looks > 1)
    await client.query('SELECT pg_advisory_lock_shared($1, $2)', [LOCK_CLASS.holder, holder])
    isBack.resolve()
    await until(() => looks > 4)
    assert.deepEqual(await heldBy(db, holder), TABLES)
    await client.end()
    await until(async () => (await heldBy(db, holder)).length === 0)
  })

  test('is open again after a restart of the database, keeps its number and hears again', async () => {
    const [one, two] = [await openSession(), await openSession()]
    const { holder } = two.session
    await holdAll(two.db, holder)
    await server.restart()
    const isLocked = async () =>
      (await one.db.get(
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND objid::bigint = $1",
        holder,
      )) !== undefined
    await until(isLocked)
    assert.deepEqual(await heldBy(one.db, holder), TABLES, 'nobody takes it for gone')
    // Hints that it may have missed meanwhile are delivered as if it had heard them.
    await until(() => two.heard.length >= 3)
    two.heard.length = 0
    await until(() => {
      one.session.hint('jobs')
      return two.heard.includes('jobs')
    })
  })

  test('that gets no answer while it is being opened is given up', async () => {
    const door = createServer((client) => {
      const behind = connect(Number(new URL(server.url).port), '127.0.0.1')
      behind.on('error', () => client.destroy()).pipe(client)
      client.on('error', () => behind.destroy())
      let isSilent = false
      client.on('data', (bytes) => {
        isSilent ||= bytes.includes('pg_advisory_lock_shared')
        if (!isSilent) behind.write(bytes)
      })
      client.on('close', () => behind.destroy())
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
    const url = new URL(server.url)
    url.port = String((door.address() as AddressInfo).port)
    const db = open(url.href)
    await assert.rejects(HeldConnection.open(db, recordingLogger([])), /timeout/)
    await db.close()
    door.close()
  })

  test('that the server ends is opened again', async () => {
    const { db, heard } = await openSession()
    await db.run(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1' AND pid <> pg_backend_pid()`,
    )
    await until(() => heard.length >= 3)
    assert.deepEqual(heard, ['spans', 'setups', 'jobs'])
  })
})
