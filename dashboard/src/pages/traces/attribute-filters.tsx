import { useQuery } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox, type Suggestion } from '../../ui/combobox.tsx'
import { Select } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { type AttributeFilter, needsValue, OPERATORS, type Operator } from './trace-query.ts'

const OPERATOR_OPTIONS = Object.entries(OPERATORS).map(([value, label]) => ({ value, label }))
const SUGGESTED_MAX = 50

interface AttributeFiltersProps {
  readonly filters: readonly AttributeFilter[]
  readonly onChange: (filters: AttributeFilter[]) => void
}

/** Conditions on attributes that one span of the trace must meet together. */
export function AttributeFilters({ filters, onChange }: AttributeFiltersProps) {
  const replace = (at: number, next: AttributeFilter) => onChange(filters.with(at, next))
  return (
    <fieldset className="attribute-filters">
      <legend>Attributes</legend>
      {filters.length > 1 ? (
        <p className="quiet small">One span of the trace must meet all of them.</p>
      ) : null}
      {filters.map((filter, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a condition has no name but its place.
        <fieldset key={at} className="attribute-filter" aria-label={`Condition ${at + 1}`}>
          <KeyField value={filter.id} onChange={(id) => replace(at, { ...filter, id })} />
          <Select
            aria-label="How it is compared"
            value={filter.operator}
            options={OPERATOR_OPTIONS}
            onChange={(event) => replace(at, { ...filter, operator: event.target.value as Operator })}
          />
          {needsValue(filter.operator) ? (
            <ValueField
              attribute={filter.id}
              value={filter.value}
              onChange={(value) => replace(at, { ...filter, value })}
            />
          ) : (
            <span />
          )}
          <Button
            variant="quiet"
            aria-label={`Remove condition ${at + 1}`}
            onClick={() => onChange(filters.toSpliced(at, 1))}
          >
            ✕
          </Button>
        </fieldset>
      ))}
      <Button onClick={() => onChange([...filters, { id: '', operator: 'equals', value: '' }])}>
        Add an attribute
      </Button>
    </fieldset>
  )
}

function KeyField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { data } = useQuery({
    queryKey: ['span-attributes'],
    queryFn: () => ok(api.GET('/v2/span-attributes', { params: { query: { limit: 1_000 } } })),
    staleTime: 60_000,
  })
  const suggestions = (data?.attributes ?? [])
    .filter(({ key }) => key.toLowerCase().includes(value.toLowerCase()))
    .slice(0, SUGGESTED_MAX)
    .map(
      ({ key, examples }): Suggestion => ({
        value: key,
        note: examples[0] ? `e.g. ${examples[0].slice(0, 30)}` : '',
      }),
    )
  return (
    <Combobox
      label="Name of the attribute"
      placeholder="Name, e.g. user.tier"
      value={value}
      onChange={onChange}
      suggestions={unique(suggestions)}
    />
  )
}

function ValueField({
  attribute,
  value,
  onChange,
}: {
  attribute: string
  value: string
  onChange: (value: string) => void
}) {
  const { data } = useQuery({
    queryKey: ['span-attribute-values', attribute],
    queryFn: () =>
      ok(api.GET('/v2/span-attributes/values', { params: { query: { key: attribute, limit: 100 } } })),
    enabled: attribute.trim() !== '',
    staleTime: 60_000,
  })
  const suggestions = (data?.values ?? [])
    .filter((one) => !one.is_cut && one.value.toLowerCase().includes(value.toLowerCase()))
    .slice(0, SUGGESTED_MAX)
    .map((one): Suggestion => ({ value: one.value, note: formatCount(one.spans, 'span') }))
  return (
    <Combobox
      label="Value"
      placeholder="Value"
      value={value}
      onChange={onChange}
      suggestions={unique(suggestions)}
    />
  )
}

// The same name may be on spans and on resources.
function unique(suggestions: readonly Suggestion[]): Suggestion[] {
  return [...new Map(suggestions.map((one) => [one.value, one])).values()]
}
