import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { promisify } from 'node:util'
import pg from 'pg'
import { startFakeModel } from '../../src/cli/fake-judge/fake-model-server.ts'
import { DATABASE_FILE } from '../../src/stores/sqlite/sqlite-storage.ts'
import { FIRST_KEY } from '../support/call.ts'
import { spawnGuarded } from '../support/guarded-process.ts'
import { installedPostgres } from '../support/installed-postgres.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { inheritedEnvironment, type ServiceProcess } from '../support/process.ts'
import { spawnTestService } from '../support/process-in-test.ts'
import { callable, createPoliteness, createSetupOf, untilScored } from '../support/service-calls.ts'
import { chatSpan, eventually, sendSpans, untilStatus } from '../support/spans.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'

const ASSAY = path.resolve(import.meta.dirname, '../../scripts/assay.ts')
const SETTINGS = { ASSAY_API_KEY: FIRST_KEY, ASSAY_SETUP_REST_MS: '0' }
/** Requests that are acknowledged before a copy is begun, so that it has something to lose. */
const ACKNOWLEDGED_MIN = 30

const run = promisify(execFile)

describe('a copy of the embedded store', () => {
  test('made while the service takes writes, has everything that was acknowledged before', async () => {
    const dataDir = temporaryDirectory()
    const service = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: dataDir })
    await createSetupOf(service, 'all', 'char-count')
    const writer = startWriting(service)
    const acknowledged = await writer.until(ACKNOWLEDGED_MIN)
    const copy = path.join(temporaryDirectory(), 'copy.db')
    await backUp(dataDir, copy)
    await writer.stop()
    service.abandon()

    const restoredDir = temporaryDirectory()
    copyFileSync(copy, path.join(restoredDir, DATABASE_FILE))
    const restored = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: restoredDir })
    for (const name of acknowledged) await untilScored(restored, name, ['all'])
    await sendSpans(callable(restored), [chatSpan('after the restore')])
    await untilScored(restored, 'after the restore', ['all'])
  })

  test('is made of a store whose service was killed, with what stands in its log only', async () => {
    const dataDir = temporaryDirectory()
    const service = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: dataDir })
    await createSetupOf(service, 'all', 'char-count')
    await service.end('SIGKILL')
    const restoredDir = temporaryDirectory()
    await backUp(dataDir, path.join(restoredDir, DATABASE_FILE))
    const restored = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: restoredDir })
    assert.equal((await callable(restored).call('GET', '/v2/auto-monitor-setups/all')).status, 200)
  })

  test('never takes the place of a file, is nobody else’s to read, and leaves nothing else behind', async () => {
    const dataDir = temporaryDirectory()
    const service = await spawnTestService({ ...SETTINGS, ASSAY_DATA_DIR: dataDir })
    const directory = temporaryDirectory()
    const copy = path.join(directory, 'copy.db')
    writeFileSync(copy, 'mine')
    await assert.rejects(backUp(dataDir, copy), /exists already and stays as it is/)
    assert.equal(readFileSync(copy, 'utf8'), 'mine')
    await assert.rejects(backUp(temporaryDirectory(), path.join(directory, 'none.db')), /there is no store/)
    await backUp(dataDir, path.join(directory, 'second.db'))
    assert.equal(statSync(path.join(directory, 'second.db')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(directory).toSorted(), ['copy.db', 'second.db'])
    await service.end('SIGTERM')
  })

  test('that is ended half way leaves nothing', async () => {
    const dataDir = temporaryDirectory()
    const db = new DatabaseSync(path.join(dataDir, DATABASE_FILE))
    db.exec('CREATE TABLE large (bytes); INSERT INTO large SELECT randomblob(200000000)')
    db.close()
    const directory = temporaryDirectory()
    const child = spawnGuarded(process.execPath, [ASSAY, 'backup', path.join(directory, 'copy.db')], {
      env: { ...inheritedEnvironment(), ASSAY_DATA_DIR: dataDir },
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    const ended = once(child, 'exit')
    await eventually(async () => readdirSync(directory).length > 0, 'it has begun')
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [null, 'SIGTERM'])
    assert.deepEqual(readdirSync(directory), [])
  })

  test('is for the embedded store only, and says what to use for the other', async () => {
    const env = { ASSAY_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
    await assert.rejects(backUp(temporaryDirectory(), '/nowhere/copy.db', env), /pg_dump/)
  })
})

const installed = installedPostgres()

const lack = 'no PostgreSQL of version 15 or newer with pg_dump is installed'
/** Where CI_REQUIRES_POSTGRES is 1 the test runs in any case, and fails without it. */
const skip = installed || process.env['CI_REQUIRES_POSTGRES'] === '1' ? false : lack

test('a dump of PostgreSQL made while a service writes has everything acknowledged before, and work goes on', {
  skip,
}, async () => {
  assert.ok(installed, lack)
  const server = await startPostgres({ isDurable: true, installedAt: installed.directory })
  after(() => server.stop())
  const [original, restored] = [
    await createDatabase(server, 'original'),
    await createDatabase(server, 'restored'),
  ]
  const model = await startFakeModel({ answer: () => ({ delayMs: 60_000 }) })
  after(() => model.close())
  const env = {
    ...SETTINGS,
    ASSAY_DATA_DIR: temporaryDirectory(),
    ASSAY_JUDGE_BASE_URL: model.url,
    ASSAY_JUDGE_API_KEY: 'sk-test',
  }
  const service = await spawnTestService({ ...env, ASSAY_DATABASE_URL: original })
  await createPoliteness(service)
  await createSetupOf(service, 'all', 'char-count')
  await createSetupOf(service, 'judged', 'politeness')
  await sendSpans(callable(service), [chatSpan('first')])
  await untilStatus(callable(service), 'judged', 'completed')
  await eventually(async () => model.requests.length > 0, 'work is held while the judge is asked')

  const writer = startWriting(service)
  const acknowledged = await writer.until(ACKNOWLEDGED_MIN)
  const dump = path.join(temporaryDirectory(), 'assay.dump')
  await tool('pg_dump', '--format=custom', `--file=${dump}`, original)
  await writer.stop()
  await tool('pg_restore', '--exit-on-error', '--no-owner', `--dbname=${restored}`, dump)
  assert.ok((await heldWork(restored)) > 0, 'the dump has leases of those who are not there')
  await assertSameShape(original, restored)
  service.abandon()

  const next = await spawnTestService({
    ...env,
    ASSAY_DATABASE_URL: restored,
    ASSAY_JUDGE_BASE_URL: await polite(),
  })
  for (const name of ['first', ...acknowledged]) await untilScored(next, name, ['all', 'judged'])
  await sendSpans(callable(next), [chatSpan('after the restore')])
  await untilScored(next, 'after the restore', ['all', 'judged'])
})

/** Sends a span after the other, and remembers which of them were acknowledged. */
function startWriting(service: ServiceProcess) {
  const acknowledged: string[] = []
  let isStopped = false
  const writing = (async () => {
    for (let at = 0; !isStopped; at++) {
      const name = `span ${at}`
      await sendSpans(callable(service), [chatSpan(name)])
      acknowledged.push(name)
    }
  })()
  return {
    until: (count: number) =>
      eventually(
        async () => acknowledged.length >= count && [...acknowledged],
        `${count} spans are acknowledged`,
      ),
    stop() {
      isStopped = true
      return writing
    },
  }
}

async function backUp(dataDir: string, target: string, env: Record<string, string> = {}): Promise<void> {
  await run(process.execPath, [ASSAY, 'backup', target], {
    env: { ...inheritedEnvironment(), ASSAY_DATA_DIR: dataDir, ...env },
  })
}

async function tool(name: string, ...args: string[]): Promise<void> {
  await run(path.join(installed?.directory ?? '', 'bin', name), args)
}

/** The base URL of a judge that answers. */
async function polite(): Promise<string> {
  const model = await startFakeModel({ answer: () => ({ content: { is_polite: true } }) })
  after(() => model.close())
  return model.url
}

async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  await query(server.url, `CREATE DATABASE ${name}`)
  return server.url.replace(/\/postgres$/, `/${name}`)
}

async function heldWork(url: string): Promise<number> {
  const [row] = await query<{ held: number }>(url, 'SELECT count(*)::int AS held FROM work WHERE state = 1')
  return row?.held ?? 0
}

/** Partitions are there, and no sequence gives out a number that is taken. */
async function assertSameShape(original: string, restored: string): Promise<void> {
  const partitions = 'SELECT relname::text FROM pg_class WHERE relispartition ORDER BY relname'
  assert.deepEqual(await query(restored, partitions), await query(original, partitions))
  const identities = await query<{ sequence: string; column_name: string; table_name: string }>(
    restored,
    `SELECT pg_get_serial_sequence(table_name, column_name) AS sequence, column_name, table_name
     FROM information_schema.columns WHERE table_schema = 'public' AND is_identity = 'YES'`,
  )
  const used = [
    ['batch_numbers', 'id', 'span_batches'],
    ['evaluation_numbers', 'number', 'evaluations'],
    ['lease_numbers', 'lease', 'work'],
    ['holder_numbers', 'holder', 'work'],
    ...identities.map((row) => [row.sequence, row.column_name, row.table_name]),
  ]
  assert.ok(used.length > 4)
  for (const [sequence, column, table] of used) {
    const [row] = await query<{ is_above: boolean }>(
      restored,
      `SELECT last_value >= coalesce((SELECT max(${column}) FROM ${table}), 0) AS is_above FROM ${sequence}`,
    )
    assert.ok(row?.is_above, `${sequence} is behind ${table}.${column}`)
  }
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(sql)).rows
  } finally {
    await client.end()
  }
}
