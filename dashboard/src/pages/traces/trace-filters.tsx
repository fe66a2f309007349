import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { TextInput } from '../../ui/field.tsx'
import { type RangeName, useQueryState } from '../../ui/time-range.ts'
import { FilterChips } from './filter-chips.tsx'
import { FilterForm } from './filter-form.tsx'
import { isNarrowed } from './trace-query.ts'
import './trace-filters.css'

/** Narrows the list of traces. Every filter stands in the address. */
export function TraceFilters({ range }: { range: RangeName }) {
  const [address] = useQueryState()
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="trace-filters">
      <div className="row trace-search-row">
        {/* Starts anew when the address changes without it, for example by a chip. */}
        <SearchForm key={address.get('q') ?? ''} />
        <Button aria-expanded={isOpen} aria-controls="trace-filter-form" onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide filters' : 'Filters'}
        </Button>
      </div>
      <div id="trace-filter-form">
        {isOpen ? <FilterForm key={address.toString()} range={range} onDone={() => setOpen(false)} /> : null}
      </div>
      {isNarrowed(address) ? <FilterChips /> : null}
    </div>
  )
}

function SearchForm() {
  const [address, change] = useQueryState()
  const [text, setText] = useState(address.get('q') ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ q: text.trim(), cursor: undefined })
  }
  return (
    <search className="trace-search">
      <form className="row" onSubmit={submit}>
        <TextInput
          type="search"
          aria-label="Search prompts, answers and system prompts"
          placeholder="Search prompts, answers and system prompts"
          maxLength={1_000}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Button type="submit">Search</Button>
      </form>
    </search>
  )
}
