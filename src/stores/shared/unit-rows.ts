import type { ClaimedUnit } from '../../ports/unit-storage.ts'
import { toHex } from './span-rows.ts'

/** The states of a row of units, as the schema numbers them. Below `done` a unit is open. */
export const UNIT_STATE = { open: 0, leased: 1, done: 2 } as const

/** The generation of a unit that the sampling rate leaves out. */
export const SAMPLED_OUT = -1

/** The matches in a batch of monitors that look at more than one span. */
export interface GatheredMatch {
  readonly version_number: number
  readonly scope: 'trace' | 'session'
  readonly units: Uint8Array
}

/** A unit that was claimed, with its owner. */
export interface UnitRow {
  readonly project_number: number
  readonly monitor_version: number
  readonly scope: 'trace' | 'session'
  readonly unit_key: Uint8Array
  readonly env_project_id: string
  readonly changed_at_ms: number
  readonly opened_at_ms: number
  readonly org_id: string
  readonly project_id: string
  readonly setup_id: string
  readonly external_id: string
}

export function toClaimedUnit(row: UnitRow, lease: number, attempt: number): ClaimedUnit {
  return {
    project: row.project_number,
    monitorVersion: row.monitor_version,
    scope: row.scope,
    key: row.scope === 'trace' ? toHex(row.unit_key) : Buffer.from(row.unit_key).toString(),
    owner: {
      monitorVersion: row.monitor_version,
      orgId: row.org_id,
      projectId: row.project_id,
      envProjectId: row.env_project_id,
      setup: { id: row.setup_id, externalId: row.external_id },
    },
    changedAtMs: row.changed_at_ms,
    openedAtMs: row.opened_at_ms,
    attempt,
    lease,
  }
}

/** A session's key is longer or shorter than an id, but bytes like any other. */
export function unitKey({ scope, key }: Pick<ClaimedUnit, 'scope' | 'key'>): Buffer {
  return scope === 'trace' ? Buffer.from(key, 'hex') : Buffer.from(key)
}

/** The unit that spans of a trace belong to for a monitor: a session, if it wants sessions and the trace is in one. */
export function unitOfTrace(
  scope: 'trace' | 'session',
  trace: { readonly trace_id: Uint8Array; readonly session_id: string | null },
): { readonly scope: 'trace' | 'session'; readonly key: Uint8Array } {
  return scope === 'session' && trace.session_id !== null
    ? { scope: 'session', key: Buffer.from(trace.session_id) }
    : { scope: 'trace', key: trace.trace_id }
}

/** A trace of a batch that was matched before the monitor existed. */
export interface FillRow {
  readonly id: number
  readonly project_number: number
  readonly env_project_id: string
  readonly received_at_ms: number
  readonly matched: Uint8Array
  readonly units: Uint8Array
  readonly trace_id: Uint8Array
  readonly session_id: string | null
  readonly scope: 'trace' | 'session'
}
