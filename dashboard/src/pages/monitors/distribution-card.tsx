import { BarList, Histogram } from '../../ui/bars.tsx'
import { EmptyState, Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatNumber, formatPercent } from '../../ui/format.ts'
import { Card } from '../../ui/page.tsx'
import { useListEvaluations } from './evaluations-choice.ts'
import { type ChartChoice, type Distribution, type Monitor, useDistribution } from './monitor-queries.ts'
import { isNumeric, type SchemaField } from './words.ts'

interface DistributionCardProps {
  readonly monitor: Monitor
  readonly choice: ChartChoice
  readonly fields: readonly SchemaField[]
}

/** How often which value occurs. */
export function DistributionCard({ monitor, choice, fields }: DistributionCardProps) {
  const distribution = useDistribution(monitor.id, choice)
  return (
    <Card title="Distribution">
      <Loaded query={distribution}>
        {(found) =>
          found.count === 0 ? (
            <EmptyState title="No values in this time">
              Choose a longer time range or another version.
            </EmptyState>
          ) : (
            <Spread
              of={found}
              label={fields.find(({ name }) => name === found.property)?.label ?? found.property}
              isListed={fields.find(isNumeric)?.name === found.property}
            />
          )
        }
      </Loaded>
    </Card>
  )
}

interface SpreadProps {
  readonly of: Distribution
  readonly label: string
  /** Results can be listed by the values of this field. */
  readonly isListed: boolean
}

function Spread({ of: distribution, label, isListed }: SpreadProps) {
  const { kind, bins, labels, count } = distribution
  const list = useListEvaluations()
  const opener = (min: number, max: number) =>
    isListed ? () => list({ min: String(min), max: String(max), outcome: 'scored' }) : undefined
  const share = (part: number) => `${formatNumber(part)} (${formatPercent(part / count)})`
  if (kind !== 'number') {
    const bars = labels.map(({ label: name, count: often }) => ({
      name: kind === 'boolean' ? yesOrNo(name) : name,
      count: often,
      onOpen: kind === 'boolean' ? opener(Number(name === 'true'), Number(name === 'true')) : undefined,
    }))
    return (
      <div className="stack">
        <p className="quiet">{`${label}, ${formatCount(count, 'value')} of version ${distribution.version}.`}</p>
        <BarList label={`Values of ${label}`} bars={bars} note={({ count: often }) => share(often)} />
      </div>
    )
  }
  const bars = bins.map(({ from, to, count: often }) => ({
    name: from === to ? formatNumber(from) : `${formatNumber(from)} to ${formatNumber(to)}`,
    count: often,
    onOpen: opener(from, to),
  }))
  return (
    <div className="stack">
      <p className="quiet">{numberWords(distribution, label)}</p>
      <div>
        <Histogram label={`Distribution of ${label}`} bars={bars} />
        <div className="spread quiet small number">
          <span>{formatNumber(bins[0]?.from ?? 0)}</span>
          <span>{formatNumber(bins.at(-1)?.to ?? 0)}</span>
        </div>
      </div>
    </div>
  )
}

const yesOrNo = (label: string) => (label === 'true' ? 'Yes' : 'No')

function numberWords({ count, mean, p50, p95, version }: Distribution, label: string): string {
  const parts = [
    mean === null ? '' : `The mean is ${formatNumber(mean)}.`,
    p50 === null ? '' : `Half of the values are at most ${formatNumber(p50)}.`,
    p95 === null ? '' : `95% are at most ${formatNumber(p95)}.`,
  ]
  return [`${label}, ${formatCount(count, 'value')} of version ${version}.`, ...parts]
    .filter(Boolean)
    .join(' ')
}
