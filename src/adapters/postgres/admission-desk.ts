import type { EnvironmentScope } from '../../domain/tenant.ts'
import type { Admission, PackedBatch } from '../../ports/span-storage.ts'
import type { PostgresDatabase } from './postgres-database.ts'
import { admitSpans } from './span-operations.ts'

/** Where batches are stored. */
export class AdmissionDesk {
  readonly #db: PostgresDatabase

  constructor(db: PostgresDatabase) {
    this.#db = db
  }

  admit(scope: EnvironmentScope, batch: PackedBatch): Promise<Admission> {
    return this.#db.transaction((tx) => admitSpans(tx, scope, batch))
  }
}
