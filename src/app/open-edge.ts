import { memoryBytesMax, openFilesMax } from '../adapters/system/process-limits.ts'
import type { Config } from '../config.ts'
import { BodyBudget } from '../http/body-budget.ts'
import { ConnectionTable } from '../http/connections/connection-table.ts'
import type { ListenerOptions } from '../http/connections/create-listener.ts'
import { TlsCertificates } from '../http/tls/tls-certificates.ts'
import { defined } from '../lib/defined.ts'
import type { Logger } from '../ports/logger.ts'

/** Descriptors that are left to files, databases, threads and judges. */
const OTHER_FILES_MAX = 1_000
const OTHER_FILES_SHARE = 1 / 4
/** As many as a process can look after when nothing else limits them. */
const CONNECTIONS_MAX = 20_000
/** Where the system does not tell how many descriptors there may be. */
const OPEN_FILES_LEAST = 1_024

/** The largest part of the memory that bodies of requests take by default, and in any case. */
const BODY_MEMORY_SHARE = 1 / 8
const BODY_MEMORY_BYTES_MAX = 268_435_456
/** One body must not take so much that the next one of another tenant finds no room. */
const LARGEST_BODIES = 4

/** The parts that all listeners of a process share. */
export interface Edge {
  readonly listener: ListenerOptions
  /** The same without TLS. */
  readonly plainListener: ListenerOptions
  readonly bodies: BodyBudget
  readonly certificates: TlsCertificates | undefined
  /** Most bytes of bodies in memory at the same time. */
  readonly bodyBytesTotal: number
}

/** Works out the limits of this process, and reads the certificate where there is one. */
export function openEdge(config: Config, logger: Logger): Edge {
  const { tlsCertFile, tlsKeyFile, tlsClientCaFile } = config
  const certificates =
    tlsCertFile === undefined || tlsKeyFile === undefined
      ? undefined
      : new TlsCertificates(
          {
            certFile: tlsCertFile,
            keyFile: tlsKeyFile,
            ...defined({ clientCaFile: tlsClientCaFile }),
          },
          logger,
        )
  const connections = new ConnectionTable({
    connectionsMax: config.connectionsMax ?? connectionsFor(openFilesMax() ?? OPEN_FILES_LEAST),
    connectionsPerAddressMax: config.connectionsPerAddressMax,
    trustedProxies: config.trustedProxies ?? [],
  })
  const bodyBytesTotal = config.requestMemoryBytes ?? bodyBytesFor(memoryBytesMax(), config.bodyBytesMax)
  const { headersMsMax, bodyMsMax, bodyBytesPerSecondMin, idleMsMax, unreadMsMax } = config
  const plainListener = {
    connections,
    headersMsMax,
    bodyMsMax,
    bodyBytesPerSecondMin,
    idleMsMax,
    unreadMsMax,
  }
  return {
    listener: { ...plainListener, ...(certificates ? { certificates } : {}) },
    plainListener,
    bodies: new BodyBudget(bodyBytesTotal),
    certificates,
    bodyBytesTotal,
  }
}

/** How many connections a process with that many descriptors accepts by default. */
export function connectionsFor(openFiles: number): number {
  const others = Math.min(OTHER_FILES_MAX, Math.ceil(openFiles * OTHER_FILES_SHARE))
  return Math.min(CONNECTIONS_MAX, openFiles - others)
}

/** How much memory bodies of requests get by default. */
export function bodyBytesFor(memoryBytes: number, bodyBytesMax: number): number {
  const share = Math.min(BODY_MEMORY_BYTES_MAX, Math.floor(memoryBytes * BODY_MEMORY_SHARE))
  return Math.max(share, bodyBytesMax * LARGEST_BODIES)
}
