import { setTimeout as sleep } from 'node:timers/promises'
import type { Consumer, JsMsg } from '@nats-io/jetstream'
import type { Logger } from '../../ports/logger.ts'
import type {
  ConsumeLimits,
  Handled,
  HandleRequest,
  QueuedRequest,
  StreamCounters,
} from '../../ports/span-stream.ts'
import { Attempts } from './attempts.ts'
import { decodeEnvelope } from './envelope.ts'
import { type LargeMessages, readReference } from './large-messages.ts'
import { groupOf } from './nats-options.ts'
import type { NatsParkedMessages } from './nats-parked-messages.ts'
import { Room } from './room.ts'
import type { SilentEnds } from './silent-ends.ts'

/** How long one question for a message stays open; also how long a stop may take when there is nothing to do. */
const ASK_MS = 1_000
/** A worker extends its hold on a message this often, before the time of the hold is over. */
const SIGNS_OF_LIFE = 3
/** A message that has failed comes again after this, and then each time after twice as long. */
const RETRY_MS_MIN = 1_000
const RETRY_MS_MAX = 300_000
/** While the store is away, nothing is asked for; first for this long, then each time for twice as long. */
const OUTAGE_MS_MIN = 500
const OUTAGE_MS_MAX = 15_000

/** The dependencies of a consumer. */
export interface SpanConsumerDeps {
  /** Where messages are asked for; found again after a fault, because the servers may have lost or moved it. */
  readonly findConsumer: () => Promise<Consumer>
  readonly large: LargeMessages
  readonly parked: NatsParkedMessages
  readonly silentEnds: SilentEnds
  readonly handle: HandleRequest
  readonly limits: ConsumeLimits
  readonly counters: StreamCounters
  readonly attemptsMax: number
  readonly ackWaitMs: number
  readonly logger: Logger
}

/** Asks for messages one by one, in as many lanes as may be under way, and sees each to its end. */
export class SpanConsumer {
  readonly #deps: SpanConsumerDeps
  readonly #attempts = new Attempts()
  readonly #room: Room
  readonly #lanes: Promise<void>[]
  readonly #stopping = new AbortController()
  #outageMs = 0
  #pausedUntilMs = 0
  #isAnswered = true

  constructor(deps: SpanConsumerDeps) {
    this.#deps = deps
    this.#room = new Room(deps.limits.bytesMax)
    this.#lanes = Array.from({ length: deps.limits.messagesMax }, () => this.#runLane())
  }

  /** Asks for nothing more and waits for what is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await Promise.all(this.#lanes)
  }

  async #runLane(): Promise<void> {
    const { signal } = this.#stopping
    let consumer: Consumer | undefined
    while (!signal.aborted) {
      try {
        await this.#pause(this.#pausedUntilMs - Date.now())
        if (signal.aborted) return
        consumer ??= await this.#deps.findConsumer()
        const message = await consumer.next({ expires: ASK_MS })
        this.#isAnswered = true
        if (message) await this.#take(message)
      } catch (error) {
        // The servers are away or are choosing who leads. The message in hand is delivered again.
        consumer = undefined
        if (this.#isAnswered)
          this.#deps.logger.warn({ err: error }, 'the stream does not answer at the moment')
        this.#isAnswered = false
        await this.#pause(RETRY_MS_MIN)
      }
    }
  }

  async #take(message: JsMsg): Promise<void> {
    if (message.redelivered) this.#deps.counters.countRedelivered()
    const signsOfLife = setInterval(() => message.working(), this.#deps.ackWaitMs / SIGNS_OF_LIFE)
    try {
      await this.#settle(message)
    } finally {
      clearInterval(signsOfLife)
    }
  }

  /** Acknowledges the message, parks it, or has it come again. */
  async #settle(message: JsMsg): Promise<void> {
    const sized = sizeOf(message)
    if (typeof sized !== 'number') return this.#park(message, sized.unreadable)
    if (message.info.deliveryCount > this.#deps.attemptsMax) return this.#trySuspect(message)
    await this.#room.within(sized, () => this.#try(message))
  }

  /**
   * One that has come so often that it may be what ends the processes that take it. It is tried alone, so that none of its
   * neighbours is taken for it.
   */
  async #trySuspect(message: JsMsg): Promise<void> {
    const { silentEnds, limits, attemptsMax } = this.#deps
    await this.#room.within(limits.bytesMax, async () => {
      // Those that waited for their turn do not meet an outage one after the other.
      if (this.#stopping.signal.aborted || Date.now() < this.#pausedUntilMs) return this.#giveBack(message)
      const ends = await silentEnds.begin(message.seq)
      try {
        if (ends >= attemptsMax) await this.#park(message, `ended ${ends} times whoever took it`)
        else await this.#try(message)
      } finally {
        await silentEnds.clear(message.seq)
      }
    })
  }

  async #try(message: JsMsg): Promise<void> {
    const request = await this.#open(message)
    if ('unreadable' in request) return this.#park(message, request.unreadable)
    let handled: Handled
    try {
      handled = await this.#deps.handle(request)
    } catch (error) {
      return this.#fail(message, error)
    }
    if (handled === 'unavailable') return this.#giveBack(message)
    this.#outageMs = 0
    return handled === 'done' ? this.#finish(message) : this.#park(message, handled.unreadable)
  }

  /** An error thrown here is a fault of the servers and no attempt at the message, which is delivered again. */
  async #open(message: JsMsg): Promise<QueuedRequest | Unreadable> {
    const group = groupOf(message.subject)
    const whole =
      group === undefined
        ? message.data
        : await this.#deps.large.readParts(group, readReference(message.data))
    if (!whole) return { unreadable: 'parts of the message are missing' }
    return orUnreadable(() => decodeEnvelope(whole))
  }

  async #finish(message: JsMsg): Promise<void> {
    this.#attempts.countTaken(message.seq)
    await message.ackAck()
    const group = groupOf(message.subject)
    // After the acknowledgement: a message that comes again finds its parts.
    if (group !== undefined) await this.#deps.large.removeParts(group)
  }

  async #fail(message: JsMsg, error: unknown): Promise<void> {
    const { attemptsMax, logger } = this.#deps
    const { attempts, failures } = this.#attempts.count(message.seq)
    logger.error({ err: error, message: message.seq, attempts }, 'a message could not be stored')
    if (attempts >= attemptsMax) {
      const reason = error instanceof Error ? error.message : String(error)
      return this.#park(message, `failed ${attempts} times: ${reason}`)
    }
    message.nak(Math.min(RETRY_MS_MIN * 2 ** (failures - 1), RETRY_MS_MAX))
  }

  /** No attempt: the store is away. All messages here wait, so that the stream is not run through in vain. */
  #giveBack(message: JsMsg): void {
    const nowMs = Date.now()
    // Those that were under way together have met the same outage.
    if (nowMs >= this.#pausedUntilMs) {
      this.#outageMs = Math.min(Math.max(this.#outageMs * 2, OUTAGE_MS_MIN), OUTAGE_MS_MAX)
      this.#pausedUntilMs = nowMs + this.#outageMs
    }
    message.nak(this.#pausedUntilMs - nowMs)
  }

  /** Stored aside first, acknowledged then: a process that dies in between has it parked twice, and never lost. */
  async #park(message: JsMsg, reason: string): Promise<void> {
    const { parked, counters, logger } = this.#deps
    await parked.park(message, reason)
    await message.ackAck()
    this.#attempts.forget(message.seq)
    counters.countParked()
    logger.error({ message: message.seq, reason }, 'a message was parked; see assay parked list')
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}

interface Unreadable {
  readonly unreadable: string
}

/** Bytes that the message takes when it is put together. */
function sizeOf(message: JsMsg): number | Unreadable {
  if (groupOf(message.subject) === undefined) return message.data.length
  return orUnreadable(() => readReference(message.data).bytes)
}

function orUnreadable<Value>(read: () => Value): Value | Unreadable {
  try {
    return read()
  } catch (error) {
    return { unreadable: (error as Error).message }
  }
}
