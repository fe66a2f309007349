import type { JetStreamClient, JetStreamManager, JsMsg, StoredMsg } from '@nats-io/jetstream'
import { headers } from '@nats-io/transport-node'
import type { ParkedDetail, ParkedMessage, ParkedMessages, QueuedRequest } from '../../ports/span-stream.ts'
import { decodeEnvelope } from './envelope.ts'
import { type LargeMessages, readReference } from './large-messages.ts'
import { groupOf, type StreamNames } from './nats-options.ts'

const REASON = 'Assay-Reason'
const REASON_CHARS_MAX = 500
const PUBLISH_MS_MAX = 5_000

/** Messages that could not be stored, in a stream of their own; their id is their number in it. */
export class NatsParkedMessages implements ParkedMessages {
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #names: StreamNames
  readonly #large: LargeMessages

  constructor(js: JetStreamClient, jsm: JetStreamManager, names: StreamNames, large: LargeMessages) {
    this.#js = js
    this.#jsm = jsm
    this.#names = names
    this.#large = large
  }

  /**
   * Puts a message aside; resolves when it is stored there. Its parts stay where they are. A process that dies before the
   * message is acknowledged parks it once more, and no id prevents that: see how requests are published.
   */
  async park(message: JsMsg, reason: string): Promise<void> {
    const group = groupOf(message.subject)
    const said = headers()
    said.set(REASON, oneLine(reason))
    await this.#js.publish(
      group === undefined ? this.#names.parkedWhole : this.#names.parkedLarge(group),
      message.data,
      { headers: said, timeout: PUBLISH_MS_MAX },
    )
  }

  async list(limit: number, afterId = 0): Promise<ParkedMessage[]> {
    const found: ParkedMessage[] = []
    let seq = afterId + 1
    while (found.length < limit) {
      const message = await this.#jsm.direct.getMessage(this.#names.parked, { seq, next_by_subj: '>' })
      if (!message) break
      found.push(describe(message))
      seq = message.seq + 1
    }
    return found
  }

  async read(id: number): Promise<ParkedDetail | undefined> {
    const message = await this.#find(id)
    if (!message) return undefined
    const request = await this.#decode(message)
    return { ...describe(message), ...(request ? { request } : {}) }
  }

  async replay(id: number): Promise<boolean> {
    const message = await this.#find(id)
    if (!message) return false
    const group = groupOf(message.subject)
    await this.#js.publish(group === undefined ? this.#names.whole : this.#names.large(group), message.data, {
      timeout: PUBLISH_MS_MAX,
    })
    await this.#jsm.streams.deleteMessage(this.#names.parked, id)
    return true
  }

  async drop(id: number): Promise<boolean> {
    const message = await this.#find(id)
    if (!message) return false
    await this.#jsm.streams.deleteMessage(this.#names.parked, id)
    const group = groupOf(message.subject)
    if (group !== undefined) await this.#large.removeUnused(group)
    return true
  }

  #find(id: number): Promise<StoredMsg | null> {
    return this.#jsm.streams.getMessage(this.#names.parked, { seq: id })
  }

  async #decode(message: StoredMsg): Promise<QueuedRequest | undefined> {
    const group = groupOf(message.subject)
    try {
      if (group === undefined) return decodeEnvelope(message.data)
      const whole = await this.#large.readParts(group, readReference(message.data))
      return whole && decodeEnvelope(whole)
    } catch {
      return undefined
    }
  }
}

function describe(message: StoredMsg): ParkedMessage {
  return {
    id: message.seq,
    reason: message.header.get(REASON),
    parkedAtMs: message.time.getTime(),
    bytes: message.data.length,
  }
}

/** Headers are lines of printable ASCII. */
function oneLine(reason: string): string {
  return reason.replace(/[^ -~]+/g, ' ').slice(0, REASON_CHARS_MAX)
}
