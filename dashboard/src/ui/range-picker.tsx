import { type FormEvent, useState } from 'react'
import { Button } from './button.tsx'
import { fieldOf, RANGE_DAYS_MAX, rangeOfFields } from './custom-range.ts'
import { Dialog } from './dialog.tsx'
import { Field, Select, TextInput } from './field.tsx'
import { Icon } from './icon.tsx'
import './range-picker.css'
import { boundsOf, RANGES, type RangeName, rangeLabel, type TimeRange, widerRange } from './time-range.ts'

const NAMED = Object.entries(RANGES).map(([value, { label }]) => ({ value, label }))
const CHOSEN = 'chosen'
const OTHER = 'other'

interface RangePickerProps {
  readonly value: TimeRange
  readonly onChange: (range: TimeRange) => void
  /** Longest custom range that the page can show, in days. */
  readonly daysMax?: number
}

/** The time that a page shows: one of the usual ranges or any other, and a step outwards. */
export function RangePicker({ value, onChange, daysMax = RANGE_DAYS_MAX }: RangePickerProps) {
  const [isAsking, setAsking] = useState(false)
  const isNamed = typeof value === 'string'
  const chosen = isNamed ? [] : [{ value: CHOSEN, label: rangeLabel(value) }]
  const wider = widerRange(value, Date.now(), daysMax)
  return (
    <div className="range-picker">
      <Select
        aria-label="Time range"
        value={isNamed ? value : CHOSEN}
        options={[...NAMED, ...chosen, { value: OTHER, label: 'Custom range…' }]}
        onChange={({ target }) => {
          if (target.value === OTHER) setAsking(true)
          else if (target.value !== CHOSEN) onChange(target.value as RangeName)
        }}
      />
      <Button
        aria-label="Zoom out"
        title="Zoom out"
        disabled={wider === undefined}
        onClick={() => wider && onChange(wider)}
      >
        <Icon name="zoom-out" />
      </Button>
      <Dialog title="Custom range" isOpen={isAsking} onClose={() => setAsking(false)}>
        <RangeForm
          shown={boundsOf(value)}
          daysMax={daysMax}
          onCancel={() => setAsking(false)}
          onChoose={(range) => {
            setAsking(false)
            onChange(range)
          }}
        />
      </Dialog>
    </div>
  )
}

interface RangeFormProps {
  readonly shown: { readonly from: string; readonly to: string }
  readonly daysMax: number
  readonly onCancel: () => void
  readonly onChoose: (range: TimeRange) => void
}

function RangeForm({ shown, daysMax, onCancel, onChoose }: RangeFormProps) {
  const [fields, setFields] = useState({
    from: fieldOf(Date.parse(shown.from)),
    to: fieldOf(Date.parse(shown.to)),
  })
  const [isTried, setTried] = useState(false)
  const meant = rangeOfFields(fields, daysMax)
  const faultOf = (field: 'from' | 'to') =>
    isTried && 'fault' in meant && meant.field === field ? meant.fault : undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if ('range' in meant) onChoose(meant.range)
  }
  return (
    <form className="stack" onSubmit={submit} noValidate>
      <p className="quiet">{`Times are in ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`}</p>
      {(['from', 'to'] as const).map((name) => (
        <Field key={name} label={name === 'from' ? 'From' : 'To'} error={faultOf(name)}>
          {(ids) => (
            <TextInput
              {...ids}
              type="datetime-local"
              data-autofocus={name === 'from' || undefined}
              value={fields[name]}
              onChange={({ target }) => setFields({ ...fields, [name]: target.value })}
            />
          )}
        </Field>
      ))}
      <div className="row">
        <Button type="submit" variant="primary">
          Show
        </Button>
        <Button variant="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
