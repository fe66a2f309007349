import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Badge } from '../../ui/badge.tsx'
import { formatCompact, formatDateTime, formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { modelUseOf } from '../../ui/span-content.ts'
import { Time } from '../../ui/time.tsx'
import type { TraceDetail, TraceSpan } from './trace-types.ts'

/** The identity of the trace, its duration and its use of models, at one glance. */
export function TraceHead({ trace, spans }: { trace: TraceDetail; spans: readonly TraceSpan[] }) {
  const models = [...new Set(spans.flatMap((span) => modelUseOf(span).model ?? []))]
  return (
    <Card>
      <dl className="trace-facts">
        <Fact name="Status">
          {trace.error_count > 0 ? (
            <Badge tone="bad">{errorsText(trace.error_count)}</Badge>
          ) : (
            <Badge tone="good">No errors</Badge>
          )}
        </Fact>
        <Fact name="Started">
          <Time at={trace.started_at} />
          <span className="visually-hidden">{formatDateTime(new Date(trace.started_at))}</span>
        </Fact>
        <Fact name="Duration">{formatDuration(trace.duration_ms)}</Fact>
        <Fact name="Tokens">{tokensText(trace)}</Fact>
        <Fact name="Cost">{costText(trace)}</Fact>
        <Fact name={models.length > 1 ? 'Models' : 'Model'}>{models.join(', ') || trace.model || '–'}</Fact>
        <Fact name="Service">
          {trace.service ? (
            <Link href={`/traces?service=${encodeURIComponent(trace.service)}`}>{trace.service}</Link>
          ) : (
            '–'
          )}
        </Fact>
        <Fact name="Environment">{trace.environment ?? '–'}</Fact>
        <Fact name="Session">
          {trace.session_id ? (
            <Link href={`/sessions/${encodeURIComponent(trace.session_id)}`}>{trace.session_id}</Link>
          ) : (
            '–'
          )}
        </Fact>
      </dl>
    </Card>
  )
}

/** One fact, with its name. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

interface Use {
  readonly model_calls: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly cost_usd?: number | undefined
  readonly unpriced_calls: number
}

export function errorsText(count: number): string {
  return count === 1 ? '1 error' : `${formatNumber(count)} errors`
}

/** Tokens in and out; nothing where no model was called. */
export function tokensText({
  model_calls: calls,
  prompt_tokens: sent,
  completion_tokens: came,
}: Use): string {
  return calls === 0 ? '–' : `${formatCompact(sent)} in, ${formatCompact(came)} out`
}

/** The known cost, and the number of calls without a known price. */
export function costText({ model_calls: calls, cost_usd: usd, unpriced_calls: unpriced }: Use): string {
  if (calls === 0) return '–'
  if (usd === undefined || unpriced === 0) return formatUsd(usd)
  return `${formatUsd(usd)}, without ${formatNumber(unpriced)} ${unpriced === 1 ? 'call' : 'calls'} of unknown price`
}
