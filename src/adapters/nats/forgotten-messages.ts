import type { JetStreamManager } from '@nats-io/jetstream'
import type { NatsOptions, StreamNames } from './nats-options.ts'

/** One look at the stream and its consumer. */
interface Look {
  readonly created: string
  /** Messages up to this one are done, as the consumer says. */
  readonly doneUpTo: number
  /** The first message of the stream, where the consumer says that none waits and none is in hand; otherwise undefined. */
  readonly skipped: number | undefined
}

/**
 * Messages that lie in the stream although its consumer does not hand them out: it counts them as done, or has passed them
 * without having them in hand. Servers that were killed can come back with a consumer that knows of more than their copy of the
 * stream does, or have not removed what was acknowledged; nats-server 2.9 was also seen with a consumer that had passed three
 * messages of which none was done, waiting or in hand. From here it cannot be seen whether such a message was stored. So the
 * consumer is made anew, which hands out again all that is in the stream; the store recognises what was stored before.
 */
export class ForgottenMessages {
  readonly #jsm: Pick<JetStreamManager, 'consumers' | 'streams'>
  readonly #names: StreamNames
  readonly #options: Pick<NatsOptions, 'logger'>
  readonly #makeAnew: () => Promise<unknown>
  #before: Look | undefined
  /** The first message that was skipped when the consumer was made anew because of that. */
  #mendedAt: number | undefined

  constructor(
    jsm: Pick<JetStreamManager, 'consumers' | 'streams'>,
    names: StreamNames,
    options: Pick<NatsOptions, 'logger'>,
    makeAnew: () => Promise<unknown>,
  ) {
    this.#jsm = jsm
    this.#names = names
    this.#options = options
    this.#makeAnew = makeAnew
  }

  /** Looks for them, and brings them back when the last look found the same. */
  async look(): Promise<void> {
    const { spans, consumer } = this.#names
    // In this order: a consumer cannot have seen what the stream did not have yet.
    const info = await this.#jsm.consumers.info(spans, consumer)
    const { state } = await this.#jsm.streams.info(spans)
    const isIdle = info.num_pending === 0 && info.num_ack_pending === 0
    const hasPassed = state.messages > 0 && state.first_seq <= info.delivered.stream_seq
    const now: Look = {
      created: info.created,
      doneUpTo: info.ack_floor.stream_seq,
      skipped: isIdle && hasPassed ? state.first_seq : undefined,
    }
    const before = this.#before
    this.#before = now
    if (before?.created !== now.created) return
    // A stream that is empty says the number of its next message, which must not be a done one either.
    const isDone = state.first_seq <= before.doneUpTo
    // Once only: where a new consumer passes them too, only one of the servers still has them, and all others know them as done.
    const isSkipped =
      now.skipped !== undefined && now.skipped === before.skipped && now.skipped !== this.#mendedAt
    if (!isDone && !isSkipped) return
    this.#options.logger.warn(
      { messages: state.messages, first: state.first_seq, doneUpTo: before.doneUpTo },
      'the servers of NATS count messages as done that are still in the stream; what is in it is handed out again',
    )
    if (isSkipped) this.#mendedAt = now.skipped
    await this.#jsm.consumers.delete(spans, consumer)
    await this.#makeAnew()
  }
}
