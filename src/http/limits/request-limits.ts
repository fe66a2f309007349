import type { LimitName, Limits } from '../../domain/limits.ts'
import type { Principal } from '../../domain/tenant.ts'
import { PublicError } from '../../lib/public-error.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Storage } from '../../ports/storage.ts'
import { type ClientAddress, createClientAddress } from '../client-address.ts'
import { FailedAuthentications } from './failed-authentications.ts'
import { RateLimits, type SetHeader } from './rate-limits.ts'
import { StoredBytesGate } from './stored-bytes-gate.ts'

/** The label under which a refusal is counted. */
export type RefusedLimit = LimitName | 'failedAuthentications'

/** Dependencies of request limits. */
export interface RequestLimitsDeps {
  readonly storage: Pick<Storage, 'readResourceUse'>
  readonly logger: Logger
  /** Finds the client behind a connection; absent: no proxy is trusted. */
  readonly clientAddress?: ClientAddress
  /** Told about every request that was turned away because of a limit. */
  readonly onRefused?: (limit: RefusedLimit) => void
}

/** All that a request has to pass besides authentication, over HTTP and gRPC alike, before its body is read. */
export class RequestLimits {
  readonly rates: RateLimits
  readonly #defaults: Limits
  readonly #failures: FailedAuthentications
  readonly #storedBytes: StoredBytesGate
  readonly #clientAddress: ClientAddress
  readonly #onRefused: (limit: RefusedLimit) => void

  constructor(
    defaults: Limits,
    failedAuthenticationsPerMinute: number,
    { storage, logger, clientAddress = createClientAddress([]), onRefused = () => {} }: RequestLimitsDeps,
  ) {
    this.#defaults = defaults
    this.rates = new RateLimits(defaults)
    this.#failures = new FailedAuthentications(failedAuthenticationsPerMinute)
    this.#storedBytes = new StoredBytesGate(storage, logger)
    this.#clientAddress = clientAddress
    this.#onRefused = onRefused
  }

  /** The answer to a request from there whose authentication failed with `error`. */
  judgeFailure(
    error: unknown,
    socketAddress: string | undefined,
    forwardedFor: string | string[] | undefined,
  ): unknown {
    const judged = this.#failures.judge(error, this.#clientAddress(socketAddress, forwardedFor))
    if (judged !== error) this.#onRefused('failedAuthentications')
    return judged
  }

  /** Counts a request of a key, or throws; `withSpans` for those that bring spans. */
  takeRequest(principal: Principal, withSpans: boolean, setHeader?: SetHeader): void {
    this.rates.take(principal, withSpans, setHeader, (unit) => this.#onRefused(`${unit}PerSecond`))
  }

  /** Throws when the organization has no room for more spans. */
  async requireRoom(principal: Principal): Promise<void> {
    try {
      await this.#storedBytes.requireRoom(
        principal,
        principal.limits?.storedBytes ?? this.#defaults.storedBytes,
      )
    } catch (error) {
      if (error instanceof PublicError) this.#onRefused('storedBytes')
      throw error
    }
  }

  /** Counts the spans that a request has brought. */
  useSpans(principal: Principal, count: number): void {
    this.rates.useSpans(principal, count)
  }
}
