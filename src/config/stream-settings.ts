import path from 'node:path'
import { baseUrl, integer, matching, oneOf, type Setting } from './setting.ts'

/** The stream between those who receive spans and those who store them. */
export interface StreamConfig {
  readonly natsUrl?: readonly string[]
  readonly natsCredentials?: string
  readonly natsStream: string
  readonly natsSync?: 'always' | 'interval'
  readonly natsMonitorUrl?: readonly string[]
  readonly natsAttemptsMax: number
  readonly natsBytesMax: number
}

export const STREAM_SETTINGS = {
  natsUrl: {
    name: 'ASSAY_NATS_URL',
    description:
      'NATS servers with JetStream, `nats://a:4222,b:4222,c:4222`: spans are acknowledged when a quorum of them has them, ' +
      'and workers store them from there ([cluster](cluster.md)). Needs `ASSAY_DATABASE_URL`.',
    isSecret: true,
    read: natsServers,
  },
  natsCredentials: {
    name: 'ASSAY_NATS_CREDS',
    description: 'File with the credentials of a NATS user, as `nsc` writes it.',
    read: (text) => path.resolve(text),
  },
  natsStream: {
    name: 'ASSAY_NATS_STREAM',
    description:
      'Begins the names of the streams and subjects, so that several installations can share NATS servers.',
    defaultText: 'assay',
    read: matching(/^[\w-]{1,32}$/, '1 to 32 letters, digits, _ or -'),
  },
  natsSync: {
    name: 'ASSAY_NATS_SYNC',
    description:
      "The operator's statement about `sync_interval` of the NATS servers: `always`, it is set and has been checked; " +
      '`interval`, it is not, and losing acknowledged spans when machines crash is accepted.',
    read: oneOf(['always', 'interval']),
  },
  natsMonitorUrl: {
    name: 'ASSAY_NATS_MONITOR_URL',
    description:
      'Monitoring addresses of the NATS servers, `http://a:8222,http://b:8222`, where `sync_interval: always` is looked ' +
      'for at the start. A client cannot see it.',
    read: (text) => text.split(',').map((part) => baseUrl(part.trim())),
  },
  natsAttemptsMax: {
    name: 'ASSAY_NATS_ATTEMPTS_MAX',
    description:
      'How often a worker tries to store a request before it is parked. An outage of the database is no attempt.',
    defaultText: '10',
    read: integer(1, 1_000),
  },
  natsBytesMax: {
    name: 'ASSAY_NATS_BYTES_MAX',
    description:
      'Size of the stream in bytes when it is made, and again of the one for parts of large requests. A full stream ' +
      'refuses what comes with 503.',
    defaultText: '4294967296',
    read: integer(10_485_760, 1_099_511_627_776_000),
  },
} satisfies { [Name in keyof Required<StreamConfig>]: Setting<Required<StreamConfig>[Name]> }

/** Settings that contradict each other, each as a line for people. */
export function streamFaults({
  natsUrl,
  databaseUrl,
}: Partial<StreamConfig> & { readonly databaseUrl?: string }): string[] {
  if (natsUrl === undefined || databaseUrl !== undefined) return []
  return ['ASSAY_NATS_URL needs ASSAY_DATABASE_URL: the embedded store belongs to one process']
}

/** Servers separated by commas; what only the first one says, scheme and user, the others have too. */
function natsServers(text: string): string[] {
  const [first = '', ...others] = text.split(',').map((part) => part.trim())
  const start = /^(?:nats|tls):\/\/(?:[^@/]*@)?/.exec(first)?.[0]
  const servers = [first, ...others.map((other) => (other.includes('://') ? other : `${start}${other}`))]
  const isUsable = start !== undefined && servers.every(isServer)
  if (!isUsable) throw new Error('NATS servers like nats://a:4222,b:4222,c:4222')
  return servers
}

function isServer(text: string): boolean {
  const url = URL.parse(text)
  return (
    url !== null && /^(nats|tls):$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname)
  )
}
