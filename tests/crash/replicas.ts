import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { FIRST_KEY } from '../support/call.ts'
import { type NatsServers, startNats } from '../support/nats-server.ts'
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts'
import { type ServiceProcess, spawnService } from '../support/process.ts'

/** Something that can be killed and comes back. */
export interface Part {
  readonly name: string
  kill(): Promise<void>
  revive(): Promise<void>
}

/** A process of the service; its address changes when it is started again. */
export interface Replica extends Part {
  readonly url: string
}

/** Several processes of the service over one database, with everything they need. */
export interface Replicas {
  readonly ingest: readonly Replica[]
  readonly workers: readonly Replica[]
  readonly api: Replica
  /** Everything else that can be killed. */
  readonly others: readonly Part[]
  /** Whether what is taken in goes through a stream before it is stored. */
  readonly hasStream: boolean
  /** Messages of the stream that wait or that a worker holds, as its consumer counts them. */
  openMessages(): Promise<number>
  close(): Promise<void>
}

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Starts two processes that take spans in, two workers and one that serves the rest, over a durable PostgreSQL and, in a cluster, NATS. */
export async function startReplicas(
  rung: 'postgres' | 'cluster',
  env: Readonly<Record<string, string>> = {},
): Promise<Replicas> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-replicas-'))
  const opened: { close(): Promise<void> }[] = []
  const close = async () => {
    for (const each of opened.toReversed()) await each.close()
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    const postgres = await startPostgres({ isDurable: true })
    opened.push({ close: () => postgres.stop() })
    const nats = rung === 'cluster' ? await startNats(3) : undefined
    if (nats) opened.push({ close: () => nats.stop() })
    const shared = {
      ASSAY_DATABASE_URL: postgres.url,
      ASSAY_API_KEY: FIRST_KEY,
      ASSAY_DATA_DIR: directory,
      ASSAY_SETUP_REST_MS: '0',
      ...(nats ? { ASSAY_NATS_URL: nats.urls.join(',') } : {}),
      ...env,
    }
    const start = async (role: string, name: string) => {
      const replica = await ReplicaProcess.start(name, { ...shared, ASSAY_ROLE: role })
      opened.push(replica)
      return replica
    }
    // The first one makes the tables and the first key.
    const api = await start('api', 'api')
    const [ingest, workers] = await Promise.all([
      Promise.all([start('ingest', 'ingest 1'), start('ingest', 'ingest 2')]),
      Promise.all([start('worker', 'worker 1'), start('worker', 'worker 2')]),
    ])
    const others = [postgresPart(postgres), ...natsParts(nats)]
    return {
      ingest,
      workers,
      api,
      others,
      hasStream: nats !== undefined,
      openMessages: () => openMessages(nats),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

class ReplicaProcess implements Replica {
  readonly name: string
  readonly #env: Record<string, string>
  #process: ServiceProcess

  private constructor(name: string, env: Record<string, string>, process: ServiceProcess) {
    this.name = name
    this.#env = env
    this.#process = process
  }

  static async start(name: string, env: Record<string, string>): Promise<ReplicaProcess> {
    return new ReplicaProcess(name, env, await spawnService(env))
  }

  get url(): string {
    return this.#process.url
  }

  async kill(): Promise<void> {
    await this.#process.end('SIGKILL')
    this.#process.abandon()
  }

  async revive(): Promise<void> {
    this.#process = await spawnService(this.#env, [
      process.execPath,
      path.join(ROOT, 'scripts/assay.ts'),
      'start',
    ])
  }

  async close(): Promise<void> {
    this.#process.abandon()
  }
}

/** A database cannot be killed and left alone for long: it is ended without a farewell and comes back at once. */
function postgresPart(server: PostgresServer): Part {
  return { name: 'postgres', kill: () => server.crash(), revive: () => server.restart() }
}

function natsParts(servers: NatsServers | undefined): Part[] {
  return (servers?.nodes ?? []).map((node, at) => ({
    name: `nats ${at + 1}`,
    kill: () => node.kill(),
    revive: () => node.restart(),
  }))
}

async function openMessages(servers: NatsServers | undefined): Promise<number> {
  if (!servers) return 0
  const connection = await connect({ servers: [...servers.urls] })
  try {
    const jsm = await jetstreamManager(connection)
    const { num_pending: waiting, num_ack_pending: inHand } = await jsm.consumers.info(
      'assay-spans',
      'workers',
    )
    return waiting + inHand
  } finally {
    await connection.close()
  }
}
