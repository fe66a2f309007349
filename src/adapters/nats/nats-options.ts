import type { Logger } from '../../ports/logger.ts'

/** Where the servers are and how they are used. */
export interface NatsOptions {
  readonly servers: readonly string[]
  /** A file with a user's credentials; without it those in the addresses, if any. */
  readonly credentialsFile?: string
  /** Begins the names of the streams and of their subjects, so that several installations can share servers. */
  readonly prefix: string
  /** Size of the stream of spans when it is made; an existing one keeps its own. */
  readonly bytesMax: number
  /** How often a message may fail before it is parked. */
  readonly attemptsMax: number
  /** How long a worker may hold a message without a sign of life, before another gets it. */
  readonly ackWaitMs: number
  readonly logger: Logger
}

/** The streams and subjects of one installation. */
export interface StreamNames {
  readonly spans: string
  readonly parts: string
  readonly parked: string
  readonly consumer: string
  /** The subject of messages that are whole. */
  readonly whole: string
  /** The subject of the message that stands for a group of parts. */
  readonly large: (group: string) => string
  readonly part: (group: string, number: number | '*') => string
  readonly parkedWhole: string
  readonly parkedLarge: (group: string) => string
}

/** The names that follow from a prefix. */
export function namesOf(prefix: string): StreamNames {
  return {
    spans: `${prefix}-spans`,
    parts: `${prefix}-parts`,
    parked: `${prefix}-parked`,
    consumer: 'workers',
    whole: `${prefix}.spans.whole`,
    large: (group) => `${prefix}.spans.large.${group}`,
    part: (group, number) => `${prefix}.parts.${group}.${number}`,
    parkedWhole: `${prefix}.parked.whole`,
    parkedLarge: (group) => `${prefix}.parked.large.${group}`,
  }
}

/** The group that a subject names; undefined for a message that is whole. */
export function groupOf(subject: string): string | undefined {
  return /\.large\.([^.]+)$/.exec(subject)?.[1]
}
