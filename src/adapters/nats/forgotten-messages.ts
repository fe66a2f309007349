import type { JetStreamManager } from '@nats-io/jetstream'
import { makeConsumer } from './make-streams.ts'
import type { NatsOptions, StreamNames } from './nats-options.ts'

/**
 * Messages that lie in the stream although its consumer counts them as done, so that nobody gets them any more. Servers that
 * were killed can come back with a consumer that knows of more than their copy of the stream does, or have not removed
 * what was acknowledged. From here it cannot be seen whether such a message was stored. So the consumer is made anew, which
 * hands out again all that is in the stream; what was stored before is recognised by the store.
 */
export class ForgottenMessages {
  readonly #jsm: JetStreamManager
  readonly #names: StreamNames
  readonly #options: NatsOptions
  #seen: { readonly created: string; readonly doneUpTo: number } | undefined

  constructor(jsm: JetStreamManager, names: StreamNames, options: NatsOptions) {
    this.#jsm = jsm
    this.#names = names
    this.#options = options
  }

  /** Looks for them, and brings them back when what was done at the last look is still there. */
  async look(): Promise<void> {
    const { spans, consumer } = this.#names
    // In this order: a consumer cannot have seen what the stream did not have yet.
    const { created, ack_floor: done } = await this.#jsm.consumers.info(spans, consumer)
    const { state } = await this.#jsm.streams.info(spans)
    const before = this.#seen
    this.#seen = { created, doneUpTo: done.stream_seq }
    // A stream that is empty says the number of its next message, which must not be a done one either.
    if (before?.created !== created || state.first_seq > before.doneUpTo) return
    this.#options.logger.warn(
      { messages: state.messages, first: state.first_seq, doneUpTo: before.doneUpTo },
      'the servers of NATS count messages as done that are still in the stream; what is in it is handed out again',
    )
    await this.#jsm.consumers.delete(spans, consumer)
    await makeConsumer(this.#jsm, this.#names, this.#options)
  }
}
