import { addUnits, countUnits, intersects, removeUnits, type UnitSet } from '../../domain/unit-set.ts'
import type { Sql } from '../shared/sql.ts'
import { WORK_STATE } from '../shared/work-state.ts'

/** Takes spans of a batch out of everything that was decided about them, and has their content erased. */
export function hideUnits(tx: Sql, batchId: number, units: UnitSet): Promise<void> {
  return hideUnitsOf(tx, new Map([[batchId, units]]))
}

/** The same for spans of many batches of a project, by batch. */
export async function hideUnitsOf(tx: Sql, hidden: ReadonlyMap<number, UnitSet>): Promise<void> {
  if (hidden.size === 0) return
  await addErasures(tx, hidden)
  await forgetMatches(tx, hidden)
  await cancelUnitsOf(tx, hidden)
}

async function forgetMatches(tx: Sql, hidden: ReadonlyMap<number, UnitSet>): Promise<void> {
  const matches = await tx.all<{ batch_id: number; setup_version: number; units: Uint8Array }>(
    `SELECT batch_id, setup_version, units FROM matches WHERE batch_id = ANY($1)
     ORDER BY batch_id, setup_version FOR UPDATE`,
    [...hidden.keys()],
  )
  const changed = without(matches, hidden)
  const [kept, gone] = [changed.filter(hasUnits), changed.filter((row) => !hasUnits(row))]
  if (gone.length > 0) {
    await tx.run(
      `DELETE FROM matches t USING unnest($1::bigint[], $2::bigint[]) AS g (batch_id, setup_version)
       WHERE t.batch_id = g.batch_id AND t.setup_version = g.setup_version`,
      gone.map((row) => row.batch_id),
      gone.map((row) => row.setup_version),
    )
  }
  if (kept.length === 0) return
  await tx.run(
    `UPDATE matches t SET units = k.units
     FROM unnest($1::bigint[], $2::bigint[], $3::bytea[]) AS k (batch_id, setup_version, units)
     WHERE t.batch_id = k.batch_id AND t.setup_version = k.setup_version`,
    kept.map((row) => row.batch_id),
    kept.map((row) => row.setup_version),
    kept.map((row) => row.units),
  )
}

async function cancelUnitsOf(tx: Sql, hidden: ReadonlyMap<number, UnitSet>): Promise<void> {
  const works = await tx.all<{
    batch_id: number
    monitor_version: number
    job_number: number
    units: Uint8Array
  }>(
    `SELECT batch_id, monitor_version, job_number, units FROM work WHERE batch_id = ANY($1) AND state < 2
     ORDER BY batch_id, monitor_version, job_number FOR UPDATE`,
    [...hidden.keys()],
  )
  const changed = without(works, hidden)
  if (changed.length === 0) return
  await tx.run(
    `UPDATE work w SET units = k.units, unit_count = bit_count(k.units),
       state = CASE bit_count(k.units) WHEN 0 THEN ${WORK_STATE.cancelled} ELSE w.state END,
       lease = CASE bit_count(k.units) WHEN 0 THEN NULL ELSE w.lease END,
       holder = CASE bit_count(k.units) WHEN 0 THEN NULL ELSE w.holder END
     FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[])
       AS k (batch_id, monitor_version, job_number, units)
     WHERE w.batch_id = k.batch_id AND w.monitor_version = k.monitor_version AND w.job_number = k.job_number`,
    changed.map((row) => row.batch_id),
    changed.map((row) => row.monitor_version),
    changed.map((row) => row.job_number),
    changed.map((row) => row.units),
  )
}

/** Has the content erased from the bytes. The caller holds the project, so that no erasure overwrites another. */
async function addErasures(tx: Sql, hidden: ReadonlyMap<number, UnitSet>): Promise<void> {
  const known = await tx.all<{ batch_id: number; units: Uint8Array }>(
    'SELECT batch_id, units FROM erasures WHERE batch_id = ANY($1) ORDER BY batch_id FOR UPDATE',
    [...hidden.keys()],
  )
  const all = new Map(hidden)
  for (const { batch_id: batchId, units } of known) all.set(batchId, joined(units, hidden.get(batchId)))
  const batchIds = [...all.keys()].sort((left, right) => left - right)
  await tx.run(
    `INSERT INTO erasures (batch_id, units) SELECT * FROM unnest($1::bigint[], $2::bytea[])
     ON CONFLICT (batch_id) DO UPDATE SET units = excluded.units`,
    batchIds,
    batchIds.map((batchId) => all.get(batchId) as UnitSet),
  )
}

function joined(left: UnitSet, right: UnitSet = new Uint8Array()): UnitSet {
  const both = new Uint8Array(Math.max(left.length, right.length))
  addUnits(both, left)
  addUnits(both, right)
  return both
}

/** Those of the rows that have hidden units, without them. */
function without<Row extends { readonly batch_id: number; readonly units: Uint8Array }>(
  rows: readonly Row[],
  hidden: ReadonlyMap<number, UnitSet>,
): Row[] {
  const changed: Row[] = []
  for (const row of rows) {
    const units = hidden.get(row.batch_id)
    if (!units || !intersects(row.units, units)) continue
    removeUnits(row.units, units)
    changed.push(row)
  }
  return changed
}

function hasUnits({ units }: { readonly units: UnitSet }): boolean {
  return countUnits(units) > 0
}
