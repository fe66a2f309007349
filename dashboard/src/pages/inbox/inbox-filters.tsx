import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Select, TextInput } from '../../ui/field.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { RANGES, useQueryState } from '../../ui/time-range.ts'
import { CHIP_NAMES, type ChipFilter, orderIn, verdictIn } from './inbox-address.ts'
import { useFilterMonitors } from './inbox-queries.ts'
import { MoreFilters } from './more-filters.tsx'

const VERDICTS = [
  { value: 'fail', label: 'Failed' },
  { value: 'pass', label: 'Passed' },
  { value: 'neutral', label: 'Neutral' },
  { value: 'any', label: 'Any verdict' },
]
const ORDERS = [
  { value: 'newest', label: 'Newest first' },
  { value: 'worst', label: 'Worst first' },
]
const TIMES = [
  { value: '', label: 'Any time' },
  ...Object.entries(RANGES).map(([value, { label }]) => ({ value, label })),
]

/** The filters of the list. Every choice stands in the address and closes the open item, which may not match it. */
export function InboxFilters() {
  const [address, set] = useQueryState()
  const [hasMore, setMore] = useState(false)
  const change = (changes: Readonly<Record<string, string | undefined>>) =>
    set({ ...changes, item: undefined })
  const isUnreviewed = address.get('reviewed') === 'false'
  return (
    <div className="inbox-filters">
      <div className="row inbox-filter-row">
        <SearchField key={address.get('q') ?? ''} />
        <Select
          aria-label="Verdict"
          value={verdictIn(address)}
          options={VERDICTS}
          onChange={({ target }) => change({ verdict: target.value === 'fail' ? undefined : target.value })}
        />
        <EvaluatorSelect
          onChange={(evaluator) => change({ evaluator })}
          value={address.get('evaluator') ?? ''}
        />
        <Select
          aria-label="Time range"
          value={address.get('range') ?? ''}
          options={TIMES}
          onChange={({ target }) => change({ range: target.value, from: undefined, to: undefined })}
        />
        <Select
          aria-label="Order"
          value={orderIn(address)}
          options={ORDERS}
          onChange={({ target }) => change({ order: target.value === 'newest' ? undefined : target.value })}
        />
        <Button
          aria-pressed={isUnreviewed}
          onClick={() => change({ reviewed: isUnreviewed ? undefined : 'false' })}
        >
          Not reviewed
        </Button>
        <Button variant="quiet" aria-expanded={hasMore} onClick={() => setMore(!hasMore)}>
          More filters
        </Button>
      </div>
      {hasMore ? <MoreFilters onDone={() => setMore(false)} /> : null}
      <Chips />
    </div>
  )
}

function SearchField() {
  const [address, change] = useQueryState()
  const [text, setText] = useState(address.get('q') ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ q: text.trim(), item: undefined })
  }
  return (
    <search className="inbox-search">
      <form onSubmit={submit}>
        <TextInput
          type="search"
          aria-label="Search questions and answers"
          placeholder="Search questions and answers"
          maxLength={1000}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      </form>
    </search>
  )
}

function EvaluatorSelect({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const monitors = useFilterMonitors()
  const slugs = new Set((monitors.data?.monitors ?? []).map(({ evaluator_type: slug }) => slug))
  if (value !== '') slugs.add(value)
  return (
    <Select
      aria-label="Evaluator"
      value={value}
      options={[{ value: '', label: 'All evaluators' }, ...[...slugs].sort()]}
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** Filters that no control shows, each with a way to remove it. */
function Chips() {
  const [address, change] = useQueryState()
  const monitors = useFilterMonitors()
  const names = (Object.keys(CHIP_NAMES) as ChipFilter[]).filter((name) => address.has(name))
  if (names.length === 0) return null
  const words = (name: ChipFilter) => {
    const value = address.get(name) ?? ''
    const monitor = name === 'monitor' ? monitors.data?.monitors.find(({ id }) => id === value) : undefined
    if (monitor) return `${monitor.evaluator_type} of ${monitor.external_id}`
    const at =
      name === 'from' || name === 'to'
        ? new Date(/^\d+$/.test(value) ? Number(value) * 1_000 : value)
        : undefined
    return at && !Number.isNaN(at.getTime()) ? formatDateTime(at) : value
  }
  return (
    <ul className="row" aria-label="Filters">
      {names.map((name) => (
        <li key={name}>
          <button
            type="button"
            className="inbox-chip"
            onClick={() => change({ [name]: undefined, item: undefined })}
          >
            <span>{`${CHIP_NAMES[name]}: ${words(name)}`}</span>
            <Icon name="close" />
            <span className="visually-hidden">Remove</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
