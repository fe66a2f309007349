import type { Clock } from '../ports/clock.ts'
import type { Storage } from '../ports/storage.ts'

/** Everything that reading and showing needs. */
export interface QueryDeps {
  readonly storage: Storage
  readonly clock: Clock
}
