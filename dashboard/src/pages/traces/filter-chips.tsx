import { Button } from '../../ui/button.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import {
  attributeFiltersOf,
  attributeFiltersText,
  FILTER_NAMES,
  needsValue,
  OPERATORS,
  TEXT_FILTERS,
} from './trace-query.ts'

/** The filters that hold, each with a way to remove it. */
export function FilterChips() {
  const [address, change] = useQueryState()
  const attributes = attributeFiltersOf(address)
  const chips = [
    ...TEXT_FILTERS.flatMap((name) => {
      const value = address.get(name)
      return value
        ? [{ key: name, text: `${FILTER_NAMES[name]}: ${value}`, change: { [name]: undefined } }]
        : []
    }),
    ...attributes.map((filter, at) => ({
      key: `attribute ${at}`,
      text: `${filter.id} ${OPERATORS[filter.operator]}${needsValue(filter.operator) ? ` ${filter.value}` : ''}`,
      change: { filters: attributeFiltersText(attributes.filter((other) => other !== filter)) },
    })),
  ]
  return (
    <ul className="row" aria-label="Filters that hold">
      {chips.map(({ key, text, change: without }) => (
        <li key={key}>
          <button
            type="button"
            className="filter-chip"
            aria-label={`Remove the filter ${text}`}
            onClick={() => change({ ...without, cursor: undefined })}
          >
            <span>{text}</span>
            <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
      {chips.length > 1 ? (
        <li>
          <Button
            variant="quiet"
            onClick={() =>
              change({
                ...Object.fromEntries(TEXT_FILTERS.map((name) => [name, undefined])),
                filters: undefined,
                cursor: undefined,
              })
            }
          >
            Remove all
          </Button>
        </li>
      ) : null}
    </ul>
  )
}
