import { integer, oneOf, type Setting } from './setting.ts'

/** The roles of a process: it does everything, or one part of the work while other processes on the same database do the rest. */
export const ROLES = ['all', 'ingest', 'worker', 'api'] as const
export type Role = (typeof ROLES)[number]

/** The store, and the role of this process. */
export interface StoreConfig {
  readonly databaseUrl?: string
  readonly databaseConnections: number
  readonly databaseStatementMsMax: number
  readonly databaseConnectMsMax: number
  readonly role: Role
  readonly drainMs: number
}

export const STORE_SETTINGS = {
  databaseUrl: {
    name: 'ASSAY_DATABASE_URL',
    description:
      'A PostgreSQL database, version 15 or newer, `postgres://user:password@host:5432/name?sslmode=verify-full`, that ' +
      'several processes can share ([operations](operations.md)). Without it the store is a file in the data directory.',
    isSecret: true,
    read: databaseUrl,
  },
  databaseConnections: {
    name: 'ASSAY_DATABASE_CONNECTIONS',
    description:
      'Most connections to PostgreSQL that this process uses at the same time, besides one that listens.',
    defaultText: '10',
    read: integer(2, 1_000),
  },
  databaseStatementMsMax: {
    name: 'ASSAY_DATABASE_STATEMENT_MS_MAX',
    description: 'Longest time that PostgreSQL may work on one statement, in milliseconds; then it is ended.',
    defaultText: '30000',
    read: integer(100, 3_600_000),
  },
  databaseConnectMsMax: {
    name: 'ASSAY_DATABASE_CONNECT_MS_MAX',
    description:
      'How long a call waits for a connection to PostgreSQL, a new one or one that others use, in milliseconds; ' +
      'then it is refused with 503.',
    defaultText: '5000',
    read: integer(100, 3_600_000),
  },
  role: {
    name: 'ASSAY_ROLE',
    description:
      'The role of this process: `ingest` takes spans in, `worker` evaluates them, `api` serves the rest of the HTTP ' +
      'interface, `all` does everything. Anything but `all` needs `ASSAY_DATABASE_URL`.',
    defaultText: 'all',
    read: oneOf(ROLES),
  },
  drainMs: {
    name: 'ASSAY_DRAIN_MS',
    description:
      'How long a process that was told to end goes on serving while `/readyz` says that it is going, in milliseconds, ' +
      'so that a load balancer can leave it out.',
    defaultText: '0',
    read: integer(0, 600_000),
  },
} satisfies { [Name in keyof Required<StoreConfig>]: Setting<Required<StoreConfig>[Name]> }

/** Settings that contradict each other, each as a line for people. */
export function storeFaults({ databaseUrl, role }: Partial<StoreConfig>): string[] {
  if (role === undefined || role === 'all' || databaseUrl !== undefined) return []
  return [`ASSAY_ROLE ${role} needs ASSAY_DATABASE_URL: the embedded store belongs to one process`]
}

function databaseUrl(text: string): string {
  const url = URL.parse(text)
  const isUsable = url !== null && /^postgres(ql)?:$/.test(url.protocol) && url.pathname.length > 1
  if (!isUsable) throw new Error('a URL like postgres://user:password@host:5432/name')
  return text
}
