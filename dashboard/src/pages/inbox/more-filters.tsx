import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { useKnownValues } from '../traces/use-known-values.ts'
import { useFilterMonitors } from './inbox-queries.ts'

const NAMES = ['monitor', 'setup', 'application', 'environment'] as const
type Name = (typeof NAMES)[number]

/** Filters that are used less often; they hold when the form is sent. */
export function MoreFilters({ onDone }: { onDone: () => void }) {
  const [address, change] = useQueryState()
  const [draft, setDraft] = useState(
    () => Object.fromEntries(NAMES.map((name) => [name, address.get(name) ?? ''])) as Record<Name, string>,
  )
  const monitors = useFilterMonitors().data?.monitors ?? []
  const known = useKnownValues('30d')
  const set = (name: Name) => (value: string) => setDraft({ ...draft, [name]: value })
  const setups = [...new Set(monitors.map(({ external_id: setup }) => setup))].sort()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change({ ...draft, item: undefined })
    onDone()
  }
  return (
    <form className="inbox-more" onSubmit={submit}>
      <Field label="Monitor">
        {(ids) => (
          <Select
            {...ids}
            value={draft.monitor}
            options={[
              { value: '', label: 'All monitors' },
              ...monitors.map(({ id, evaluator_type: slug, external_id: setup }) => ({
                value: id,
                label: `${slug} of ${setup}`,
              })),
            ]}
            onChange={({ target }) => set('monitor')(target.value)}
          />
        )}
      </Field>
      <Field label="Setup">
        {(ids) => (
          <Select
            {...ids}
            value={draft.setup}
            options={[{ value: '', label: 'All setups' }, ...setups]}
            onChange={({ target }) => set('setup')(target.value)}
          />
        )}
      </Field>
      <Field label="Application">
        {({ id }) => (
          <Combobox
            id={id}
            label="Application"
            value={draft.application}
            onChange={set('application')}
            suggestions={known.service}
          />
        )}
      </Field>
      <Field label="Environment">
        {({ id }) => (
          <Combobox
            id={id}
            label="Environment"
            value={draft.environment}
            onChange={set('environment')}
            suggestions={known.environment}
          />
        )}
      </Field>
      <Button type="submit" variant="primary">
        Apply
      </Button>
    </form>
  )
}
