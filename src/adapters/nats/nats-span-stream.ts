import { setTimeout as sleep } from 'node:timers/promises'
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import type { NatsConnection } from '@nats-io/transport-node'
import { PublicError } from '../../lib/public-error.ts'
import type {
  ConsumeLimits,
  HandleRequest,
  QueuedRequest,
  SpanStream,
  StopConsuming,
  StreamCounters,
  StreamState,
} from '../../ports/span-stream.ts'
import { checkVersion } from './check-version.ts'
import { connectToServers } from './connect-to-servers.ts'
import { encodeEnvelope } from './envelope.ts'
import { ForgottenMessages } from './forgotten-messages.ts'
import { LargeMessages } from './large-messages.ts'
import { makeConsumer, makeStreams } from './make-streams.ts'
import { type NatsOptions, namesOf, type StreamNames } from './nats-options.ts'
import { NatsParkedMessages } from './nats-parked-messages.ts'
import { SilentEnds } from './silent-ends.ts'
import { SpanConsumer } from './span-consumer.ts'

/** How long a quorum may take to acknowledge; after that the sender is told to try again. */
const PUBLISH_MS_MAX = 5_000
const RETRY_AFTER_MS = 2_000
/** A stream that is full is emptied by workers, which takes longer than an election. */
const FULL_RETRY_AFTER_MS = 10_000
/** Bytes that the servers take besides those of a message: subject and headers. */
const HEADERS_BYTES = 16_384
const SWEEP_MS = 600_000
/**
 * The interval of the search for forgotten messages, in ack-waits: a message that stays acknowledged for longer has
 * been lost by the server.
 */
const ACK_WAITS_PER_LOOK = 2
const INSUFFICIENT_RESOURCES = 10_023
const STREAM_STORE_FAILED = 10_077

/** Connects to the servers, makes what is missing there, and speaks of it in the words of the port. */
export async function openNatsSpanStream(options: NatsOptions): Promise<SpanStream> {
  const connection = await connectToServers(options)
  checkVersion(connection.info?.version, options.logger)
  const names = namesOf(options.prefix)
  try {
    const jsm = await jetstreamManager(connection, { checkAPI: false })
    await makeStreams(jsm, names, options)
    return new NatsSpanStream(connection, jetstream(connection), jsm, names, options)
  } catch (error) {
    await connection.close()
    throw new Error(`the streams of NATS cannot be used: ${(error as Error).message}`, { cause: error })
  }
}

class NatsSpanStream implements SpanStream {
  readonly parked: NatsParkedMessages
  readonly #connection: NatsConnection
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #names: StreamNames
  readonly #options: NatsOptions
  readonly #large: LargeMessages
  #payloadBytesMax = 0

  constructor(
    connection: NatsConnection,
    js: JetStreamClient,
    jsm: JetStreamManager,
    names: StreamNames,
    options: NatsOptions,
  ) {
    this.#connection = connection
    this.#js = js
    this.#jsm = jsm
    this.#names = names
    this.#options = options
    this.#large = new LargeMessages(js, jsm, names)
    this.#readPartBytes()
    this.parked = new NatsParkedMessages(js, jsm, names, this.#large)
  }

  async publish(request: QueuedRequest): Promise<void> {
    const message = encodeEnvelope(request)
    try {
      const partBytes = this.#readPartBytes()
      if (message.length <= partBytes) await this.#publish(this.#names.whole, message)
      else await this.#publishLarge(message, partBytes)
    } catch (error) {
      this.#options.logger.error({ err: error }, 'spans could not be queued')
      throw isFull(error)
        ? new PublicError('unavailable', 'the queue of spans is full; try again', FULL_RETRY_AFTER_MS)
        : new PublicError('unavailable', 'spans cannot be queued at the moment; try again', RETRY_AFTER_MS)
    }
  }

  consume(handle: HandleRequest, limits: ConsumeLimits, counters: StreamCounters): StopConsuming {
    const { attemptsMax, ackWaitMs, logger } = this.#options
    const { spans, consumer } = this.#names
    const running = new SpanConsumer({
      findConsumer: async () => {
        await makeConsumer(this.#jsm, this.#names, this.#options)
        return this.#js.consumers.get(spans, consumer)
      },
      large: this.#large,
      parked: this.parked,
      silentEnds: new SilentEnds(this.#js, this.#jsm, this.#names),
      handle,
      limits,
      counters,
      attemptsMax,
      ackWaitMs,
      logger,
    })
    const forgotten = new ForgottenMessages(this.#jsm, this.#names, this.#options, () =>
      makeConsumer(this.#jsm, this.#names, this.#options),
    )
    const stopping = new AbortController()
    void this.#repeat(SWEEP_MS, stopping.signal, () => this.#sweep())
    void this.#repeat(ACK_WAITS_PER_LOOK * ackWaitMs, stopping.signal, () => forgotten.look())
    return async () => {
      stopping.abort()
      await running.stop()
    }
  }

  async state(): Promise<StreamState> {
    const { spans, parked } = this.#names
    const [waiting, aside] = await Promise.all([
      this.#jsm.streams.info(spans),
      this.#jsm.streams.info(parked),
    ])
    const { messages, first_ts: firstAt } = waiting.state
    return {
      lagMessages: messages,
      lagSeconds: messages === 0 ? 0 : Math.max(0, (Date.now() - Date.parse(firstAt)) / 1_000),
      parked: aside.state.messages,
    }
  }

  async ping(): Promise<void> {
    await this.#jsm.streams.info(this.#names.spans)
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  /** How much of a message the servers take at once. Without a connection the last known size holds. */
  #readPartBytes(): number {
    this.#payloadBytesMax = this.#connection.info?.max_payload ?? this.#payloadBytesMax
    return this.#payloadBytesMax - HEADERS_BYTES
  }

  async #publishLarge(message: Uint8Array, partBytes: number): Promise<void> {
    const { group, ...reference } = await this.#large.storeParts(message, partBytes, PUBLISH_MS_MAX)
    await this.#publish(this.#names.large(group), JSON.stringify(reference))
  }

  /**
   * Without an id by which the servers would recognise a retry: they answer a retry with `duplicate` while the first copy
   * is still on its way, and when their leader dies then, what was answered is nowhere. So a retry is a message of its own,
   * and is recognised by the store, where a span is unique in its project.
   */
  async #publish(subject: string, message: Uint8Array | string): Promise<void> {
    await this.#js.publish(subject, message, { timeout: PUBLISH_MS_MAX })
  }

  async #sweep(): Promise<void> {
    const swept = await this.#large.sweep(Date.now())
    if (swept > 0)
      this.#options.logger.info({ swept }, 'parts of messages that nobody stands for were removed')
  }

  /** Does a piece of upkeep from time to time, whatever became of it the last time. */
  async #repeat(everyMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
    for (;;) {
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return
      try {
        await task()
      } catch (error) {
        if (signal.aborted) return
        this.#options.logger.warn({ err: error }, 'the streams of NATS could not be looked through')
      }
    }
  }
}

function isFull(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false
  if (error.code === INSUFFICIENT_RESOURCES) return true
  return error.code === STREAM_STORE_FAILED && /maximum (bytes|messages)/.test(error.message)
}
