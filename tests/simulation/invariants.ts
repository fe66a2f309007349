import type { ProjectTenant } from '../../src/domain/tenant.ts'
import { listSpanRefs } from '../../src/stores/sqlite/span-operations.ts'
import type { SqliteDatabase } from '../../src/stores/sqlite/sqlite-database.ts'
import type { Model } from './model.ts'

/** A promise that was broken; the seed is added by the runner. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

/** The allowed transitions of a setup; `pending` also whenever a client has written or a process has started. */
const NEXT_STATUS: Readonly<Record<string, readonly string[]>> = {
  pending: ['in_progress'],
  // Back to pending when its worker died.
  in_progress: ['pending', 'waiting_for_spans', 'completed', 'partial', 'failed'],
  waiting_for_spans: ['in_progress'],
  completed: [],
  partial: ['completed', 'failed'],
  failed: ['completed', 'partial'],
}

/** Promises as statements that give a row when they are broken. */
const BROKEN: readonly (readonly [promise: string, sql: string, holdsAfterExpiry: boolean])[] = [
  [
    'no unit has two current scores',
    `SELECT monitor_version, hex(trace_id), hex(span_id) FROM evaluations WHERE is_current = 1
     GROUP BY monitor_version, trace_id, span_id HAVING count(*) > 1`,
    true,
  ],
  [
    'a fault of the store is never a result',
    "SELECT status, error_message FROM evaluations WHERE status <> 'scored'",
    true,
  ],
  [
    'the counts of a monitor equal its scores',
    `SELECT * FROM (
       SELECT v.number, (SELECT count(*) FROM evaluations e WHERE e.monitor_version = v.number AND e.is_current = 1) AS scored,
         (SELECT coalesce(sum(units), 0) FROM status_rollups r WHERE r.monitor_version = v.number AND r.status = 'scored') AS counted,
         (SELECT coalesce(sum(units), 0) FROM status_totals t WHERE t.monitor_version = v.number AND t.status = 'scored') AS total
       FROM monitor_versions v) WHERE scored <> counted OR scored <> total`,
    false,
  ],
  [
    'a fault of the store is never a bad batch',
    'SELECT batch_id FROM undigested_batches WHERE is_given_up = 1',
    true,
  ],
  [
    'a span that was summed up is in its trace',
    `SELECT s.batch_id, hex(s.trace_id) FROM spans s JOIN digest_progress d
     WHERE s.batch_id <= d.through AND s.project_number IN (SELECT number FROM projects)
       AND s.batch_id NOT IN (SELECT batch_id FROM undigested_batches)
       AND NOT EXISTS (SELECT 1 FROM trace_places p WHERE p.project_number = s.project_number
         AND p.trace_id = s.trace_id AND p.batch_id = s.batch_id)
       AND NOT EXISTS (SELECT 1 FROM deleted_traces t WHERE t.project_number = s.project_number AND t.trace_id = s.trace_id)`,
    false,
  ],
  [
    'a trace counts each of its spans once',
    `SELECT hex(t.trace_id), t.span_count FROM traces t JOIN digest_progress d
     WHERE t.project_number IN (SELECT number FROM projects) AND t.span_count <> (SELECT count(*) FROM spans s
       WHERE s.project_number = t.project_number AND s.trace_id = t.trace_id AND s.batch_id <= d.through
         AND s.batch_id NOT IN (SELECT batch_id FROM undigested_batches))`,
    false,
  ],
]

/** Statements that return a row while work is left. */
const UNFINISHED: readonly (readonly [what: string, sql: string])[] = [
  [
    'work is queued',
    `SELECT w.batch_id, w.state, w.attempts FROM work w
     JOIN monitors m ON m.version_number = w.monitor_version AND m.is_active = 1
     JOIN span_batches b ON b.id = w.batch_id AND b.project_number = m.project_number WHERE w.state < 2`,
  ],
  [
    'a unit is open',
    `SELECT hex(u.unit_key), u.state, u.attempts FROM units u
     JOIN monitors m ON m.version_number = u.monitor_version AND m.is_active = 1 WHERE u.state < 2`,
  ],
  [
    'a batch is not summed up',
    `SELECT b.id FROM span_batches b JOIN digest_progress d
     WHERE (b.id > d.through OR b.id IN (SELECT batch_id FROM undigested_batches))
       AND b.project_number IN (SELECT number FROM projects)`,
  ],
  ['a span is not erased', 'SELECT batch_id FROM erasures'],
  [
    'results of a deleted trace are not erased',
    'SELECT hex(trace_id) FROM deleted_traces WHERE has_results = 1',
  ],
  ['a session is not erased', 'SELECT session_id FROM deleted_sessions'],
  [
    'data of a project is not erased',
    'SELECT number FROM dropped_projects UNION ALL SELECT number FROM dropped_versions',
  ],
  ['the log is not emptied', 'SELECT 1 FROM erasure_progress WHERE is_log_dirty = 1'],
  ['a job is under way', "SELECT kind, state FROM jobs WHERE state IN ('queued', 'running')"],
  ['matches have no work yet', 'SELECT number FROM monitors WHERE fill_next <= fill_last AND is_active = 1'],
  [
    'a setup is not processed',
    `SELECT external_id, status FROM setups WHERE deleted_at_ms IS NULL
       AND (status IN ('pending', 'in_progress') OR lease IS NOT NULL OR (has_news = 1 AND status <> 'completed'))`,
  ],
]

/** Looks at the store, past the service, whether it keeps its promises. */
export class Watcher {
  readonly #db: SqliteDatabase
  readonly #tenant: ProjectTenant
  readonly #model: Model
  readonly #statuses = new Map<string, string>()
  #through = 0
  /** The state at the last look: rows changed so far, and requests acknowledged so far. */
  #seen = ''
  /** Whether a thread has answered since the last look. */
  hasNews = true
  /** Whether setups may have been set back to pending since the last look: a client wrote them or a process started. */
  mayRestart = false

  constructor(db: SqliteDatabase, tenant: ProjectTenant, model: Model) {
    this.#db = db
    this.#tenant = tenant
    this.#model = model
  }

  /** Throws a `Violation`. Where nothing was written or acknowledged since the last look there is nothing to see. */
  check(): void {
    if (!this.hasNews) return
    this.hasNews = false
    if (this.#isAsSeen()) this.mayRestart = false
    else this.#look()
  }

  /** Most answers of a thread are about work that there was none of. */
  #isAsSeen(): boolean {
    const before = this.#seen
    const changes = this.#db.get<{ n: number }>('SELECT total_changes() AS n')?.n
    this.#seen = `${changes} ${this.#model.acknowledgements}`
    return this.#seen === before
  }

  #look(): void {
    for (const [promise, sql, holdsAfterExpiry] of BROKEN) {
      if (this.#model.hasExpired && !holdsAfterExpiry) continue
      const row = this.#db.get(`${sql} LIMIT 1`)
      if (row) throw new Violation(`${promise}: ${JSON.stringify(row)}`)
    }
    this.#checkSpans()
    this.#checkDigest()
    this.#checkDeleted()
    this.#checkStatuses()
  }

  /** The work that is left; undefined when there is none. */
  unfinished(): string | undefined {
    for (const [what, sql] of UNFINISHED) {
      const row = this.#db.get(`${sql} LIMIT 1`)
      if (row) return `${what}: ${JSON.stringify(row)}`
    }
    return undefined
  }

  #checkSpans(): void {
    const rows = this.#db.all<{ id: string }>('SELECT hex(trace_id) || hex(span_id) AS id FROM spans')
    const stored = new Set(rows.map(({ id }) => id.toLowerCase()))
    for (const { key, traceId, spanId } of this.#model.required()) {
      if (!stored.has(traceId + spanId)) throw new Violation(`acknowledged span ${key} is lost`)
    }
  }

  #checkDigest(): void {
    const { through } = this.#db.get<{ through: number }>('SELECT through FROM digest_progress') ?? {
      through: 0,
    }
    if (through < this.#through)
      throw new Violation(`the digest went back from ${this.#through} to ${through}`)
    this.#through = through
  }

  #checkDeleted(): void {
    const deleted = this.#model.deleted()
    if (deleted.length === 0) return
    const range = { fromSecond: 0, toSecond: 1e12, isDescending: false, limit: 10_000 }
    const shown = new Set(
      listSpanRefs(this.#db, this.#tenant, range).map(({ traceId, spanId }) => traceId + spanId),
    )
    for (const { key, traceId, spanId } of deleted)
      if (shown.has(traceId + spanId)) throw new Violation(`deleted span ${key} is shown`)
  }

  #checkStatuses(): void {
    const rows = this.#db.all<{ id: string; status: string }>('SELECT id, status FROM setups')
    for (const { id, status } of rows) {
      const before = this.#statuses.get(id)
      const isAllowed =
        before === undefined ||
        before === status ||
        NEXT_STATUS[before]?.includes(status) ||
        // One event may take several steps at once, when calls share a commit.
        (this.mayRestart && (status === 'pending' || status === 'in_progress'))
      if (!isAllowed) throw new Violation(`setup ${id} went from ${before} to ${status}`)
      this.#statuses.set(id, status)
    }
    this.mayRestart = false
  }
}
