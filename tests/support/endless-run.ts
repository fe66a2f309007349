// A test file that starts a service, with ENDLESS_RUN_SERVERS=all one server of each kind, writes their pids and its own to the
// file that ENDLESS_RUN_PIDS names, and never ends.

import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { skipWithoutNats, startNats } from './nats-server.ts'
import { startPostgres } from './postgres-server.ts'
import { spawnService } from './process.ts'
import { temporaryDirectory } from './temporary-directory.ts'

test('starts servers and never ends', async () => {
  const pids = [process.pid, process.ppid]
  if (process.env['ENDLESS_RUN_SERVERS'] === 'all') {
    pids.push(await pidOfRunnersPostgres(), (await startPostgres({ isDurable: false })).pid)
    if (!skipWithoutNats) pids.push(...(await startNats()).pids())
  }
  const { child } = await spawnService({ ASSAY_DATA_DIR: temporaryDirectory() })
  writeFileSync(process.env['ENDLESS_RUN_PIDS'] ?? '', JSON.stringify([...pids, child.pid]))
  await new Promise(() => setInterval(() => {}, 60_000))
})

async function pidOfRunnersPostgres(): Promise<number> {
  const client = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] })
  await client.connect()
  const { rows } = await client.query('SHOW data_directory')
  await client.end()
  return Number.parseInt(readFileSync(path.join(rows[0].data_directory, 'postmaster.pid'), 'utf8'), 10)
}
