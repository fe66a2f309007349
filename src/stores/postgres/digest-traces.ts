import { learnPause, quietMs } from '../../domain/quiet-time.ts'
import type { TraceDigest } from '../../domain/trace-digest.ts'
import { joinTrace, pauseBefore, type UnitBatch } from '../shared/join-trace.ts'
import { toHex } from '../shared/span-rows.ts'
import type { Sql } from '../shared/sql.ts'
import type { TraceRow } from '../shared/trace-rows.ts'
import { UnitOpenings } from './open-units.ts'
import { gatheredMatches, readPauses } from './unit-operations.ts'

/** A batch's statement about a trace. */
export interface BatchTrace {
  readonly batch: UnitBatch
  readonly said: TraceDigest
}

/**
 * Adds what batches say about traces, in their order: traces, where their spans lie, how long services pause, units. All of it
 * is read first and joined here, so that a trace is written once however many batches go on with it. The caller holds the
 * project.
 */
export async function addTraces(
  tx: Sql,
  project: number,
  given: readonly BatchTrace[],
  quietMsMin: number,
): Promise<void> {
  if (given.length === 0) return
  const traces = await readTraces(tx, project, given)
  const services = [
    ...given.map(({ said }) => said.service),
    ...[...traces.values()].map((row) => row.service),
  ]
  const pauses = await readPauses(tx, project, [...new Set(services.map((service) => service ?? ''))])
  const matches = await gatheredMatches(tx, [...new Set(given.map(({ batch }) => batch.id))])
  const learned = new Set<string>()
  const openings = new UnitOpenings(project)
  for (const { batch, said } of given) {
    const known = traces.get(said.traceId)
    const pause = pauseBefore(known, batch, said)
    if (pause) {
      pauses.set(pause.service, learnPause(pauses.get(pause.service), pause.ms))
      learned.add(pause.service)
    }
    const trace = joinTrace(known, batch, said)
    traces.set(said.traceId, trace)
    const waitMs = trace.is_complete === 1 ? 0 : quietMs(pauses.get(trace.service ?? ''), quietMsMin)
    openings.add(batch, said.units, trace, matches.get(batch.id) ?? [], batch.received_at_ms + waitMs)
  }
  await writeTraces(tx, project, [...traces.values()])
  await writePlaces(tx, project, given)
  await writePauses(tx, project, [...learned], pauses)
  await openings.write(tx)
}

/** Puts a trace together again from what batches say about it, in their order. The caller holds the project. */
export async function rebuildTraceRows(
  tx: Sql,
  project: number,
  said: readonly { readonly batchId: number; readonly digest: TraceDigest }[],
): Promise<void> {
  const batches = await tx.all<UnitBatch>(
    `SELECT id, project_number, env_project_id, received_at_ms FROM span_batches
     WHERE id = ANY($1::bigint[]) AND project_number = $2 FOR KEY SHARE`,
    said.map(({ batchId }) => batchId),
    project,
  )
  const batchOf = new Map(batches.map((batch) => [batch.id, batch]))
  const given = said.flatMap(({ batchId, digest }) => {
    const batch = batchOf.get(batchId)
    return batch ? [{ batch, said: digest }] : []
  })
  if (given.length === 0) return
  let trace: TraceRow | undefined
  for (const { batch, said: digest } of given) trace = joinTrace(trace, batch, digest)
  if (trace) await writeTraces(tx, project, [trace])
  await writePlaces(tx, project, given)
}

async function readTraces(
  tx: Sql,
  project: number,
  given: readonly BatchTrace[],
): Promise<Map<string, TraceRow>> {
  const traceIds = [...new Set(given.map(({ said }) => said.traceId))]
  const rows = await tx.all<TraceRow>(
    'SELECT * FROM traces WHERE project_number = $1 AND trace_id = ANY($2::bytea[])',
    project,
    traceIds.map((traceId) => Buffer.from(traceId, 'hex')),
  )
  return new Map(rows.map((row) => [toHex(row.trace_id), row]))
}

async function writeTraces(tx: Sql, project: number, rows: readonly TraceRow[]): Promise<void> {
  await tx.run(
    WRITE_TRACES,
    project,
    rows.map((row) => row.trace_id),
    rows.map((row) => row.env_project_id),
    rows.map((row) => row.first_ms),
    rows.map((row) => row.last_ms),
    rows.map((row) => row.arrived_at_ms),
    rows.map((row) => row.span_count),
    rows.map((row) => row.error_count),
    rows.map((row) => row.root_name),
    rows.map((row) => row.service),
    rows.map((row) => row.model),
    rows.map((row) => row.session_id),
    rows.map((row) => row.model_calls),
    rows.map((row) => row.prompt_tokens),
    rows.map((row) => row.completion_tokens),
    rows.map((row) => row.model_use),
    rows.map((row) => row.is_complete),
  )
}

const WRITE_TRACES = `INSERT INTO traces (project_number, trace_id, env_project_id, first_ms, last_ms, arrived_at_ms,
    span_count, error_count, root_name, service, model, session_id, model_calls, prompt_tokens, completion_tokens, model_use,
    is_complete)
  SELECT $1, * FROM unnest($2::bytea[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
    $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::bigint[], $16::text[],
    $17::smallint[])
  ON CONFLICT (project_number, trace_id) DO UPDATE SET first_ms = excluded.first_ms, last_ms = excluded.last_ms,
    arrived_at_ms = excluded.arrived_at_ms, span_count = excluded.span_count, error_count = excluded.error_count,
    root_name = excluded.root_name, service = excluded.service, model = excluded.model, session_id = excluded.session_id,
    model_calls = excluded.model_calls, prompt_tokens = excluded.prompt_tokens,
    completion_tokens = excluded.completion_tokens, model_use = excluded.model_use, is_complete = excluded.is_complete`

async function writePlaces(tx: Sql, project: number, given: readonly BatchTrace[]): Promise<void> {
  await tx.run(
    `INSERT INTO trace_places (project_number, trace_id, batch_id, units)
     SELECT $1, * FROM unnest($2::bytea[], $3::bigint[], $4::bytea[])`,
    project,
    given.map(({ said }) => Buffer.from(said.traceId, 'hex')),
    given.map(({ batch }) => batch.id),
    given.map(({ said }) => said.units),
  )
}

async function writePauses(
  tx: Sql,
  project: number,
  services: readonly string[],
  pauses: ReadonlyMap<string, number>,
): Promise<void> {
  if (services.length === 0) return
  await tx.run(
    `INSERT INTO service_pauses (project_number, service, longest_ms) SELECT $1, * FROM unnest($2::text[], $3::float8[])
     ON CONFLICT (project_number, service) DO UPDATE SET longest_ms = excluded.longest_ms`,
    project,
    services,
    services.map((service) => pauses.get(service) as number),
  )
}
