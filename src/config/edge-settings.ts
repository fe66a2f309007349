import { isIP } from 'node:net'
import path from 'node:path'
import { integer, matching, oneOf, type Setting } from './setting.ts'

/** Access to the metrics: public, or with a key. */
export const METRICS_ACCESS = ['public', 'key'] as const

/** Limits on clients, and how they reach the process. */
export interface EdgeConfig {
  readonly trustedProxies?: readonly string[]
  readonly connectionsMax?: number
  readonly connectionsPerAddressMax: number
  readonly headersMsMax: number
  readonly bodyMsMax: number
  readonly bodyBytesPerSecondMin: number
  readonly idleMsMax: number
  readonly unreadMsMax: number
  readonly requestMemoryBytes?: number
  readonly tlsCertFile?: string
  readonly tlsKeyFile?: string
  readonly tlsClientCaFile?: string
  readonly metricsAccess: (typeof METRICS_ACCESS)[number]
  readonly metricsToken?: string
  readonly metricsPort?: number
  readonly metricsHost?: string
}

export const EDGE_SETTINGS = {
  trustedProxies: {
    name: 'ASSAY_TRUSTED_PROXIES',
    description:
      'Addresses and CIDR ranges of reverse proxies, separated by commas: `10.0.0.0/8,::1`. The client address of their ' +
      'requests is read from `X-Forwarded-For`, and `ASSAY_CONNECTIONS_PER_ADDRESS_MAX` does not apply to them ' +
      '([reverse proxies](reverse-proxy.md)).',
    read: addressRanges,
  },
  connectionsMax: {
    name: 'ASSAY_CONNECTIONS_MAX',
    description:
      'Maximum number of open client connections, HTTP and gRPC together. At the limit, the connection that has been idle ' +
      'longest is closed; connections that never showed a valid key go first. By default the ' +
      'process reserves a quarter of its open-file limit (at most 1,000 files) and uses the rest (at most 20,000) for connections.',
    read: integer(16, 1_000_000),
  },
  connectionsPerAddressMax: {
    name: 'ASSAY_CONNECTIONS_PER_ADDRESS_MAX',
    description:
      'Most connections that one address, or one IPv6 /64, may have open without having shown a valid key. Beyond it the ' +
      'oldest of them is closed. Connections that have shown a valid key do not count, so that many clients can share an address.',
    defaultText: '256',
    read: integer(1, 1_000_000),
  },
  headersMsMax: {
    name: 'ASSAY_HEADERS_MS_MAX',
    description:
      'Longest time that the headers of a request, or a TLS handshake, may take, in milliseconds; then the connection is closed.',
    defaultText: '20000',
    read: integer(100, 600_000),
  },
  bodyMsMax: {
    name: 'ASSAY_BODY_MS_MAX',
    description:
      'Longest time that a whole request may take to arrive, in milliseconds; then it is answered 408 and the connection is closed.',
    defaultText: '300000',
    read: integer(100, 3_600_000),
  },
  bodyBytesPerSecondMin: {
    name: 'ASSAY_BODY_BYTES_PER_SECOND_MIN',
    description:
      'Slowest average pace of a request body in bytes per second, after a grace period of 10 seconds; a slower one is ' +
      'answered 408. 0 allows any pace.',
    defaultText: '1024',
    read: integer(0, 1_048_576),
  },
  idleMsMax: {
    name: 'ASSAY_IDLE_MS_MAX',
    description:
      'How long a connection may stay open between an answer and the next request, in milliseconds. Set it to longer than ' +
      'a proxy in front keeps idle connections. Idle gRPC connections are closed after five times as long.',
    defaultText: '72000',
    read: integer(100, 3_600_000),
  },
  unreadMsMax: {
    name: 'ASSAY_UNREAD_MS_MAX',
    description:
      'How long a client may read nothing of an answer that waits for it, in milliseconds; then the connection is closed.',
    defaultText: '60000',
    read: integer(100, 3_600_000),
  },
  requestMemoryBytes: {
    name: 'ASSAY_REQUEST_MEMORY_BYTES',
    description:
      'Memory for the bodies of requests under way, from their announced length to their answer, decompressed bytes ' +
      'included. Beyond it requests are answered 429 before their body is read; an organization can take at most as much ' +
      'as it leaves free. By default an eighth of the memory of the machine or container, at most 256 MiB, and at least ' +
      'four times `ASSAY_BODY_BYTES_MAX`.',
    read: integer(1_048_576, 1_099_511_627_776),
  },
  tlsCertFile: {
    name: 'ASSAY_TLS_CERT_FILE',
    description:
      'File with a certificate and its chain, as PEM: HTTP and gRPC are then served over TLS 1.2 or newer only. A changed ' +
      'file is taken over within seconds, without closing connections.',
    read: (text) => path.resolve(text),
  },
  tlsKeyFile: {
    name: 'ASSAY_TLS_KEY_FILE',
    description: 'File with the key of `ASSAY_TLS_CERT_FILE`, as PEM.',
    read: (text) => path.resolve(text),
  },
  tlsClientCaFile: {
    name: 'ASSAY_TLS_CLIENT_CA_FILE',
    description:
      'File with the authorities of clients, as PEM. With it only clients that show a certificate of theirs are let in, ' +
      'health checks included. API keys are needed as before.',
    read: (text) => path.resolve(text),
  },
  metricsAccess: {
    name: 'ASSAY_METRICS_ACCESS',
    description:
      'Access to `/metrics`: `public`, anybody; `key`, callers with `ASSAY_METRICS_TOKEN` or with an API key of the ' +
      'operator that has the scope `admin`.',
    defaultText: 'public',
    read: oneOf(METRICS_ACCESS),
  },
  metricsToken: {
    name: 'ASSAY_METRICS_TOKEN',
    description:
      'A token that opens `/metrics` and nothing else, sent as `Authorization: Bearer`: 16 to 256 visible ASCII ' +
      'characters. Setting it means `ASSAY_METRICS_ACCESS` `key`.',
    isSecret: true,
    read: matching(/^[!-~]{16,256}$/, '16 to 256 visible ASCII characters'),
  },
  metricsPort: {
    name: 'ASSAY_METRICS_PORT',
    description:
      'TCP port on which `/metrics`, `/healthz` and `/readyz` are served, without TLS. `/metrics` is then not served on `PORT`.',
    read: integer(0, 65_535),
  },
  metricsHost: {
    name: 'ASSAY_METRICS_HOST',
    description: 'Address that `ASSAY_METRICS_PORT` listens on. Without it the address is `HOST`.',
    read: (text) => text,
  },
} satisfies { [Name in keyof Required<EdgeConfig>]: Setting<Required<EdgeConfig>[Name]> }

/** Settings that contradict each other, one message each. */
export function edgeFaults(config: Partial<EdgeConfig>): string[] {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile, metricsHost, metricsPort } = config
  const faults: string[] = []
  if ((tlsCertFile === undefined) !== (tlsKeyFile === undefined))
    faults.push('ASSAY_TLS_CERT_FILE and ASSAY_TLS_KEY_FILE need each other')
  if (tlsClientCaFile !== undefined && tlsCertFile === undefined)
    faults.push('ASSAY_TLS_CLIENT_CA_FILE needs ASSAY_TLS_CERT_FILE')
  if (metricsHost !== undefined && metricsPort === undefined)
    faults.push('ASSAY_METRICS_HOST needs ASSAY_METRICS_PORT')
  return faults
}

function addressRanges(text: string): string[] {
  const ranges = text.split(',').map((range) => range.trim())
  if (!ranges.every(isAddressRange)) throw new Error('addresses and CIDR ranges like 10.0.0.0/8,::1')
  return ranges
}

function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const bitsMax = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  if (bitsMax < 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax)
}
