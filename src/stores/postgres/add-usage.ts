import type { UsageDigest } from '../../domain/trace-digest.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import type { UnitBatch } from '../shared/join-trace.ts'
import type { Sql } from '../shared/sql.ts'

/** The use of a model in one batch. */
export interface BatchUsage {
  readonly batch: UnitBatch
  readonly usage: UsageDigest
}

interface UsageSum {
  readonly minute: number
  readonly envProjectId: string
  readonly service: string
  readonly model: string
  calls: number
  errors: number
  countedCalls: number
  promptTokens: number
  completionTokens: number
  readonly durations: ValueSketch
}

/** Adds what batches say to the sums of their minutes. The caller holds the project. */
export async function addUsage(tx: Sql, project: number, given: readonly BatchUsage[]): Promise<void> {
  if (given.length === 0) return
  const sums = new Map<string, UsageSum>()
  for (const one of given) addToSum(sums, one)
  const rows = [...sums.values()]
  const keys = [
    rows.map((row) => row.minute),
    rows.map((row) => row.envProjectId),
    rows.map((row) => row.service),
    rows.map((row) => row.model),
  ]
  await addKnownDurations(tx, project, keys, sums)
  await tx.run(
    `INSERT INTO usage_rollups AS r (project_number, minute, env_project_id, service, model, calls, errors, counted_calls,
       prompt_tokens, completion_tokens, durations)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::bytea[])
     ON CONFLICT (project_number, minute, env_project_id, service, model) DO UPDATE SET calls = r.calls + excluded.calls,
       errors = r.errors + excluded.errors, counted_calls = r.counted_calls + excluded.counted_calls,
       prompt_tokens = r.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = r.completion_tokens + excluded.completion_tokens, durations = excluded.durations`,
    project,
    ...keys,
    rows.map((row) => row.calls),
    rows.map((row) => row.errors),
    rows.map((row) => row.countedCalls),
    rows.map((row) => row.promptTokens),
    rows.map((row) => row.completionTokens),
    rows.map((row) => row.durations.encode()),
  )
}

function addToSum(sums: Map<string, UsageSum>, { batch, usage }: BatchUsage): void {
  const { minute, service, model } = usage
  const key = keyOf(minute, batch.env_project_id, service, model)
  const sum = sums.get(key) ?? {
    ...{ minute, envProjectId: batch.env_project_id, service, model },
    ...{ calls: 0, errors: 0, countedCalls: 0, promptTokens: 0, completionTokens: 0 },
    durations: new ValueSketch(),
  }
  sums.set(key, sum)
  sum.calls += usage.calls
  sum.errors += usage.errors
  sum.countedCalls += usage.countedCalls
  sum.promptTokens += usage.promptTokens
  sum.completionTokens += usage.completionTokens
  for (const durationMs of usage.durationsMs) sum.durations.add(durationMs)
}

async function addKnownDurations(
  tx: Sql,
  project: number,
  keys: readonly (readonly (string | number)[])[],
  sums: ReadonlyMap<string, UsageSum>,
): Promise<void> {
  const known = await tx.all<{
    minute: number
    env_project_id: string
    service: string
    model: string
    durations: Uint8Array
  }>(
    `SELECT r.minute, r.env_project_id, r.service, r.model, r.durations
     FROM unnest($2::bigint[], $3::text[], $4::text[], $5::text[]) AS k (minute, env_project_id, service, model)
     JOIN usage_rollups r ON r.project_number = $1 AND r.minute = k.minute AND r.env_project_id = k.env_project_id
       AND r.service = k.service AND r.model = k.model`,
    project,
    ...keys,
  )
  for (const row of known) {
    const sum = sums.get(keyOf(row.minute, row.env_project_id, row.service, row.model))
    sum?.durations.merge(ValueSketch.decode(row.durations))
  }
}

function keyOf(...parts: readonly (string | number)[]): string {
  return JSON.stringify(parts)
}
