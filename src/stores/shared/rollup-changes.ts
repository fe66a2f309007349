import type { UnitOutcome } from '../../domain/evaluation.ts'
import {
  addToRollup,
  emptyRollup,
  mergeRollups,
  removeFromRollup,
  type ValueRollup,
} from '../../domain/rollup.ts'
import { VERDICT_PROPERTY } from '../../domain/verdict.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import { type ApplicationChange, countColumn, hourOf } from './application-rollups.ts'
import { minuteOf } from './minute-of.ts'
import { countedVerdict } from './stored-verdict.ts'

/** Units that a monitor version gets in a minute, or loses where there are fewer than none. */
export interface StatusCount {
  readonly monitorVersion: number
  readonly minute: number
  readonly status: string
  readonly units: number
}

/** The additions and removals of one rollup of values. */
export interface ValueChange {
  readonly monitorVersion: number
  readonly minute: number
  readonly property: string
  readonly added: ValueRollup
  readonly removed: unknown[]
}

/** A stored evaluation, as far as rollups have to know it. */
export interface CountedRow {
  readonly status: string
  readonly output: string | null
  readonly unit_at_ms: number
  readonly verdict: number | null
  /** Null for one from before applications were kept, which counts for none. */
  readonly application: number | null
}

/** A recorded evaluation, as far as taking it away has to know it. */
export interface RecordedRow extends CountedRow {
  readonly number: number
  readonly monitor_version: number
  readonly is_current: number
}

/** The additions and removals of one transaction, gathered first so that each row of a rollup is written once. */
export class RollupChanges {
  readonly #statuses = new Map<string, StatusCount>()
  readonly #values = new Map<string, ValueChange>()
  readonly #applications = new Map<string, ApplicationChange>()

  add(
    monitorVersion: number,
    { status, output = {}, unitAtMs }: Pick<UnitOutcome, 'status' | 'output' | 'unitAtMs'>,
    verdict: number | null,
    application: number | null,
  ): void {
    const minute = minuteOf(unitAtMs)
    this.count(monitorVersion, minute, status, 1)
    this.#countApplication(monitorVersion, { unit_at_ms: unitAtMs, application }, status, verdict, 1)
    if (status !== 'scored') return
    for (const [property, value] of Object.entries(output)) {
      addToRollup(this.#valueOf(monitorVersion, minute, property).added, value)
    }
    this.#countVerdict(monitorVersion, minute, null, verdict)
  }

  remove(monitorVersion: number, row: CountedRow): void {
    const { status, output, unit_at_ms: unitAtMs, verdict } = row
    const minute = minuteOf(unitAtMs)
    this.count(monitorVersion, minute, status, -1)
    this.#countApplication(monitorVersion, row, status, verdict, -1)
    if (status !== 'scored' || output === null) return
    for (const [property, value] of Object.entries(JSON.parse(output))) {
      this.#valueOf(monitorVersion, minute, property).removed.push(value)
    }
    this.#countVerdict(monitorVersion, minute, verdict, null)
  }

  /** Counts another verdict in the place of the one that a scored evaluation has. */
  judge(monitorVersion: number, row: CountedRow, verdict: number): void {
    this.#countVerdict(monitorVersion, minuteOf(row.unit_at_ms), row.verdict, verdict)
    this.#countApplication(monitorVersion, row, row.status, row.verdict, -1)
    this.#countApplication(monitorVersion, row, row.status, verdict, 1)
  }

  #countVerdict(monitorVersion: number, minute: number, before: number | null, after: number | null): void {
    const [removed, added] = [countedVerdict(before), countedVerdict(after)]
    if (removed === added) return
    const change = this.#valueOf(monitorVersion, minute, VERDICT_PROPERTY)
    if (removed !== undefined) change.removed.push(removed)
    if (added !== undefined) addToRollup(change.added, added)
  }

  count(monitorVersion: number, minute: number, status: string, units: number): void {
    const key = [monitorVersion, minute, status].join()
    const known = this.#statuses.get(key)?.units ?? 0
    this.#statuses.set(key, { monitorVersion, minute, status, units: known + units })
  }

  statuses(): StatusCount[] {
    return [...this.#statuses.values()]
  }

  applications(): ApplicationChange[] {
    return [...this.#applications.values()]
  }

  values(): ValueChange[] {
    return [...this.#values.values()]
  }

  #countApplication(
    monitorVersion: number,
    { unit_at_ms: unitAtMs, application }: Pick<CountedRow, 'unit_at_ms' | 'application'>,
    status: string,
    verdict: number | null,
    units: number,
  ): void {
    const column = countColumn(status, verdict)
    if (application === null || column === undefined) return
    const hour = hourOf(unitAtMs)
    const key = [monitorVersion, hour, application].join()
    const known = this.#applications.get(key) ?? {
      ...{ monitor_version: monitorVersion, hour, application },
      ...{ passed: 0, failed: 0, neutral: 0, not_scored: 0 },
    }
    known[column] += units
    this.#applications.set(key, known)
  }

  #valueOf(monitorVersion: number, minute: number, property: string): ValueChange {
    const key = [monitorVersion, minute, property].join()
    const known = this.#values.get(key)
    if (known) return known
    const change = { monitorVersion, minute, property, added: emptyRollup(), removed: [] }
    this.#values.set(key, change)
    return change
  }
}

/** The columns of a stored rollup. */
export interface RollupRow {
  readonly count: number
  readonly sum: number
  readonly min: number | null
  readonly max: number | null
  readonly sketch: Uint8Array | null
  readonly labels: string | null
}

/** The row after the change; undefined when nothing is left in it. */
export function changeRollup(
  stored: RollupRow | undefined,
  { added, removed }: Pick<ValueChange, 'added' | 'removed'>,
): RollupRow | undefined {
  const rollup = stored ? toRollup(stored) : emptyRollup()
  mergeRollups(rollup, added)
  for (const value of removed) removeFromRollup(rollup, value)
  return rollup.count === 0 && !rollup.labels ? undefined : toRow(rollup)
}

/** A stored rollup as it is added to. */
export function toRollup(row: RollupRow): ValueRollup {
  return {
    count: row.count,
    sum: row.sum,
    ...(row.min === null ? {} : { min: row.min }),
    ...(row.max === null ? {} : { max: row.max }),
    ...(row.sketch === null ? {} : { sketch: ValueSketch.decode(row.sketch) }),
    ...(row.labels === null ? {} : { labels: JSON.parse(row.labels) }),
  }
}

/** The columns of a rollup. */
export function toRow(rollup: ValueRollup): RollupRow {
  return {
    count: rollup.count,
    sum: rollup.sum,
    min: rollup.min ?? null,
    max: rollup.max ?? null,
    sketch: rollup.sketch?.encode() ?? null,
    labels: rollup.labels ? JSON.stringify(rollup.labels) : null,
  }
}
