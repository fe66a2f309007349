import { readFile } from 'node:fs/promises'
import { type Authenticator, connect, credsAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import type { NatsOptions } from './nats-options.ts'

const CONNECT_MS_MAX = 10_000
const RECONNECT_MS = 500

/** Connects to any of the servers, and from then on again and again whenever the connection is lost. */
export async function connectToServers(options: NatsOptions): Promise<NatsConnection> {
  const urls = options.servers.map((server) => new URL(server))
  try {
    const connection = await connect({
      servers: urls.map(({ host }) => host),
      name: 'assay',
      timeout: CONNECT_MS_MAX,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      // A server that refuses the credentials for a while, during its own upkeep, is no reason to give up for good.
      ignoreAuthErrorAbort: true,
      ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
      ...(await credentialsOf(options, urls)),
    })
    void followStatus(connection, options)
    return connection
  } catch (error) {
    throw new Error(`cannot connect to the servers of ASSAY_NATS_URL: ${(error as Error).message}`)
  }
}

/** Those of the file, or else those in the first address that has some: a user with a password, or a token. */
async function credentialsOf(
  { credentialsFile }: NatsOptions,
  urls: readonly URL[],
): Promise<{ authenticator?: Authenticator; user?: string; pass?: string; token?: string }> {
  if (credentialsFile !== undefined)
    return { authenticator: credsAuthenticator(await readFile(credentialsFile)) }
  const { username, password } = urls.find((url) => url.username !== '') ?? { username: '', password: '' }
  if (username === '') return {}
  const user = decodeURIComponent(username)
  return password === '' ? { token: user } : { user, pass: decodeURIComponent(password) }
}

async function followStatus(connection: NatsConnection, { logger }: NatsOptions): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'disconnect')
      logger.warn({ server: status.server }, 'the connection to NATS has ended')
    if (status.type === 'reconnect') logger.info({ server: status.server }, 'connected to NATS again')
  }
}
