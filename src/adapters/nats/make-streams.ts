import { setTimeout as sleep } from 'node:timers/promises'
import {
  AckPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import type { NatsOptions, StreamNames } from './nats-options.ts'

const REPLICAS = 3
/** Messages in the hands of all processes together. */
const ACK_PENDING_MAX = 10_000
/** Parked messages may take this part of what the stream may. */
const PARKED_SHARE = 4
/** How long a cluster that is starting is waited for. */
const START_MS_MAX = 30_000
const START_PAUSE_MS = 500
const NO_PEERS = 10_005

type Wanted = Partial<StreamConfig> & Pick<StreamConfig, 'name'>

/**
 * Makes the streams that are missing. One that exists keeps what an operator has set, but gets its copies when it has too
 * few. Copies need three servers; where there are fewer there is one copy, and a warning.
 */
export async function makeStreams(
  jsm: JetStreamManager,
  names: StreamNames,
  options: NatsOptions,
): Promise<void> {
  const wanted = wantedStreams(names, options)
  const replicas = await Promise.all(wanted.map((config) => makeStream(jsm, config, options)))
  const fewest = Math.min(...replicas)
  if (fewest < REPLICAS) {
    options.logger.warn(
      { replicas: fewest },
      `spans wait in ${fewest} copy only, because there are fewer than ${REPLICAS} NATS servers with JetStream; a lost disk loses them`,
    )
  }
  await whenReady(() => makeConsumer(jsm, names, options))
}

function wantedStreams(names: StreamNames, { prefix, bytesMax }: NatsOptions): Wanted[] {
  // A full stream refuses what comes, and the sender hears of it; the oldest would be lost in silence.
  const common = { storage: StorageType.File, discard: DiscardPolicy.New }
  return [
    {
      ...common,
      name: names.spans,
      subjects: [`${prefix}.spans.>`],
      retention: RetentionPolicy.Workqueue,
      max_bytes: bytesMax,
    },
    { ...common, name: names.parts, subjects: [`${prefix}.parts.>`], max_bytes: bytesMax },
    {
      ...common,
      name: names.parked,
      subjects: [`${prefix}.parked.>`],
      max_bytes: Math.ceil(bytesMax / PARKED_SHARE),
      allow_direct: true,
    },
  ]
}

/** Tells how many copies the stream has. */
async function makeStream(jsm: JetStreamManager, config: Wanted, options: NatsOptions): Promise<number> {
  const existing = await whenReady(() => findStream(jsm, config.name))
  const had = existing?.config.num_replicas
  const put = (replicas: number) =>
    existing
      ? jsm.streams.update(config.name, { ...existing.config, num_replicas: replicas })
      : jsm.streams.add({ ...config, num_replicas: replicas })
  if (existing && !existing.cluster?.name) {
    // A server that stands alone takes this number of copies for an existing stream, and at its next start refuses to load it.
    if (had !== 1) await whenReady(() => put(1))
    return 1
  }
  if (had !== undefined && had >= REPLICAS) return had
  // An operator who names three servers wants three copies: the service waits for one that is not there yet instead of
  // doing without it.
  const isNeeded = options.servers.length >= REPLICAS
  try {
    await whenReady(
      () => put(REPLICAS),
      (error) => isNeeded && isTooFew(error),
    )
    return REPLICAS
  } catch (error) {
    if (!(error instanceof JetStreamApiError) || isNeeded) throw error
    if (!existing) await whenReady(() => put(1))
    return had ?? 1
  }
}

function findStream(jsm: JetStreamManager, name: string): Promise<StreamInfo | undefined> {
  return orMissing(jsm.streams.info(name), JetStreamApiCodes.StreamNotFound)
}

/**
 * Makes the consumer that every process asks for messages, when it is missing. One that exists gets the time for a message
 * that these processes keep to; an operator has nothing to set there.
 */
export async function makeConsumer(
  jsm: JetStreamManager,
  { spans, consumer }: StreamNames,
  { ackWaitMs }: NatsOptions,
): Promise<void> {
  const ackWait = nanos(ackWaitMs)
  const existing = await orMissing(jsm.consumers.info(spans, consumer), JetStreamApiCodes.ConsumerNotFound)
  if (existing?.config.ack_wait === ackWait) return
  if (existing) await jsm.consumers.update(spans, consumer, { ack_wait: ackWait })
  else
    await jsm.consumers.add(spans, {
      durable_name: consumer,
      ack_policy: AckPolicy.Explicit,
      ack_wait: ackWait,
      max_ack_pending: ACK_PENDING_MAX,
      // Attempts are counted by those who make them: a delivery that met an outage of the store is none.
      max_deliver: -1,
    })
}

/** The answer of the servers; undefined when they say that the object does not exist. */
async function orMissing<Answer>(asked: Promise<Answer>, missing: number): Promise<Answer | undefined> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === missing) return undefined
    throw error
  }
}

/** Servers that have just started, or are choosing who leads, cannot answer yet. */
async function whenReady<Answer>(
  ask: () => Promise<Answer>,
  isAwaited = (_error: unknown) => false,
): Promise<Answer> {
  const untilMs = Date.now() + START_MS_MAX
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(isStarting(error) || isAwaited(error)) || Date.now() >= untilMs) throw error
      await sleep(START_PAUSE_MS)
    }
  }
}

/** Whether the servers know of too few among them for the copies. */
function isTooFew(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === NO_PEERS
}

function isStarting(error: unknown): boolean {
  // 503: temporarily unavailable. The names below mean that JetStream gave no answer.
  if (error instanceof JetStreamApiError) return error.status === 503
  return ['TimeoutError', 'RequestError', 'NoRespondersError'].includes((error as Error).name)
}
