import type { Budget, CachedAnswer, SpendLine, StoredProviderKey } from '../../ports/judge-storage.ts'

const DAY_MS = 86_400_000
/** An entry that was used within this time is not written again: its age need not be exact. */
const USE_STEP_MS = 3_600_000

/** A found entry, and whether its age should be moved. */
export interface FoundAnswer extends CachedAnswer {
  readonly isAging: boolean
}

export interface CachedAnswerRow {
  readonly answer: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly used_at_ms: number
}

export function toFoundAnswer(row: CachedAnswerRow, nowMs: number): FoundAnswer {
  return {
    answer: row.answer,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    isAging: row.used_at_ms < nowMs - USE_STEP_MS,
  }
}

export interface ProviderKeyRow {
  readonly provider: string
  readonly base_url: string | null
  readonly sealed: string
  readonly hint: string
  readonly updated_at_ms: number
}

export function toProviderKey(row: ProviderKeyRow): StoredProviderKey {
  return {
    provider: row.provider,
    ...(row.base_url === null ? {} : { baseUrl: row.base_url }),
    sealed: row.sealed,
    hint: row.hint,
    updatedAtMs: row.updated_at_ms,
  }
}

export interface BudgetRow {
  readonly external_id: string | null
  readonly day_micros: number | null
  readonly month_micros: number | null
  readonly updated_at_ms: number
}

export function toBudget(row: BudgetRow): Budget {
  return {
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    ...(row.day_micros === null ? {} : { dayMicros: row.day_micros }),
    ...(row.month_micros === null ? {} : { monthMicros: row.month_micros }),
    updatedAtMs: row.updated_at_ms,
  }
}

export interface SpendLineRow {
  readonly day: number
  readonly external_id: string | null
  readonly model: string
  readonly calls: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_micros: number
  readonly unpriced_calls: number
}

export function toSpendLine(row: SpendLineRow): SpendLine {
  return {
    dayAtMs: row.day * DAY_MS,
    ...(row.external_id === null ? {} : { externalId: row.external_id }),
    model: row.model,
    calls: row.calls,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    costMicros: row.cost_micros,
    unpricedCalls: row.unpriced_calls,
  }
}

/** The day of a time in UTC, counted from 1970. */
export function dayOf(atMs: number): number {
  return Math.floor(atMs / DAY_MS)
}

export function monthOf(atMs: number): { firstDay: number; lastDay: number } {
  const date = new Date(atMs)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  return { firstDay: dayOf(Date.UTC(year, month, 1)), lastDay: dayOf(Date.UTC(year, month + 1, 1)) - 1 }
}
