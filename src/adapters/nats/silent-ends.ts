import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import type { StreamNames } from './nats-options.ts'

const PUBLISH_MS_MAX = 5_000
/** Marks lie among the parts of large messages, as a group of this name, and are swept like these. */
const GROUP = 'begun'

/**
 * How often in a row the worker of a message has ended without a word about it. Such a message may be the cause, and
 * no process is left to count that. The servers' count of deliveries cannot tell: it holds outages of the store and restarts as
 * well. So a mark is set before a message is tried, and taken away by whatever comes of it.
 */
export class SilentEnds {
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #names: StreamNames

  constructor(js: JetStreamClient, jsm: JetStreamManager, names: StreamNames) {
    this.#js = js
    this.#jsm = jsm
    this.#names = names
  }

  /** Sets the mark, and tells how many marks have been left behind. */
  async begin(message: number): Promise<number> {
    const subject = this.#names.part(GROUP, message)
    const left = await this.#jsm.streams.getMessage(this.#names.parts, { last_by_subj: subject })
    const ends = left ? Number(left.string()) : 0
    await this.#js.publish(subject, String(ends + 1), { timeout: PUBLISH_MS_MAX })
    return ends
  }

  async clear(message: number): Promise<void> {
    await this.#jsm.streams.purge(this.#names.parts, { filter: this.#names.part(GROUP, message) })
  }
}
