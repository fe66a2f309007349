import { addModelUse, type ModelUse } from '../../domain/model-use.ts'
import { ValueSketch } from '../../lib/value-sketch.ts'
import type { UsageBucket, UsageQuery } from '../../ports/trace-storage.ts'
import { type StoredModelUses, toModelUses } from './model-use-text.ts'

/** A row of `usage_rollups`, with the first minute of its bucket. */
export interface UsageRow {
  bucket: number
  env_project_id: string
  service: string
  model: string
  calls: number
  errors: number
  counted_calls: number
  prompt_tokens: number
  completion_tokens: number
  durations: Uint8Array
}

/** The columns of a `UsageRow`, besides its bucket. */
export const USAGE_COLUMNS = `env_project_id, service, model, calls, errors, counted_calls, prompt_tokens,
  completion_tokens, durations`

const MINUTE_MS = 60_000

/** The minutes that a query is about, the last not included, and how many of them make a bucket. */
export function minutesOf(query: UsageQuery): { from: number; to: number; each: number } {
  return {
    from: Math.floor(query.fromMs / MINUTE_MS),
    to: Math.ceil(query.toMs / MINUTE_MS),
    each: Math.max(1, Math.floor(query.bucketMs / MINUTE_MS)),
  }
}

/** Adds rows up to what is grouped by, in the order in which groups come first. */
export function toUsage(rows: readonly UsageRow[], query: UsageQuery): UsageBucket[] {
  const groups = new Map<string, Growing>()
  for (const row of rows) addRow(groups, query, row)
  return [...groups.values()].map(toBucket)
}

type Growing = Omit<UsageBucket, 'models' | 'durationP50Ms' | 'durationP95Ms'> & {
  readonly models: Map<string, ModelUse>
  readonly durations: ValueSketch
}

function addRow(groups: Map<string, Growing>, { groupBy }: UsageQuery, row: UsageRow): void {
  const group = {
    startMs: row.bucket * MINUTE_MS,
    ...(groupBy.includes('model') ? { model: row.model } : {}),
    ...(groupBy.includes('service') ? { service: row.service } : {}),
    ...(groupBy.includes('environment') ? { envProjectId: row.env_project_id } : {}),
  }
  const key = JSON.stringify(group)
  const known = groups.get(key) ?? {
    ...group,
    models: new Map<string, ModelUse>(),
    durations: new ValueSketch(),
  }
  groups.set(key, known)
  addModelUse(known.models, row.model, {
    calls: row.calls,
    errors: row.errors,
    countedCalls: row.counted_calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
  })
  known.durations.mergeEncoded(row.durations)
}

function toBucket({ durations, ...bucket }: Growing): UsageBucket {
  // There is no row without a call, so there is always a quantile.
  const quantile = (share: number) => durations.quantile(share) as number
  return { ...bucket, durationP50Ms: quantile(0.5), durationP95Ms: quantile(0.95) }
}

/** A JSON list of what traces used models for, as one; of one model alone where one is asked for. */
export function joinUses(texts: string, only?: string): Map<string, ModelUse> {
  const joined = new Map<string, ModelUse>()
  for (const uses of JSON.parse(texts) as StoredModelUses[]) {
    for (const [model, use] of toModelUses(uses)) {
      if (only === undefined || model === only) addModelUse(joined, model, use)
    }
  }
  return joined
}
