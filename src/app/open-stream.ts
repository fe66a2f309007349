import type { Config } from '../config.ts'
import { defined } from '../lib/defined.ts'
import type { Logger } from '../ports/logger.ts'
import type { ConsumeLimits, SpanStream } from '../ports/span-stream.ts'

/**
 * A request that a worker had in hand when it died comes again after this. The living say several times in it that they are still
 * at it, and one that comes twice is stored once, so it can be short.
 */
const ACK_WAIT_MS = 8_000

/** Requests out of the stream that one process may have in hand. */
export const INTAKE_LIMITS: ConsumeLimits = { messagesMax: 16, bytesMax: 67_108_864 }

/** The stream that the settings name; undefined when spans go into the store directly. */
export async function openStream(config: Config, logger: Logger): Promise<SpanStream | undefined> {
  const { natsUrl, natsSync, natsMonitorUrl, natsCredentials } = config
  if (natsUrl === undefined) return undefined
  // Loaded only where it is used, so that a start without it does not wait for it.
  const { checkSync } = await import('../adapters/nats/check-sync.ts')
  const { openNatsSpanStream } = await import('../adapters/nats/nats-span-stream.ts')
  await checkSync({ monitorUrls: natsMonitorUrl ?? [], ...(natsSync ? { said: natsSync } : {}), logger })
  return openNatsSpanStream({
    servers: natsUrl,
    ...defined({ credentialsFile: natsCredentials }),
    prefix: config.natsStream,
    bytesMax: config.natsBytesMax,
    attemptsMax: config.natsAttemptsMax,
    ackWaitMs: ACK_WAIT_MS,
    logger,
  })
}
