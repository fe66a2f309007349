import { Field, Select } from '../../ui/field.tsx'
import { rangeMs } from '../../ui/time-range.ts'
import { automaticBucket } from './chart-data.ts'
import { type ChartChoice, hasVerdicts, type Monitor } from './monitor-queries.ts'
import { BUCKET_WORDS, isNumeric, type SchemaField } from './words.ts'

const BUCKETS = Object.entries(BUCKET_WORDS).map(([value, label]) => ({ value, label }))
const AGGREGATIONS = [
  { value: '', label: 'Average' },
  { value: 'median', label: 'Median' },
  { value: 'p95', label: '95th percentile' },
  { value: 'min', label: 'Minimum' },
  { value: 'max', label: 'Maximum' },
  { value: 'sum', label: 'Sum' },
  { value: 'count', label: 'Count' },
]
const PASS_RATE = { value: 'pass_rate', label: 'Pass rate' }
const COUNT_ONLY = [{ value: '', label: 'Count' }]

interface ChartControlsProps {
  readonly monitor: Monitor
  readonly choice: ChartChoice
  readonly fields: readonly SchemaField[]
  readonly isCompared: boolean
  readonly onChange: (change: Readonly<Record<string, string | undefined>>) => void
}

/** The charted property and the width of its buckets. */
export function ChartControls({ monitor, choice, fields, isCompared, onChange }: ChartControlsProps) {
  const first = fields.find(isNumeric) ?? fields[0]
  const property = fields.find(({ name }) => name === choice.property) ?? first
  const isText = property?.type === 'string' || property?.type === 'enum'
  const automatic = {
    value: '',
    label: `Automatic (${BUCKET_WORDS[automaticBucket(rangeMs(choice.range))]})`,
  }
  const versions = monitor.versions.map(({ version }) => ({
    value: String(version),
    label: `Version ${version}`,
  }))
  return (
    <div className="monitor-controls">
      {fields.length > 1 ? (
        <Field label="Field">
          {(ids) => (
            <Select
              {...ids}
              value={property?.name ?? ''}
              options={fields.map(({ name, label }) => ({ value: name, label }))}
              onChange={(event) => onChange({ property: event.target.value, aggregation: undefined })}
            />
          )}
        </Field>
      ) : null}
      <Field label="Aggregation">
        {(ids) => (
          <Select
            {...ids}
            value={choice.aggregation ?? ''}
            options={[...(isText ? COUNT_ONLY : AGGREGATIONS), ...(hasVerdicts(monitor) ? [PASS_RATE] : [])]}
            onChange={(event) => onChange({ aggregation: event.target.value })}
          />
        )}
      </Field>
      <Field label="Interval">
        {(ids) => (
          <Select
            {...ids}
            value={choice.bucket ?? ''}
            options={[automatic, ...BUCKETS]}
            onChange={(event) => onChange({ bucket: event.target.value })}
          />
        )}
      </Field>
      {versions.length > 1 ? (
        <Field label="Version">
          {(ids) => (
            <Select
              {...ids}
              value={choice.version ?? ''}
              options={[{ value: '', label: 'All versions' }, ...versions]}
              onChange={(event) => onChange({ version: event.target.value })}
            />
          )}
        </Field>
      ) : null}
      <label className="check">
        <input
          type="checkbox"
          checked={isCompared}
          onChange={({ target }) => onChange({ compare: target.checked ? 'previous' : undefined })}
        />
        Compare with the previous period
      </label>
    </div>
  )
}
