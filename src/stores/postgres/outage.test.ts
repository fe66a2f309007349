import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { emptyDatabase } from '../../../tests/support/postgres-store.ts'
import { recordingLogger } from '../../../tests/support/recording-logger.ts'
import { openSmallDatabase } from '../../../tests/support/small-database.ts'
import { openPostgresStorage } from './postgres-storage.ts'
import { ping } from './store-probe.ts'

// A consumer of a stream parks messages that fail for a reason of their own, and must not take these for one.
test('a database that is read-only is away, for those who write and for those who ask', async () => {
  const url = await emptyDatabase()
  const name = new URL(url).pathname.slice(1)
  await openSmallDatabase(url).exec(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
  const db = openSmallDatabase(url)
  await assert.rejects(db.exec('CREATE TABLE something (number BIGINT)'), { kind: 'unavailable' })
  await assert.rejects(ping(db), { kind: 'unavailable' })
})

test('a database whose disk is full or broken is away', async () => {
  const db = openSmallDatabase(await emptyDatabase())
  for (const code of ['53100', '53200', '58030']) {
    const fail = db.exec(`DO $$ BEGIN RAISE EXCEPTION 'cannot' USING ERRCODE = '${code}'; END $$`)
    await assert.rejects(fail, { kind: 'unavailable' }, code)
  }
  await ping(db)
})

test('a database whose disk is full is found out by its probe, before anybody writes', async () => {
  const url = await emptyDatabase()
  const storage = await openPostgresStorage({
    ...{ url, connectionsMax: 2, statementMsMax: 10_000, logger: recordingLogger([]) },
  })
  after(() => storage.close())
  await storage.system.ping()
  const db = openSmallDatabase(url)
  await db.exec(`
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER full_disk BEFORE INSERT ON service_state EXECUTE FUNCTION refuse();`)
  await assert.rejects(storage.system.ping(), { kind: 'unavailable', message: /disk is full/ })
})

test('a row that breaks a rule is no outage', async () => {
  const db = openSmallDatabase(await emptyDatabase())
  await assert.rejects(db.exec("INSERT INTO organizations (id) VALUES ('only')"), { code: '23502' })
})
