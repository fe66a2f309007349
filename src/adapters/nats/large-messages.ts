import { Buffer } from 'node:buffer'
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream'
import { nuid } from '@nats-io/transport-node'
import type { StreamNames } from './nats-options.ts'

/** Parts of one message that are on their way at the same time. */
const PARTS_AT_ONCE = 4
/** Parts without a message that stands for them may belong to one that is being published; not when they are this old. */
const ORPHAN_MS = 3_600_000

/** The content of the message that stands for a group of parts. */
export interface Reference {
  readonly parts: number
  readonly bytes: number
}

/**
 * Messages that are larger than the servers take. The parts lie in a stream of their own, each under a subject that names
 * its group; the message that stands for them is published when all of them are stored, and is the only one that is handed
 * out. So a part is nothing that could be handed out twice or to the wrong worker, and a worker that dies on the way has
 * changed nothing. Parts are removed after their message was acknowledged; those without a message are swept.
 */
export class LargeMessages {
  readonly #js: JetStreamClient
  readonly #jsm: JetStreamManager
  readonly #names: StreamNames

  constructor(js: JetStreamClient, jsm: JetStreamManager, names: StreamNames) {
    this.#js = js
    this.#jsm = jsm
    this.#names = names
  }

  /** Stores the parts under a name that was never used before, and tells it. */
  async storeParts(
    message: Uint8Array,
    partBytes: number,
    timeoutMs: number,
  ): Promise<Reference & { readonly group: string }> {
    if (partBytes <= 0) throw new Error('it is not known how much the servers take at once')
    const group = nuid.next()
    const parts = Math.ceil(message.length / partBytes)
    for (let from = 0; from < parts; from += PARTS_AT_ONCE) {
      const numbers = Array.from({ length: Math.min(PARTS_AT_ONCE, parts - from) }, (_, at) => from + at)
      await Promise.all(
        numbers.map((number) =>
          this.#js.publish(
            this.#names.part(group, number),
            message.subarray(number * partBytes, (number + 1) * partBytes),
            { timeout: timeoutMs },
          ),
        ),
      )
    }
    return { group, parts, bytes: message.length }
  }

  /** The message that was taken apart; undefined when a part is missing. */
  async readParts(group: string, { parts, bytes }: Reference): Promise<Uint8Array | undefined> {
    const read: Uint8Array[] = []
    for (let number = 0; number < parts; number++) {
      // From the leader, which has everything that was acknowledged.
      const part = await this.#jsm.streams.getMessage(this.#names.parts, {
        last_by_subj: this.#names.part(group, number),
      })
      if (!part) return undefined
      read.push(part.data)
    }
    const message = Buffer.concat(read)
    return message.length === bytes ? message : undefined
  }

  async removeParts(group: string): Promise<void> {
    await this.#jsm.streams.purge(this.#names.parts, { filter: this.#names.part(group, '*') })
  }

  /** Removes parts, unless another message stands for them: one that was parked twice, or replayed before it was dropped. */
  async removeUnused(group: string): Promise<void> {
    if (!(await this.#isUsed(group))) await this.removeParts(group)
  }

  /** Removes parts that no message stands for: what is left of a publisher or a worker that died. */
  async sweep(nowMs: number): Promise<number> {
    let swept = 0
    for (const group of await this.#groups()) {
      if (!(await this.#isOrphan(group, nowMs))) continue
      await this.removeParts(group)
      swept++
    }
    return swept
  }

  async #groups(): Promise<ReadonlySet<string>> {
    const { state } = await this.#jsm.streams.info(this.#names.parts, { subjects_filter: '>' })
    const groups = Object.keys(state.subjects ?? {}).map((subject) => subject.split('.').at(-2) ?? '')
    return new Set(groups)
  }

  async #isOrphan(group: string, nowMs: number): Promise<boolean> {
    const { parts, part } = this.#names
    const newest = await this.#jsm.streams.getMessage(parts, { last_by_subj: part(group, '*') })
    if (!newest || nowMs - newest.time.getTime() < ORPHAN_MS) return false
    return !(await this.#isUsed(group))
  }

  async #isUsed(group: string): Promise<boolean> {
    const { spans, parked, large, parkedLarge } = this.#names
    const reference = { last_by_subj: large(group) }
    if (await this.#jsm.streams.getMessage(spans, reference)) return true
    if (await this.#jsm.streams.getMessage(parked, { last_by_subj: parkedLarge(group) })) return true
    // Again, because it may have come back from the parked ones in between.
    return (await this.#jsm.streams.getMessage(spans, reference)) !== null
  }
}

/** Reads what a message says about its parts; throws when it does not. */
export function readReference(message: Uint8Array): Reference {
  const { parts, bytes } = Object(JSON.parse(Buffer.from(message).toString())) as Partial<Reference>
  if (!isPositive(parts) || !isPositive(bytes)) {
    throw new Error('the message does not say what its parts are')
  }
  return { parts, bytes }
}

function isPositive(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0
}
