import type { UnitOutcome } from '../../domain/evaluation.ts'
import type { Recorded, WorkRecord } from '../../ports/work-storage.ts'
import { leftOutCounts } from '../shared/left-out.ts'
import { minuteOf } from '../shared/minute-of.ts'
import type { NewEvaluation } from '../shared/new-evaluation.ts'
import { type NextGeneration, NO_BATCH } from '../shared/next-generation.ts'
import { type ApplicationOf, type NamedUnit, numberApplications } from '../shared/number-applications.ts'
import { type RecordedRow, RollupChanges } from '../shared/rollup-changes.ts'
import { toHex } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import { judgeOutcome } from '../shared/stored-verdict.ts'
import { endWork, type HeldWork, holdWork } from './held-work.ts'
import { insertEvaluations } from './insert-evaluations.ts'
import { beginRecording } from './recording-order.ts'
import { writeRollups } from './write-rollups.ts'

/** Stores one outcome as a generation of its unit and puts it in the place of the superseded one in all counts; its number. */
export async function recordGeneration(tx: Sql, next: NextGeneration, nowMs: number): Promise<number> {
  const { outcome, superseded, monitorVersion, batchId = NO_BATCH } = next
  const application = (await numberApplications(tx, [next], nowMs))(next)
  const rollups = new RollupChanges()
  if (superseded !== null) await retire(tx, rollups, monitorVersion, superseded)
  const verdict = judgeOutcome(await ruleOf(tx, monitorVersion), outcome)
  const [stored] = await insertEvaluations(tx, [{ ...next, batchId, verdict, application }])
  if (!stored) throw new Error(`generation ${next.generation} of a unit is stored already`)
  rollups.add(monitorVersion, outcome, verdict, application)
  await writeRollups(tx, rollups)
  return stored.number
}

async function ruleOf(tx: Sql, monitorVersion: number): Promise<string | null> {
  const row = await tx.get<{ verdict_rule: string | null }>(
    `SELECT m.verdict_rule FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number WHERE v.number = $1`,
    monitorVersion,
  )
  return row?.verdict_rule ?? null
}

/** Keeps deletions out of the projects that these monitor versions belong to; the time of recording. */
export async function beginRecordingOf(tx: Sql, monitorVersions: readonly number[]): Promise<number> {
  const rows = await tx.all<{ project_number: number }>(
    `SELECT DISTINCT m.project_number FROM monitor_versions v JOIN monitors m ON m.number = v.monitor_number
     WHERE v.number = ANY($1::bigint[])`,
    monitorVersions,
  )
  return beginRecording(
    tx,
    rows.map((row) => row.project_number),
  )
}

export async function recordWork(tx: Sql, records: readonly WorkRecord[]): Promise<Recorded> {
  const held: HeldWork[] = []
  for (const part of partsOf(records)) held.push(...(await recordPart(tx, part)))
  const written = new Set(held.map(({ record }) => record))
  return {
    evaluations: held.reduce((sum, { recorded }) => sum + recorded, 0),
    refused: records.flatMap((record, position) => (written.has(record) ? [] : [position])),
  }
}

/** Two records of the same work come one after the other: the second goes on with what the first has left. Mostly one part. */
function partsOf(records: readonly WorkRecord[]): WorkRecord[][] {
  const parts: WorkRecord[][] = []
  const seen = new Map<number, number>()
  for (const record of records) {
    const { lease } = record.work
    const at = seen.get(lease) ?? 0
    seen.set(lease, at + 1)
    parts[at] ??= []
    parts[at].push(record)
  }
  return parts
}

/** Tells of which records the work was still held. */
async function recordPart(tx: Sql, records: readonly WorkRecord[]): Promise<HeldWork[]> {
  const nowMs = await beginRecordingOf(
    tx,
    records.map(({ work }) => work.monitorVersion),
  )
  const held = await holdWork(tx, records)
  if (held.length === 0) return held
  await endWork(tx, held)
  const rollups = new RollupChanges()
  const applicationOf = await numberApplications(tx, unitsOf(held), nowMs)
  const outcomes = await withGenerations(tx, rollups, held, applicationOf)
  const stored = await insertEvaluations(
    tx,
    outcomes.map((given) => given.evaluation),
  )
  for (const { position } of stored) {
    const { evaluation, held: work } = outcomes[position] as GivenOutcome
    rollups.add(evaluation.monitorVersion, evaluation.outcome, evaluation.verdict, evaluation.application)
    work.recorded++
  }
  for (const { record, receivedAtMs, jobNumber } of held) {
    const minute = minuteOf(receivedAtMs ?? nowMs)
    for (const { status, units } of leftOutCounts(record, jobNumber))
      rollups.count(record.work.monitorVersion, minute, status, units)
  }
  await writeRollups(tx, rollups)
  await countForJobs(tx, held)
  return held
}

function unitsOf(held: readonly HeldWork[]): NamedUnit[] {
  return held.flatMap(({ record, projectNumber }) =>
    record.outcomes.map((outcome) => ({ projectNumber, outcome })),
  )
}

interface GivenOutcome {
  readonly held: HeldWork
  readonly evaluation: NewEvaluation
}

/** All outcomes. Those of a rerun are the next generation of their units, and what they supersede becomes history. */
async function withGenerations(
  tx: Sql,
  rollups: RollupChanges,
  held: readonly HeldWork[],
  applicationOf: ApplicationOf,
): Promise<GivenOutcome[]> {
  const given = held.flatMap((work) =>
    work.record.outcomes.map((outcome) => {
      const { monitorVersion, batchId } = work.record.work
      const { projectNumber } = work
      const verdict = judgeOutcome(work.verdictRule, outcome)
      return {
        held: work,
        evaluation: {
          ...{ projectNumber, monitorVersion, batchId, generation: 1, outcome, verdict },
          application: applicationOf({ projectNumber, outcome }),
        },
      }
    }),
  )
  const again = given.filter(({ held: work }) => work.isRerun)
  if (again.length === 0) return given
  const generations = await retireUnits(
    tx,
    rollups,
    again.map(({ evaluation }) => evaluation),
  )
  return given.map((one) => {
    const known = one.held.isRerun ? generations.get(unitOf(one.evaluation)) : undefined
    return known === undefined ? one : { ...one, evaluation: { ...one.evaluation, generation: known + 1 } }
  })
}

function unitOf({ monitorVersion, outcome }: { monitorVersion: number; outcome: UnitOutcome }): string {
  return `${monitorVersion} ${outcome.traceId} ${outcome.spanId}`
}

/** Makes the current evaluations of units history; tells the generations of those that have one. */
async function retireUnits(
  tx: Sql,
  rollups: RollupChanges,
  units: readonly NewEvaluation[],
): Promise<Map<string, number>> {
  const rows = await tx.all<RecordedRow & { trace_id: Buffer; span_id: Buffer; generation: number }>(
    `SELECT e.number, e.monitor_version, e.trace_id, e.span_id, e.generation, e.is_current, e.status, e.output, e.unit_at_ms,
       e.verdict, e.application
     FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS u (project_number, monitor_version, trace_id, span_id)
     JOIN evaluations e ON e.monitor_version = u.monitor_version AND e.trace_id = decode(u.trace_id, 'hex')
       AND e.span_id = decode(u.span_id, 'hex')
     WHERE NOT EXISTS (SELECT 1 FROM deleted_traces d WHERE d.project_number = u.project_number AND d.trace_id = e.trace_id)
     ORDER BY e.monitor_version, e.trace_id, e.span_id, e.generation FOR UPDATE OF e`,
    units.map((unit) => unit.projectNumber),
    units.map((unit) => unit.monitorVersion),
    units.map((unit) => unit.outcome.traceId),
    units.map((unit) => unit.outcome.spanId),
  )
  // The rows of a unit are in the order of their generations: the last one counts.
  const newest = new Map<string, (typeof rows)[number]>()
  for (const row of rows)
    newest.set(`${row.monitor_version} ${toHex(row.trace_id)} ${toHex(row.span_id)}`, row)
  const retired = [...newest.values()].filter((row) => row.is_current === 1)
  for (const row of retired) rollups.remove(row.monitor_version, row)
  await tx.run(
    `UPDATE evaluations e SET is_current = 0 FROM unnest($1::bigint[], $2::bigint[]) AS r (number, unit_at_ms)
     WHERE e.number = r.number AND e.unit_at_ms = r.unit_at_ms`,
    retired.map((row) => row.number),
    retired.map((row) => row.unit_at_ms),
  )
  return new Map(Array.from(newest, ([unit, row]) => [unit, row.generation]))
}

/** Makes an evaluation history and takes it out of the rollups; nothing where it is history or gone already. */
async function retire(
  tx: Sql,
  rollups: RollupChanges,
  monitorVersion: number,
  number: number,
): Promise<void> {
  const row = await tx.get<RecordedRow>(
    `UPDATE evaluations SET is_current = 0 WHERE number = $1 AND monitor_version = $2 AND is_current = 1
     RETURNING status, output, unit_at_ms, verdict, application`,
    number,
    monitorVersion,
  )
  if (row) rollups.remove(monitorVersion, row)
}

/** Takes evaluations away as if they had never been made; what counts them is put right. */
export async function forgetEvaluations(
  tx: Sql,
  rows: readonly Pick<RecordedRow, 'number' | 'unit_at_ms'>[],
): Promise<void> {
  if (rows.length === 0) return
  // As they are now, not as they were when the caller read them.
  const forgotten = await tx.all<RecordedRow & { project_number: number }>(
    `DELETE FROM evaluations e USING unnest($1::bigint[], $2::bigint[]) AS r (number, unit_at_ms)
     WHERE e.number = r.number AND e.unit_at_ms = r.unit_at_ms
     RETURNING e.number, e.project_number, e.monitor_version, e.is_current, e.status, e.output, e.unit_at_ms, e.verdict,
       e.application`,
    rows.map((row) => row.number),
    rows.map((row) => row.unit_at_ms),
  )
  await tx.run(
    `DELETE FROM review_items i USING unnest($1::bigint[], $2::bigint[]) AS r (project_number, number)
     WHERE i.project_number = r.project_number AND i.evaluation_number = r.number`,
    forgotten.map((row) => row.project_number),
    forgotten.map((row) => row.number),
  )
  const rollups = new RollupChanges()
  for (const row of forgotten) if (row.is_current === 1) rollups.remove(row.monitor_version, row)
  await writeRollups(tx, rollups)
}

async function countForJobs(tx: Sql, held: readonly HeldWork[]): Promise<void> {
  const ofJobs = held.filter(({ jobNumber }) => jobNumber > 0)
  if (ofJobs.length === 0) return
  await tx.run(
    `UPDATE jobs j SET evaluated = j.evaluated + c.evaluated, sampled_out = j.sampled_out + c.sampled_out,
       skipped = j.skipped + c.skipped
     FROM (SELECT number, sum(evaluated) AS evaluated, sum(sampled_out) AS sampled_out, sum(skipped) AS skipped
           FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS u (number, evaluated, sampled_out, skipped)
           GROUP BY number) AS c
     WHERE j.number = c.number`,
    ofJobs.map(({ jobNumber }) => jobNumber),
    ofJobs.map(({ recorded }) => recorded),
    ofJobs.map(({ record }) => record.sampledOut),
    ofJobs.map(({ record }) => record.skipped ?? 0),
  )
}
