import { SeededRandom } from './seeded-random.ts'
import { type Platform, settle, type VirtualTimer } from './virtual-platform.ts'

/** When every world begins. */
export const BEGIN_MS = Date.UTC(2026, 0, 2, 3, 4, 5)

/** Something that events happen in: a process of the service, or a client. */
export interface Place {
  /** Events of a place that is gone never happen. */
  readonly isAlive: boolean
  /** Events of a place that stands still happen later. */
  readonly isFrozen: boolean
}

interface Timer extends VirtualTimer {
  readonly place: Place
  dueMs: number
  isCancelled: boolean
  fire(): void
}

/** Takes a message; a promise is about what follows from it. */
type Deliver = (message: unknown) => Promise<void> | undefined

/** Messages on their way in one direction between two threads: in order, and each as late as the world likes. */
export class Channel {
  readonly place: Place
  readonly #world: World
  readonly #deliver: Deliver
  readonly #messages: unknown[] = []

  constructor(world: World, place: Place, deliver: Deliver) {
    this.#world = world
    this.place = place
    this.#deliver = deliver
  }

  send(message: unknown): void {
    this.#messages.push(message)
    if (this.#messages.length === 1) this.#world.waiting.add(this)
  }

  /** The next message, taken by hand instead of being delivered. */
  take(): unknown {
    const message = this.#messages.shift()
    if (this.#messages.length === 0) this.#world.waiting.delete(this)
    return message
  }

  deliver(): Promise<void> | undefined {
    return this.#deliver(this.take())
  }
}

/**
 * One thread that plays many: events of all processes happen one after the other, in an order that the seed decides. Time
 * stands still while anything can happen and then goes on to the next timer. The same seed gives the same run.
 */
export class World implements Platform {
  /** Decides everything that is left to chance. */
  readonly dice: SeededRandom
  readonly waiting = new Set<Channel>()
  /** The place whose event is happening; timers that are set belong to it. */
  current: Place = NOWHERE
  /** How often time goes on although something could still happen, as on a slow machine. */
  slowness = 0.02
  steps = 0
  #nowMs = 0
  #wallOffsetMs = BEGIN_MS
  #looks = 0
  #timers: Timer[] = []

  constructor(seed: number) {
    this.dice = new SeededRandom(seed)
  }

  get nowMs(): number {
    return this.#nowMs
  }

  wallMs(): number {
    return this.#nowMs + this.#wallOffsetMs
  }

  steadyMs(): number {
    return this.#nowMs + ++this.#looks * 1e-5
  }

  random(): number {
    return this.dice.next()
  }

  /** Sets the time of day forward or back; timers do not notice. */
  jumpClock(ms: number): void {
    this.#wallOffsetMs += ms
  }

  /** Lets time pass in which nothing happens anywhere, as when the machine sleeps. */
  pass(ms: number): void {
    this.#nowMs += ms
  }

  setTimer(callback: () => void, ms: number, isRepeated: boolean): VirtualTimer {
    const everyMs = Math.max(1, Number.isFinite(ms) ? ms : 1)
    const timer: Timer = {
      place: this.current,
      dueMs: this.#nowMs + everyMs,
      isCancelled: false,
      fire: () => {
        if (isRepeated) {
          timer.dueMs = this.#nowMs + everyMs
          this.#timers.push(timer)
        }
        callback()
      },
      cancel: () => {
        timer.isCancelled = true
      },
      ref: () => timer,
      unref: () => timer,
      hasRef: () => true,
    }
    this.#timers.push(timer)
    return timer
  }

  /** Does something as a place, and everything that follows from it at once. */
  async act(place: Place, what: () => unknown): Promise<void> {
    this.current = place
    await Promise.all([what(), settle()])
    this.current = NOWHERE
  }

  /** One event; false when nothing can happen any more. */
  async step(): Promise<boolean> {
    this.steps++
    this.#timers = this.#timers.filter((timer) => !timer.isCancelled && timer.place.isAlive)
    const isDelayed = this.dice.isLikely(this.slowness)
    const events = isDelayed ? [] : this.#possible()
    const event = events.length > 0 ? this.dice.pick(events) : this.#next()
    if (!event) return false
    await this.act(event.place, () => this.#happen(event))
    return true
  }

  #possible(): (Channel | Timer)[] {
    const events: (Channel | Timer)[] = []
    for (const channel of this.waiting) {
      if (!channel.place.isAlive) this.waiting.delete(channel)
      else if (!channel.place.isFrozen) events.push(channel)
    }
    for (const timer of this.#timers)
      if (timer.dueMs <= this.#nowMs && !timer.place.isFrozen) events.push(timer)
    return events
  }

  /** The timer that is due next, at whose time it is then. */
  #next(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers)
      if (!timer.place.isFrozen && (!next || timer.dueMs < next.dueMs)) next = timer
    if (next) this.#nowMs = Math.max(this.#nowMs, next.dueMs)
    return next
  }

  #happen(event: Channel | Timer): Promise<void> | undefined {
    if (event instanceof Channel) return event.deliver()
    this.#timers.splice(this.#timers.indexOf(event), 1)
    event.fire()
    return undefined
  }
}

const NOWHERE: Place = { isAlive: true, isFrozen: false }
