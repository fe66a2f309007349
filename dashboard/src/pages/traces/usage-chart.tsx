import { useMemo } from 'react'
import { Loaded } from '../../ui/feedback.tsx'
import { Select } from '../../ui/field.tsx'
import { LineChart } from '../../ui/line-chart.tsx'
import { type RangeName, useQueryState } from '../../ui/time-range.ts'
import {
  bucketTimes,
  FORMATS,
  GROUPS,
  GROUPS_MAX,
  type Group,
  groupsOf,
  METRICS,
  type Metric,
  seriesOf,
  type UsageAnswer,
} from './usage-series.ts'
import { useUsage } from './use-usage.ts'

const GROUP_OPTIONS = [
  { value: '', label: 'All together' },
  ...Object.entries(GROUPS).map(([value, label]) => ({ value, label })),
]
const BUCKET_WORDS: Readonly<Record<string, string>> = {
  '1m': 'minute',
  '5m': '5 minutes',
  '15m': '15 minutes',
  '1h': 'hour',
  '6h': '6 hours',
  '1d': 'day',
}

/** One measure of the use over time, on demand by model or service. */
export function UsageChart({ range, metric }: { range: RangeName; metric: Metric }) {
  const [address, change] = useQueryState()
  const named = address.get('group') ?? ''
  const group = named in GROUPS ? (named as Group) : undefined
  const usage = useUsage(range, group)
  return (
    <div>
      <div className="spread">
        <h3>{`${METRICS[metric]} over time`}</h3>
        <Select
          aria-label="Group the chart"
          value={group ?? ''}
          options={GROUP_OPTIONS}
          onChange={(event) => change({ group: event.target.value })}
        />
      </div>
      <Loaded query={usage} lines={5}>
        {(answer) => <Drawn answer={answer} metric={metric} group={group} />}
      </Loaded>
    </div>
  )
}

function Drawn({ answer, metric, group }: { answer: UsageAnswer; metric: Metric; group: Group | undefined }) {
  const times = useMemo(() => bucketTimes(answer), [answer])
  const series = useMemo(() => seriesOf(answer, metric, group), [answer, metric, group])
  const left = group ? Math.max(0, groupsOf(answer.usage, group).length - GROUPS_MAX) : 0
  const notes = [
    ...(group && metric === 'latency' ? ['95 % of the calls took at most this long.'] : []),
    ...(left > 0 ? [`The ${GROUPS_MAX} with the most calls; ${left} more are not drawn.`] : []),
    `One point for each ${BUCKET_WORDS[answer.bucket] ?? answer.bucket}.`,
    'Filters by environment, service and model apply here too.',
  ]
  return (
    <>
      <LineChart
        label={`${METRICS[metric]} over time`}
        times={times}
        series={series}
        height={180}
        format={FORMATS[metric]}
      />
      <p className="quiet small">{notes.join(' ')}</p>
    </>
  )
}
