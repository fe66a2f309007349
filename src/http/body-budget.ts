import { PublicError } from '../lib/public-error.ts'

/** The part of the budget that a tenant's first body may use although the tenant then holds more than is left. */
const KEPT_FREE = 1 / 4

/**
 * Memory for the bodies of requests under way. Bytes are taken before they are read and given back with the answer, so that
 * bodies that are announced and never sent are counted like those that are.
 *
 * A tenant may hold at most as much as it leaves free. So one tenant alone can take half of the budget, two can take a third
 * each, and however many hold as much as they can, the next one still finds room. Fixed shares would either be too small for one
 * large body or too few for many tenants.
 */
export class BodyBudget {
  readonly #bytesMax: number
  readonly #byTenant = new Map<string, number>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes that are taken. */
  get bytes(): number {
    return this.#bytes
  }

  /** The share of one request, empty at first. */
  open(tenant: string): BodyShare {
    return new BodyShare((bytes) => this.#take(tenant, bytes))
  }

  /** Takes bytes, or gives them back when there are fewer than none. */
  #take(tenant: string, bytes: number): void {
    const held = this.#byTenant.get(tenant) ?? 0
    if (bytes > 0 && !this.#hasRoom(held, bytes))
      throw new PublicError('overloaded', 'too many request bodies are in memory; try again')
    this.#bytes += bytes
    if (held + bytes > 0) this.#byTenant.set(tenant, held + bytes)
    else this.#byTenant.delete(tenant)
  }

  #hasRoom(held: number, bytes: number): boolean {
    const free = this.#bytesMax - this.#bytes - bytes
    if (held + bytes <= free) return true
    return held === 0 && free >= this.#bytesMax * KEPT_FREE
  }
}

/** The share of one request in the budget. */
export class BodyShare {
  readonly #take: (bytes: number) => void
  #bytes = 0
  #isReleased = false

  constructor(take: (bytes: number) => void) {
    this.#take = take
  }

  /** Takes bytes before they are read; throws `overloaded` when there is no room for them. */
  take(bytes: number): void {
    // A request that has gone may still be read to its end.
    if (this.#isReleased) throw new PublicError('overloaded', 'the request has ended')
    this.#take(bytes)
    this.#bytes += bytes
  }

  /** Gives back bytes that are no longer in memory. */
  give(bytes: number): void {
    if (this.#isReleased) return
    this.#take(-bytes)
    this.#bytes -= bytes
  }

  /** Gives back everything. */
  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    if (this.#bytes > 0) this.#take(-this.#bytes)
  }
}
