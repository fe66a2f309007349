import { intersects, type UnitSet } from '../../domain/unit-set.ts'
import type { UnitBatch } from '../shared/join-trace.ts'
import { toHex } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import type { TraceRow } from '../shared/trace-rows.ts'
import { type GatheredMatch, UNIT_STATE, unitOfTrace } from '../shared/unit-rows.ts'

/** New spans of a trace or a session. */
interface News {
  readonly key: Uint8Array
  readonly firstAtMs: number
  lastAtMs: number
  lookAtMs: number
}

/** A unit that is made if there is none. */
export interface NewUnit {
  readonly monitorVersion: number
  readonly scope: 'trace' | 'session'
  readonly key: Uint8Array
  readonly envProjectId: string
  readonly openedAtMs: number
  readonly changedAtMs: number
  readonly lookAtMs: number
}

/** The units that new spans belong to: those that matched them, and those that there are already. Written all at once. */
export class UnitOpenings {
  readonly #project: number
  readonly #news = new Map<string, News>()
  readonly #matched = new Map<string, Omit<NewUnit, 'changedAtMs' | 'lookAtMs'>>()

  constructor(project: number) {
    this.#project = project
  }

  add(
    batch: UnitBatch,
    spans: UnitSet,
    trace: TraceRow,
    matches: readonly GatheredMatch[],
    lookAtMs: number,
  ): void {
    this.#tell(trace.trace_id, batch.received_at_ms, lookAtMs)
    if (trace.session_id !== null) this.#tell(Buffer.from(trace.session_id), batch.received_at_ms, lookAtMs)
    for (const { version_number: monitorVersion, scope, units } of matches) {
      if (!intersects(units, spans)) continue
      const unit = unitOfTrace(scope, trace)
      const id = `${monitorVersion} ${unit.scope} ${toHex(unit.key)}`
      if (this.#matched.has(id)) continue
      const { env_project_id: envProjectId, received_at_ms: openedAtMs } = batch
      this.#matched.set(id, { monitorVersion, ...unit, envProjectId, openedAtMs })
    }
  }

  async write(tx: Sql): Promise<void> {
    const news = [...this.#news.values()]
    await tx.run(
      `UPDATE units u SET changed_at_ms = greatest(u.changed_at_ms, n.last_at_ms), look_at_ms = n.look_at_ms, attempts = 0,
         opened_at_ms = CASE u.state WHEN ${UNIT_STATE.done} THEN n.first_at_ms ELSE u.opened_at_ms END,
         state = CASE u.state WHEN ${UNIT_STATE.done} THEN ${UNIT_STATE.open} ELSE u.state END
       FROM unnest($2::bytea[], $3::bigint[], $4::bigint[], $5::bigint[])
         AS n (unit_key, first_at_ms, last_at_ms, look_at_ms)
       WHERE u.project_number = $1 AND u.unit_key = n.unit_key`,
      this.#project,
      news.map(({ key }) => key),
      news.map(({ firstAtMs }) => firstAtMs),
      news.map(({ lastAtMs }) => lastAtMs),
      news.map(({ lookAtMs }) => lookAtMs),
    )
    const made = Array.from(this.#matched.values(), (unit) => {
      const { lastAtMs, lookAtMs } = this.#news.get(toHex(unit.key)) as News
      return { ...unit, changedAtMs: Math.max(unit.openedAtMs, lastAtMs), lookAtMs }
    })
    await insertUnits(tx, this.#project, made)
  }

  #tell(key: Uint8Array, atMs: number, lookAtMs: number): void {
    const known = this.#news.get(toHex(key))
    if (known) {
      known.lastAtMs = Math.max(known.lastAtMs, atMs)
      known.lookAtMs = lookAtMs
    } else {
      this.#news.set(toHex(key), { key, firstAtMs: atMs, lastAtMs: atMs, lookAtMs })
    }
  }
}

/** Makes the units that there are not yet. */
export async function insertUnits(tx: Sql, project: number, units: readonly NewUnit[]): Promise<void> {
  if (units.length === 0) return
  await tx.run(
    `INSERT INTO units (project_number, monitor_version, scope, unit_key, env_project_id, opened_at_ms, changed_at_ms,
       look_at_ms)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bytea[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[])
     ON CONFLICT (monitor_version, scope, unit_key) DO NOTHING`,
    project,
    units.map((unit) => unit.monitorVersion),
    units.map((unit) => unit.scope),
    units.map((unit) => unit.key),
    units.map((unit) => unit.envProjectId),
    units.map((unit) => unit.openedAtMs),
    units.map((unit) => unit.changedAtMs),
    units.map((unit) => unit.lookAtMs),
  )
}
