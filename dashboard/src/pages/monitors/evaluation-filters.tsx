import { useState } from 'react'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import type { QueryChange } from './evaluations-choice.ts'
import type { EvaluationsChoice } from './monitor-queries.ts'

const ORDERS = [
  { value: 'newest', label: 'Newest first' },
  { value: 'worst', label: 'Worst first' },
  { value: 'best', label: 'Best first' },
]
const OUTCOMES = [
  { value: '', label: 'All outcomes' },
  { value: 'scored', label: 'Scored' },
  { value: 'abstained', label: 'Abstained' },
  { value: 'missing_input', label: 'Missing input' },
  { value: 'error', label: 'Error' },
  { value: 'unparseable', label: 'Unparseable' },
  { value: 'refused', label: 'Refused' },
  { value: 'over_budget', label: 'Over budget' },
]
const VERDICTS = [
  { value: '', label: 'All verdicts' },
  { value: 'pass', label: 'Passed' },
  { value: 'fail', label: 'Failed' },
]
interface FiltersProps {
  readonly choice: EvaluationsChoice
  readonly onChange: QueryChange
  /** Neutral results neither pass nor fail, and there is nothing to choose. */
  readonly isJudged: boolean
}

/** The order and the filters of the list of evaluations. */
export function EvaluationFilters({ choice, onChange, isJudged }: FiltersProps) {
  return (
    <div className="evaluations-filters">
      <Field label="Order">
        {(ids) => (
          <Select
            {...ids}
            value={choice.order}
            options={ORDERS}
            onChange={({ target }) =>
              onChange({ order: target.value === 'newest' ? undefined : target.value })
            }
          />
        )}
      </Field>
      {isJudged ? (
        <Field label="Verdict">
          {(ids) => (
            <Select
              {...ids}
              value={choice.verdict ?? ''}
              options={VERDICTS}
              onChange={({ target }) => onChange({ verdict: target.value })}
            />
          )}
        </Field>
      ) : null}
      <Field label="Outcome">
        {(ids) => (
          <Select
            {...ids}
            value={choice.status ?? ''}
            options={OUTCOMES}
            onChange={({ target }) => onChange({ outcome: target.value })}
          />
        )}
      </Field>
      <ValueBound
        key={`min ${choice.min_value}`}
        label="Value from"
        value={choice.min_value ?? ''}
        onCommit={(min) => onChange({ min })}
      />
      <ValueBound
        key={`max ${choice.max_value}`}
        label="Value to"
        value={choice.max_value ?? ''}
        onCommit={(max) => onChange({ max })}
      />
    </div>
  )
}

/** A bound that counts when it is complete: half a number would ask for something else. */
function ValueBound({
  label,
  value,
  onCommit,
}: {
  label: string
  value: string
  onCommit: (value: string) => void
}) {
  const [typed, setTyped] = useState(value)
  return (
    <Field label={label}>
      {(ids) => (
        <TextInput
          {...ids}
          type="number"
          step="any"
          className="monitors-number"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => typed !== value && onCommit(typed)}
          onKeyDown={(event) => event.key === 'Enter' && onCommit(typed)}
        />
      )}
    </Field>
  )
}
