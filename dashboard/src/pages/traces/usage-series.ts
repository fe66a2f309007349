import type { ChartSeries } from '../../ui/chart-options.ts'
import { formatCompact, formatDuration, formatUsd } from '../../ui/format.ts'
import { groupBy } from './group-by.ts'
import type { UsageLine } from './trace-types.ts'

/** The metrics of use that can be drawn. */
export const METRICS = {
  calls: 'Model calls',
  tokens: 'Tokens',
  cost: 'Cost',
  latency: 'Latency',
  errors: 'Errors',
} as const
export type Metric = keyof typeof METRICS

/** How values of each are written. */
export const FORMATS: Readonly<Record<Metric, (value: number) => string>> = {
  calls: formatCompact,
  tokens: formatCompact,
  cost: formatUsd,
  latency: formatDuration,
  errors: formatCompact,
}

export const GROUPS = { model: 'By model', service: 'By service' } as const
export type Group = keyof typeof GROUPS

/** Groups that are drawn; more lines cannot be told apart. */
export const GROUPS_MAX = 5

const BUCKET_MS: Readonly<Record<string, number>> = {
  '1m': 60_000,
  '5m': 300_000,
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '1d': 86_400_000,
}

/** The answer of `GET /v2/usage`. */
export interface UsageAnswer {
  readonly from: string
  readonly to: string
  readonly bucket: string
  readonly usage: readonly UsageLine[]
}

/** The beginnings of all buckets of the range, also of those without calls. */
export function bucketTimes({ from, to, bucket }: UsageAnswer): Date[] {
  const step = BUCKET_MS[bucket] ?? 3_600_000
  const start = Date.parse(from)
  const count = Math.max(0, Math.ceil((Date.parse(to) - start) / step))
  return Array.from({ length: count }, (_, at) => new Date(start + at * step))
}

// Nothing called is 0 calls, tokens and errors; their duration and cost are unknown.
const VALUES: Readonly<Record<Exclude<Metric, 'latency'>, (line: UsageLine | undefined) => number | null>> = {
  calls: (line) => line?.model_calls ?? 0,
  tokens: (line) => (line ? line.prompt_tokens + line.completion_tokens : 0),
  cost: (line) => (line ? (line.cost_usd ?? null) : 0),
  errors: (line) => line?.error_count ?? 0,
}

/** The lines of a chart: one for each group, two for latency where nothing is grouped. */
export function seriesOf(answer: UsageAnswer, metric: Metric, group: Group | undefined): ChartSeries[] {
  const times = bucketTimes(answer).map((time) => time.getTime())
  const draw = (
    name: string,
    lines: readonly UsageLine[],
    value: (line: UsageLine | undefined) => number | null,
  ): ChartSeries => {
    const byTime = new Map(lines.map((line) => [Date.parse(line.time), line]))
    return { name, values: times.map((time) => value(byTime.get(time))) }
  }
  const p50 = (line: UsageLine | undefined) => line?.duration_p50_ms ?? null
  const p95 = (line: UsageLine | undefined) => line?.duration_p95_ms ?? null
  if (!group) {
    if (metric !== 'latency') return [draw(METRICS[metric], answer.usage, VALUES[metric])]
    return [
      draw('Half of the calls (p50)', answer.usage, p50),
      draw('95 % of the calls (p95)', answer.usage, p95),
    ]
  }
  return groupsOf(answer.usage, group)
    .slice(0, GROUPS_MAX)
    .map(({ name, lines }) => draw(name, lines, metric === 'latency' ? p95 : VALUES[metric]))
}

/** Lines by group, the one with the most calls first. */
export function groupsOf(
  usage: readonly UsageLine[],
  group: Group,
): { name: string; lines: readonly UsageLine[] }[] {
  const callsOf = (lines: readonly UsageLine[]) => lines.reduce((sum, line) => sum + line.model_calls, 0)
  return [...groupBy(usage, (line) => line[group] || 'not named')]
    .map(([name, lines]) => ({ name, lines, calls: callsOf(lines) }))
    .sort((a, b) => b.calls - a.calls)
}

/** The whole range in numbers. Cost is undefined where no call has a known price. */
export function totalsOf(usage: readonly UsageLine[]) {
  const totals = {
    calls: 0,
    promptTokens: 0,
    completionTokens: 0,
    errors: 0,
    unpricedCalls: 0,
    costUsd: undefined as number | undefined,
  }
  for (const line of usage) {
    totals.calls += line.model_calls
    totals.promptTokens += line.prompt_tokens
    totals.completionTokens += line.completion_tokens
    totals.errors += line.error_count
    totals.unpricedCalls += line.unpriced_calls
    if (line.cost_usd !== undefined) totals.costUsd = (totals.costUsd ?? 0) + line.cost_usd
  }
  return totals
}
