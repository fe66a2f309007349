import type { TestSpan } from '../otlp/encode-traces.ts'

/** A span that a client sends, and what may be expected of it. */
export interface SimulatedSpan {
  readonly key: string
  readonly traceId: string
  readonly spanId: string
  readonly sessionId: string | undefined
  readonly completion: string
  readonly encoded: TestSpan
  /** Setups that were acknowledged before it was first sent, by external id and definition. */
  readonly setupsBefore: ReadonlyMap<string, string>
  /** The time of day of its first acknowledgement. */
  ackedAtMs?: number
  /** It may be gone or hidden: its deletion was asked for, whether or not that was ever acknowledged. */
  isExcused: boolean
  /** It must be hidden: its deletion was acknowledged. */
  isDeleted: boolean
  /** Requests that hold it and may still arrive. */
  isOnItsWay: number
  /** Requests that have held it so far. */
  timesAsked: number
  /** How often data had expired when it was first sent; undefined before. */
  expiriesBefore?: number
  /** Its trace may not be known as deleted: sent again, it is a new span. */
  mayComeAnew: boolean
}

/** A setup as clients believe it to be. */
export interface SimulatedSetup {
  readonly externalId: string
  /** Names what it selects and evaluates; undefined when a change to it is under way or it may be deleted. */
  definition: string | undefined
}

/** The knowledge of the clients: everything acknowledged, and everything that may have happened. */
export class Model {
  readonly spans = new Map<string, SimulatedSpan>()
  readonly setups = new Map<string, SimulatedSetup>()
  /** Setups that were given another definition or may have been deleted. */
  readonly changed = new Set<string>()
  /** Traces whose deletion was asked for in any way: spans that come later may not be taken in. */
  readonly tracesDeleted = new Set<string>()
  /** Deletions that were sent and not acknowledged: whatever is acknowledged meanwhile may be reached by them or not. */
  readonly openDeletions = new Set<(span: SimulatedSpan) => boolean>()
  /** Deletions of all data: how many were sent, and how many of them are not acknowledged. */
  readonly wholeDeletions = { begun: 0, open: 0 }
  /** Requests of any kind that were acknowledged. */
  acknowledgements = 0
  /** The latest time of day there was. */
  latestMs = 0
  /** How often so much time has passed that all data from before has expired. */
  expiries = 0

  get hasExpired(): boolean {
    return this.expiries > 0
  }

  /** Acknowledged spans that must be there and visible. */
  required(): SimulatedSpan[] {
    if (this.hasExpired) return []
    return [...this.spans.values()].filter(
      ({ ackedAtMs, isExcused }) => ackedAtMs !== undefined && !isExcused,
    )
  }

  /** Spans that must be hidden. */
  deleted(): SimulatedSpan[] {
    return [...this.spans.values()].filter(({ isDeleted }) => isDeleted)
  }

  /** Whether a setup has had one definition only, ever. */
  isSteady(externalId: string): boolean {
    return !this.changed.has(externalId)
  }

  /** A request for it was made. */
  ask(span: SimulatedSpan): void {
    span.isOnItsWay++
    span.timesAsked++
    // It may also arrive behind the deletion of all data, which forgets that the span was deleted.
    if (span.mayComeAnew || this.wholeDeletions.open > 0) span.isDeleted = false
  }

  /** Its deletion was acknowledged. */
  markDeleted(span: SimulatedSpan, mayComeAnew: boolean): void {
    // Another deletion may have seen to it for good before.
    span.mayComeAnew = mayComeAnew && (span.mayComeAnew || !span.isDeleted)
    span.isDeleted = true
  }

  /**
   * Whether retention may have dropped it before the deletion of its session could tell to which session it belongs. That
   * takes the summary of its batch, and retention does not wait for it: data must not outlive its time because of a backlog.
   */
  mayHaveExpired({ expiriesBefore = this.expiries }: SimulatedSpan): boolean {
    return this.expiries > expiriesBefore
  }

  acknowledge(span: SimulatedSpan): void {
    span.ackedAtMs ??= this.latestMs
    if ([...this.openDeletions].some((isMeant) => isMeant(span))) span.isExcused = true
  }

  excuse(isMeant: (span: SimulatedSpan) => boolean): SimulatedSpan[] {
    const meant = [...this.spans.values()].filter(isMeant)
    for (const span of meant) span.isExcused = true
    return meant
  }
}
