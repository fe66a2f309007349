import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import type { NatsOptions } from '../../src/adapters/nats/nats-options.ts'
import { openNatsSpanStream } from '../../src/adapters/nats/nats-span-stream.ts'
import type {
  ConsumeLimits,
  HandleRequest,
  QueuedRequest,
  SpanStream,
  StreamCounters,
} from '../../src/ports/span-stream.ts'
import { recordingLogger } from './recording-logger.ts'

const LIMITS: ConsumeLimits = { messagesMax: 4, bytesMax: 20_000_000 }

/** A request whose bytes are a text; what travels is not looked into on the way. */
export function queuedRequest(text: string, projectId = 'project'): QueuedRequest {
  return {
    tenant: { orgId: 'org', projectId, envProjectId: 'environment' },
    receivedAtMs: 1_700_000_000_000,
    bytes: Buffer.from(text),
    byteLength: text.length,
    knownFaults: [1, 3],
  }
}

/** A request that cannot be compressed. */
export function largeRequest(byteLength: number): QueuedRequest {
  return { ...queuedRequest(''), bytes: randomBytes(byteLength), byteLength }
}

/** A consumer's counts of messages. */
export interface Told {
  redelivered: number
  parked: number
}

/** A stream on servers that run, closed when the test ends, and what it says in the log. */
export async function openStream(servers: readonly string[], changes: Partial<NatsOptions> = {}) {
  const lines: string[] = []
  const stream = await openNatsSpanStream({
    servers,
    prefix: 'assay',
    bytesMax: 100_000_000,
    attemptsMax: 3,
    ackWaitMs: 30_000,
    logger: recordingLogger(lines),
    ...changes,
  })
  const stops: (() => Promise<void>)[] = []
  after(async () => {
    await Promise.all(stops.map((stop) => stop()))
    await stream.close()
  })
  const told: Told = { redelivered: 0, parked: 0 }
  const counters: StreamCounters = {
    countRedelivered: () => void told.redelivered++,
    countParked: () => void told.parked++,
  }
  const consume = (handle: HandleRequest, limits: Partial<ConsumeLimits> = {}) => {
    const stop = stream.consume(handle, { ...LIMITS, ...limits }, counters)
    stops.push(stop)
    return stop
  }
  return { stream, lines, told, consume }
}

/** The text of a request. */
export function textOf({ bytes }: Pick<QueuedRequest, 'bytes'>): string {
  return Buffer.from(bytes).toString()
}

/** Waits until something is so; fails when it does not become so. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  msMax = 300_000,
): Promise<void> {
  const untilMs = Date.now() + msMax
  while (!(await isSo())) {
    if (Date.now() >= untilMs) throw new Error(`${what}: not so after ${msMax} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Asks until the servers answer: while they choose a leader, none does. */
export async function answered<Answer>(ask: () => Promise<Answer>, msMax = 300_000): Promise<Answer> {
  const untilMs = Date.now() + msMax
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (Date.now() >= untilMs) throw error
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

/** Publishes until the servers take it, as an exporter does. */
export async function publishWithRetries(stream: SpanStream, request: QueuedRequest): Promise<void> {
  await answered(() => stream.publish(request))
}
