import type { EnvironmentTenant } from '../domain/tenant.ts'
import type { PackedSpans } from '../lib/otlp/stored-spans.ts'

/** One request that was read and packed, and not yet matched: what travels from those who receive to those who store. */
export interface QueuedRequest extends PackedSpans {
  /** Its spans carry nothing but events that came as logs and belong to spans that are stored apart from them. */
  readonly isContent?: true
  readonly tenant: EnvironmentTenant
  readonly receivedAtMs: number
}

/**
 * The outcome of a message at its consumer.
 *
 *   done          it may go
 *   unavailable   the store cannot take it at the moment; however often that happens, it is no fault of the message
 *   unreadable    it will never be readable, so that trying again is of no use; the text says why
 */
export type Handled = 'done' | 'unavailable' | { readonly unreadable: string }

/** Takes one message; what it throws is a failed attempt at this message. */
export type HandleRequest = (request: QueuedRequest) => Promise<Handled>

/** How much may be in the hands of one process at the same time. */
export interface ConsumeLimits {
  readonly messagesMax: number
  /** Of all messages together, compressed. One message is taken whatever its size. */
  readonly bytesMax: number
}

/** How the stream is doing. */
export interface StreamState {
  /** Messages that are not acknowledged yet, those under way included. */
  readonly lagMessages: number
  /** How long the oldest of them has been waiting; 0 when there is none. */
  readonly lagSeconds: number
  readonly parked: number
}

/** A message that was put aside, as a list shows it. */
export interface ParkedMessage {
  readonly id: number
  readonly reason: string
  readonly parkedAtMs: number
  readonly bytes: number
}

/** One parked message; without `request` when it cannot be decoded. */
export interface ParkedDetail extends ParkedMessage {
  readonly request?: QueuedRequest
}

/** Messages put aside because they could not be stored; they stay until an operator replays or drops them. */
export interface ParkedMessages {
  /** The oldest first, behind the message of that id. */
  list(limit: number, afterId?: number): Promise<ParkedMessage[]>
  read(id: number): Promise<ParkedDetail | undefined>
  /** Puts a message back into the stream with all its attempts; false when there is none of that id. */
  replay(id: number): Promise<boolean>
  drop(id: number): Promise<boolean>
}

/** Told about what happens to messages; must not throw. */
export interface StreamCounters {
  /** A message was handed out that had been handed out before. */
  countRedelivered(): void
  countParked(): void
}

/** Stops the handing out; resolves when no handler holds a message any more. */
export type StopConsuming = () => Promise<void>

/**
 * The replicated queue between those who receive spans and those who store them.
 *
 * Messages are handed out at least once and in no particular order. Nothing is thrown away: a message is acknowledged, comes
 * again, or is parked.
 */
export interface SpanStream {
  /**
   * Resolves when a quorum of the servers has the request. Rejects with a public error when that is not known within a few
   * seconds, or when the stream is full; the sender has to try again then. A request that is published twice is handed out
   * twice.
   */
  publish(request: QueuedRequest): Promise<void>
  /**
   * Hands out messages, to each of all the processes that ask a share. A message is parked after it failed as often as it
   * may, or at once when it is unreadable.
   */
  consume(handle: HandleRequest, limits: ConsumeLimits, counters: StreamCounters): StopConsuming
  state(): Promise<StreamState>
  /** Readiness: resolves when the stream answers. */
  ping(): Promise<void>
  readonly parked: ParkedMessages
  close(): Promise<void>
}
