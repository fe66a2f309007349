import type { EnvironmentTenant, ProjectTenant } from '../../domain/tenant.ts'
import type { Admission, PackedBatch } from '../../ports/span-storage.ts'
import { isUnavailable } from '../shared/store-outage.ts'
import { type ArrivingBatch, admitBatches } from './admit-batches.ts'
import type { PostgresDatabase } from './postgres-database.ts'

/** Most batches that share a transaction; the project is held meanwhile, and their bytes go to the database as one value. */
const GROUP_BATCHES_MAX = 64
const GROUP_SPANS_MAX = 20_000
const GROUP_BYTES_MAX = 8 * 1024 * 1024

interface WaitingBatch extends ArrivingBatch {
  resolve(admission: Admission): void
  reject(error: unknown): void
}

/**
 * Where batches are stored. Those of one project that arrive while a transaction for it is under way share the next one and its
 * flush to disk: none is held back to wait for company, and none waits for the lock of a project that its neighbour holds.
 * Projects do not wait for each other, as long as there are connections.
 */
export class AdmissionDesk {
  readonly #db: Pick<PostgresDatabase, 'transaction'>
  /** The waiting batches of each project that has a transaction under way. */
  readonly #waiting = new Map<string, WaitingBatch[]>()

  constructor(db: Pick<PostgresDatabase, 'transaction'>) {
    this.#db = db
  }

  admit(tenant: EnvironmentTenant, batch: PackedBatch): Promise<Admission> {
    const { orgId, projectId, envProjectId } = tenant
    return new Promise((resolve, reject) => {
      const arriving = { envProjectId, batch, resolve, reject }
      const key = `${orgId} ${projectId}`
      const waiting = this.#waiting.get(key)
      if (waiting) waiting.push(arriving)
      else void this.#serve(key, { orgId, projectId }, arriving)
    })
  }

  async #serve(key: string, tenant: ProjectTenant, first: WaitingBatch): Promise<void> {
    const waiting = [first]
    this.#waiting.set(key, waiting)
    while (waiting.length > 0) await this.#admitGroup(tenant, takeGroup(waiting))
    this.#waiting.delete(key)
  }

  async #admitGroup(tenant: ProjectTenant, group: readonly WaitingBatch[]): Promise<void> {
    try {
      const admissions = await this.#db.transaction((tx) => admitBatches(tx, tenant, group))
      for (const [at, { resolve }] of group.entries()) resolve(admissions[at] as Admission)
    } catch (error) {
      if (group.length === 1 || isUnavailable(error)) return group.forEach(({ reject }) => void reject(error))
      // One of them has failed; apart, it takes nothing of its neighbours with it.
      for (const batch of group) await this.#admitGroup(tenant, [batch])
    }
  }
}

/** Takes the first batches out of those that wait: always one, and more up to the limits. */
function takeGroup(waiting: WaitingBatch[]): WaitingBatch[] {
  let count = 0
  let spans = 0
  let bytes = 0
  for (const { batch } of waiting.slice(0, GROUP_BATCHES_MAX)) {
    spans += batch.startSeconds.length
    bytes += batch.bytes.length
    if (count > 0 && (spans > GROUP_SPANS_MAX || bytes > GROUP_BYTES_MAX)) break
    count++
  }
  return waiting.splice(0, count)
}
