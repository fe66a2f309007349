import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Combobox, type Suggestion } from '../../ui/combobox.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { type RangeName, useQueryState } from '../../ui/time-range.ts'
import { AttributeFilters } from './attribute-filters.tsx'
import {
  attributeFiltersOf,
  attributeFiltersText,
  FILTER_NAMES,
  TEXT_FILTERS,
  type TextFilter,
} from './trace-query.ts'
import { useEvaluatorSlugs, useKnownValues } from './use-known-values.ts'

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'ok', label: 'No errors' },
  { value: 'error', label: 'With errors' },
]
const OUTCOMES = [
  { value: '', label: 'Any' },
  { value: 'scored', label: 'Scored' },
  { value: 'abstained', label: 'Abstained' },
  { value: 'missing_input', label: 'Missing input' },
  { value: 'unparseable', label: 'Unparseable answer' },
  { value: 'refused', label: 'Refused' },
  { value: 'over_budget', label: 'Over budget' },
  { value: 'sampled_out', label: 'Sampled out' },
  { value: 'error', label: 'Error' },
]

type Draft = Readonly<Partial<Record<TextFilter, string>>>

/** All filters at once; they hold when the form is sent. */
export function FilterForm({ range, onDone }: { range: RangeName; onDone: () => void }) {
  const [address, change] = useQueryState()
  const [draft, setDraft] = useState<Draft>(() =>
    Object.fromEntries(TEXT_FILTERS.map((name) => [name, address.get(name) ?? ''])),
  )
  const [attributes, setAttributes] = useState(() => attributeFiltersOf(address))
  const known = useKnownValues(range)
  const evaluators = useEvaluatorSlugs()
  const hasValue = Boolean(draft.min_value || draft.max_value)
  const isValueAlone = hasValue && !draft.evaluator_type
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isValueAlone) return
    const complete = attributes.filter(({ id }) => id.trim() !== '')
    change({ ...draft, filters: attributeFiltersText(complete), cursor: undefined })
    onDone()
  }
  const set = (name: TextFilter) => (value: string) => setDraft({ ...draft, [name]: value })
  const suggested = (name: TextFilter, suggestions: readonly Suggestion[]) => (
    <Suggested name={name} value={draft[name] ?? ''} suggestions={suggestions} onChange={set(name)} />
  )
  return (
    <form className="filter-form" onSubmit={submit}>
      <div className="filter-grid">
        {suggested('service', known.service)}
        {suggested('model', known.model)}
        {suggested('environment', known.environment)}
        <Field label="Session">
          {(ids) => (
            <TextInput
              {...ids}
              value={draft.session_id}
              onChange={(event) => set('session_id')(event.target.value)}
            />
          )}
        </Field>
        <Field label="Status">
          {(ids) => (
            <Select
              {...ids}
              className="filter-select"
              value={draft.status}
              options={STATUSES}
              onChange={(event) => set('status')(event.target.value)}
            />
          )}
        </Field>
        <Pair label="Duration in ms" names={['min_duration_ms', 'max_duration_ms']} draft={draft} set={set} />
        {suggested('evaluator_type', evaluators)}
        <Field label="Evaluation status">
          {(ids) => (
            <Select
              {...ids}
              className="filter-select"
              value={draft.evaluation_status}
              options={OUTCOMES}
              onChange={(event) => set('evaluation_status')(event.target.value)}
            />
          )}
        </Field>
        <Pair
          label="Score (yes is 1)"
          names={['min_value', 'max_value']}
          draft={draft}
          set={set}
          {...(isValueAlone ? { error: 'Name the evaluator.' } : {})}
        />
      </div>
      <AttributeFilters filters={attributes} onChange={setAttributes} />
      <div className="row">
        <Button type="submit" variant="primary">
          Show traces
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function Suggested(props: {
  name: TextFilter
  value: string
  suggestions: readonly Suggestion[]
  onChange: (value: string) => void
}) {
  const label = FILTER_NAMES[props.name]
  const matching = props.suggestions.filter(({ value }) =>
    value.toLowerCase().includes(props.value.toLowerCase()),
  )
  return (
    <Field label={label}>
      {({ id }) => (
        <Combobox
          id={id}
          label={label}
          value={props.value}
          onChange={props.onChange}
          suggestions={matching.slice(0, 50)}
          placeholder="Any"
        />
      )}
    </Field>
  )
}

interface PairProps {
  readonly label: string
  readonly names: readonly [TextFilter, TextFilter]
  readonly draft: Draft
  readonly set: (name: TextFilter) => (value: string) => void
  readonly error?: string
}

function Pair({ label, names: [least, most], draft, set, error }: PairProps) {
  return (
    <Field label={label} error={error}>
      {(ids) => (
        <div className="filter-pair">
          <TextInput
            {...ids}
            type="number"
            step="any"
            placeholder="from"
            value={draft[least]}
            onChange={(event) => set(least)(event.target.value)}
          />
          <span className="quiet">to</span>
          <TextInput
            type="number"
            step="any"
            placeholder="to"
            aria-label={`${label}, largest`}
            value={draft[most]}
            onChange={(event) => set(most)(event.target.value)}
          />
        </div>
      )}
    </Field>
  )
}
