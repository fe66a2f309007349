import { Fragment, useMemo } from 'react'
import { formatDuration, formatNumber, formatUsd } from '../../ui/format.ts'
import { QuotesProvider } from '../../ui/quotes.tsx'
import { findQuotes, quotesIn } from '../monitors/evidence.ts'
import '../monitors/evaluation.css'
import { Verdicts } from '../monitors/verdicts.tsx'
import type { Run, Values } from './evaluator-call.ts'

/** The claims, reasons and quotes that a verdict rests on; nothing where the evaluator gives none. */
export function TriedEvidence({ run }: { run: Run }) {
  const evidence = run.tried?.judgement?.evidence
  const found = useMemo(() => findQuotes(textsOf(run.call.input), quotesIn(evidence)), [run, evidence])
  if (!evidence) return null
  return (
    <QuotesProvider value={[...found.values()]}>
      <Verdicts evidence={evidence} found={found} isLooking={false} />
    </QuotesProvider>
  )
}

function textsOf(input: Values): string[] {
  return Object.values(input).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
}

/** The judge of a run, its tokens, cost and time. */
export function TriedFacts({ run }: { run: Run }) {
  const { judge, judge_quality: quality, judgement } = run.tried ?? {}
  const facts: readonly (readonly [string, string])[] = [
    ['Judge', judgeWords(judge, quality)],
    ...(judgement && judgement.calls + judgement.cached_calls > 0
      ? ([
          ['Questions', callWords(judgement.calls, judgement.cached_calls)],
          [
            'Tokens',
            `${formatNumber(judgement.prompt_tokens)} in, ${formatNumber(judgement.completion_tokens)} out`,
          ],
          ['Cost', formatUsd(judgement.cost_usd)],
        ] as const)
      : []),
    ['Time', formatDuration(run.durationMs)],
  ]
  return (
    <dl className="tried-facts">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  )
}

function judgeWords(judge: string | undefined, quality: string | undefined): string {
  if (judge === undefined) return 'None needed'
  if (judge === 'none') return 'None asked: code could decide'
  if (judge === 'embedded') return quality ? `Embedded judge (${quality})` : 'Embedded judge'
  return judge
}

function callWords(calls: number, cached: number): string {
  const asked = `${formatNumber(calls)} asked`
  return cached === 0 ? asked : `${asked}, ${formatNumber(cached)} answered from the cache`
}
