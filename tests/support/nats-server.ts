import { type ChildProcess, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { freePorts } from './free-ports.ts'
import { spawnGuarded } from './guarded-process.ts'

const START_MS_MAX = 300_000
const PAUSE_MS = 100

/** One server of a cluster, or a single one. */
export interface NatsNode {
  readonly url: string
  /** Where its files are. */
  readonly home: string
  /** Ends it with SIGKILL, as the loss of power would, but for what the kernel still writes. */
  kill(): Promise<void>
  /** Ends it as an operator does: what it has in memory is written. */
  end(): Promise<void>
  /** Starts it again over the same files, on the same port; in a cluster, resolves when there is a leader. */
  restart(): Promise<void>
}

/** Servers of our own, on loopback. */
export interface NatsServers {
  readonly nodes: readonly NatsNode[]
  readonly urls: readonly string[]
  /** Of those that are running. */
  pids(): number[]
  /** Ends them and removes their files. */
  stop(): Promise<void>
}

const isInstalled = spawnSync('nats-server', ['--version']).status === 0

/**
 * Why tests with NATS cannot run here; false when they can. Where the variable CI_REQUIRES_NATS is 1 they run in any case,
 * and fail without a server.
 */
export const skipWithoutNats: string | false =
  isInstalled || process.env['CI_REQUIRES_NATS'] === '1'
    ? false
    : 'nats-server is not installed (Debian: apt-get install nats-server)'

/** Lines of configuration. */
export interface NatsServerOptions {
  readonly settings?: string
  /** In the block of JetStream. */
  readonly jetstream?: string
}

/** Starts one server, or a cluster of several. */
export async function startNats(
  nodeCount: 1 | 3 = 1,
  { settings = '', jetstream = '' }: NatsServerOptions = {},
): Promise<NatsServers> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-nats-'))
  const ports = await freePorts(nodeCount * 2)
  const routes = ports.slice(nodeCount).map((port) => `nats-route://127.0.0.1:${port}`)
  const nodes = routes.map((_, at) => {
    const name = `node-${at + 1}`
    const home = path.join(directory, name)
    mkdirSync(home)
    const file = path.join(home, 'server.conf')
    const cluster = `cluster { name: test, listen: "127.0.0.1:${ports[nodeCount + at]}", routes: [${routes.join(', ')}] }`
    writeFileSync(
      file,
      `server_name: ${name}
listen: "127.0.0.1:${ports[at]}"
jetstream { store_dir: "${home}"\n${jetstream} }
${settings}
${nodeCount > 1 ? cluster : ''}
`,
    )
    return new Node(home, file, `nats://127.0.0.1:${ports[at]}`, nodeCount > 1)
  })
  await Promise.all(nodes.map((node) => node.restart()))
  return {
    nodes,
    urls: nodes.map(({ url }) => url),
    pids: () => nodes.flatMap(({ pid }) => pid ?? []),
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()))
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

class Node implements NatsNode {
  readonly url: string
  readonly home: string
  readonly #file: string
  readonly #isClustered: boolean
  #child: ChildProcess | undefined

  constructor(home: string, file: string, url: string, isClustered: boolean) {
    this.home = home
    this.#file = file
    this.url = url
    this.#isClustered = isClustered
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  end(): Promise<void> {
    return this.#end('SIGTERM')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  async restart(): Promise<void> {
    await this.kill()
    this.#child = spawnGuarded('nats-server', ['-c', this.#file], { stdio: ['ignore', 'ignore', 'ignore'] })
    await untilReady(this.#child, this.url)
    if (this.#isClustered) await untilJetStream(this.url)
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const untilMs = Date.now() + START_MS_MAX
  while (Date.now() < untilMs && child.exitCode === null && child.signalCode === null) {
    try {
      const connection = await connect({ servers: url, timeout: 20_000, reconnect: false })
      return await connection.close()
    } catch (error) {
      // One that wants to know who is there is up.
      if ((error as Error).name === 'AuthorizationError') return
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
  throw new Error('nats-server did not start')
}

/** Servers of a cluster have to agree on a leader first. */
async function untilJetStream(url: string): Promise<void> {
  const connection = await connect({ servers: url })
  const untilMs = Date.now() + START_MS_MAX
  for (;;) {
    try {
      await jetstreamManager(connection)
      return await connection.close()
    } catch (error) {
      if (Date.now() >= untilMs) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }
}
