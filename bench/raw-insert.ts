// The baseline of bench:ingest. bench/README.md fixes its definition and the reasons for it.

import { DatabaseSync } from 'node:sqlite'
import { SPANS_PER_COMMIT_OF_PREFILL } from './prefill-store.ts'
import type { SpanRequest, SpanWorkload } from './span-workload.ts'

/** One parsed row per span. Random ids, so every row touches a page of the unique index somewhere. */
export const BASELINE_SCHEMA = `CREATE TABLE spans (
  project INTEGER NOT NULL, trace BLOB NOT NULL, span BLOB NOT NULL, name TEXT NOT NULL, start INTEGER NOT NULL,
  attributes TEXT NOT NULL, PRIMARY KEY (project, trace, span)) STRICT`

/** A SQLite file that takes one row per span, with the same durability as the service's store. */
export class RawInsert {
  readonly #db: DatabaseSync
  readonly #write: (request: SpanRequest) => void

  constructor(file: string) {
    this.#db = new DatabaseSync(file)
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; ${BASELINE_SCHEMA}`)
    const insert = this.#db.prepare('INSERT INTO spans VALUES (1, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
    this.#write = ({ spans, attributes }) => {
      for (const [at, { traceId, spanId, startMs }] of spans.entries()) {
        insert.run(traceId, spanId, 'chat gpt-4o', startMs, attributes[at] as string)
      }
    }
  }

  /** Fills the store row by row through the same index, only without waiting for the disk. */
  prefill(workload: SpanWorkload, spanCount: number, onProgress: (spans: number) => void): void {
    // A large cache and few commits save writes; what comes out is the same file.
    this.#db.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -2000000')
    for (let done = 0; done < spanCount; ) {
      this.#db.exec('BEGIN IMMEDIATE')
      const end = Math.min(done + SPANS_PER_COMMIT_OF_PREFILL, spanCount)
      while (done < end) {
        const request = workload.nextRequest(Date.now())
        this.#write(request)
        done += request.spans.length
      }
      this.#db.exec('COMMIT')
      onProgress(done)
    }
    this.#db.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA synchronous = FULL; PRAGMA cache_size = -2000')
  }

  /** Inserts each request in a transaction of its own, which is on the disk when this returns. */
  insert(requests: readonly SpanRequest[]): void {
    for (const request of requests) {
      this.#db.exec('BEGIN IMMEDIATE')
      this.#write(request)
      this.#db.exec('COMMIT')
    }
  }

  countSpans(): number {
    return Number(this.#db.prepare('SELECT count(*) AS count FROM spans').get()?.['count'])
  }

  /** The pragmas that decide when a commit is on the disk; `synchronous` 2 is FULL. */
  durability(): Record<string, unknown> {
    return {
      ...this.#db.prepare('PRAGMA journal_mode').get(),
      ...this.#db.prepare('PRAGMA synchronous').get(),
    }
  }

  close(): void {
    this.#db.close()
  }
}
