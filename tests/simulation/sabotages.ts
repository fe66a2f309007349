import type { Storage } from '../../src/ports/storage.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'

/** A bug that is planted to see whether the simulation finds it. */
export interface Sabotage {
  readonly name: string
  /** Where the search begins, for a bug that few runs find. Any other seed is as good; it only takes longer. */
  readonly firstSeed?: number
  /** Changes a statement; what stays the same everywhere is a sabotage of nothing. */
  readonly rewrite?: (sql: string) => string
  readonly spoil?: (storage: Storage, db: SqliteDatabase) => Storage
}

const rewriting = (name: string, from: string, to: string, only = ''): Sabotage => ({
  name,
  rewrite: (sql) => (sql.includes(only) ? sql.replaceAll(from, to) : sql),
})

/** Each breaks one promise, and each has to turn the short form red. */
export const SABOTAGES: readonly Sabotage[] = [
  {
    ...rewriting(
      'work is recorded without a fence',
      'state = ? AND lease = ?',
      '(state = ? OR 1) AND (lease = ? OR 1)',
      'w.is_rerun',
    ),
    firstSeed: 15,
  },
  rewriting(
    'units are recorded without a fence',
    'state = ? AND lease = ?',
    '(state = ? OR 1) AND (lease = ? OR 1)',
    'unit_key = ?',
  ),
  rewriting(
    'a setup is finished without its lease',
    'id = ? AND lease = ? AND',
    'id = ? AND (lease = ? OR 1) AND',
    'SELECT 1 FROM setups',
  ),
  rewriting('a lease never ends', 'lease_until_ms <= ?', 'lease_until_ms + 1000000000000 <= ?'),
  rewriting(
    'a count is replaced instead of added to',
    'units = units + excluded.units',
    'units = excluded.units',
  ),
  rewriting('an erasure is noted and not done', 'SET bytes = ?,', 'SET bytes = iif(1, bytes, ?),'),
  {
    name: 'the digest marks batches before it has written them',
    spoil: (storage) => ({
      ...storage,
      digest: {
        ...storage.digest,
        async recordDigests(after, digests, quietMsMin) {
          const marks = digests.map(({ batchId }) => ({ batchId, traces: [], usage: [] }))
          await storage.digest.recordDigests(after, marks, quietMsMin)
          return storage.digest.recordDigests(after, digests, quietMsMin)
        },
      },
    }),
  },
  {
    name: 'a failing write counts as an attempt of the unit',
    firstSeed: 295,
    spoil: (storage) => ({
      ...storage,
      units: {
        ...storage.units,
        async claimUnits(limit, leaseMs) {
          const claimed = await storage.units.claimUnits(limit, leaseMs)
          const spent = claimed.filter(({ attempt }) => attempt >= 2)
          for (const unit of spent) {
            const outcome = { traceId: unit.key, spanId: '', ordinal: 0, unitAtMs: 1, durationUs: 0 }
            await storage.units.recordUnit(unit, { ...outcome, status: 'error', errorMessage: 'given up' })
          }
          return claimed.filter(({ attempt }) => attempt < 2)
        },
      },
    }),
  },
  {
    name: 'spans are acknowledged before they are stored',
    spoil: (storage) => ({
      ...storage,
      async admitSpans(tenant, batch) {
        const copy = structuredClone(batch)
        storage.admitSpans(tenant, copy).catch(() => {})
        return { batchId: 1, newSpans: batch.startSeconds.length, hasWork: true, hasUnbound: true }
      },
    }),
  },
  {
    name: 'a deletion leaves no mark for spans that are not summed up yet',
    spoil: (storage, db) => ({
      ...storage,
      async deleteTrace(...args) {
        const newest = await storage.deleteTrace(...args)
        db.run('DELETE FROM deleted_traces')
        return newest
      },
    }),
  },
  {
    name: 'the deletion of a session leaves no mark for spans that are not summed up yet',
    spoil: (storage, db) => ({
      ...storage,
      async deleteSession(...args) {
        const deleted = await storage.deleteSession(...args)
        db.run('DELETE FROM deleted_sessions')
        return deleted
      },
    }),
  },
]
