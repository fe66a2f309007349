import { Select } from './field.tsx'
import { RANGES, type RangeName } from './time-range.ts'

const OPTIONS = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))

export function RangeSelect({ value, onChange }: { value: RangeName; onChange: (range: RangeName) => void }) {
  return (
    <Select
      aria-label="Time range"
      value={value}
      options={OPTIONS}
      onChange={(event) => onChange(event.target.value as RangeName)}
    />
  )
}
