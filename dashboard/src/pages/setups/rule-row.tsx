import { useEffect, useRef } from 'react'
import { OPERATOR_FORMS } from '../../api/operators.gen.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Select, TextArea } from '../../ui/field.tsx'
import { SOURCE_WORDS } from './rule-words.ts'
import { type Operator, operandOf, type Source } from './setup-definition.ts'
import type { DraftRule } from './setup-draft.ts'
import type { Fault } from './setup-faults.ts'
import { useKeySuggestions, useValueSuggestions } from './use-span-attributes.ts'

const SOURCES = Object.entries(SOURCE_WORDS).map(([value, label]) => ({ value, label }))
const OPERATORS = Object.entries(OPERATOR_FORMS).flatMap(([value, { label, isForSelectors }]) =>
  isForSelectors ? [{ value, label }] : [],
)
const CHIPS_MAX = 8

interface RuleRowProps {
  readonly number: number
  readonly rule: DraftRule
  readonly startsFocused: boolean
  readonly fault: Fault | undefined
  readonly onChange: (rule: DraftRule) => void
  readonly onRemove: () => void
}

/** Where to look, for what, and what it must be. */
export function RuleRow({ number, rule, startsFocused, fault, onChange, onRemove }: RuleRowProps) {
  const row = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (startsFocused) row.current?.querySelector('input')?.focus()
  }, [startsFocused])
  const { suggestions, sourceOf } = useKeySuggestions(rule.source, rule.key)
  const changeKey = (key: string) => onChange({ ...rule, key, source: sourceOf(key) ?? rule.source })
  return (
    <li ref={row} className="setup-rule" aria-label={`Rule ${number}`} data-fault={fault ? '' : undefined}>
      <div className="setup-rule-parts">
        <Select
          aria-label={`Rule ${number}: where the attribute is`}
          value={rule.source}
          options={SOURCES}
          onChange={(event) => onChange({ ...rule, source: event.target.value as Source })}
        />
        <div className="setup-rule-key">
          <Combobox
            label={`Rule ${number}: key`}
            value={rule.key}
            onChange={changeKey}
            suggestions={suggestions}
            placeholder="Attribute, such as gen_ai.request.model"
          />
        </div>
        <Select
          aria-label={`Rule ${number}: comparison`}
          value={rule.operator}
          options={OPERATORS}
          onChange={(event) => onChange({ ...rule, operator: event.target.value as Operator })}
        />
        <div className="setup-rule-value">
          <Operand number={number} rule={rule} onChange={onChange} />
        </div>
        <Button variant="quiet" onClick={onRemove} aria-label={`Remove rule ${number}`}>
          ✕
        </Button>
      </div>
      {fault ? (
        <p className="field-error small" role="alert">
          {fault.message}
        </p>
      ) : null}
    </li>
  )
}

type OperandProps = Pick<RuleRowProps, 'number' | 'rule' | 'onChange'>

function Operand({ number, rule, onChange }: OperandProps) {
  const operand = operandOf(rule.operator)
  if (operand === 'none') return null
  if (operand === 'values') return <Values number={number} rule={rule} onChange={onChange} />
  return <Value number={number} rule={rule} onChange={onChange} />
}

function Value({ number, rule, onChange }: OperandProps) {
  return (
    <Combobox
      label={`Rule ${number}: value`}
      value={rule.value}
      // A changed value loses the type that the old one was given.
      onChange={(value) =>
        onChange({ ...rule, value, valueType: value === rule.value ? rule.valueType : 'string' })
      }
      suggestions={useValueSuggestions(rule.source, rule.key, rule.value)}
      placeholder="Value"
    />
  )
}

/** Several values, one per line; the frequent ones that are missing can be added with a button. */
function Values({ number, rule, onChange }: OperandProps) {
  const frequent = useValueSuggestions(rule.source, rule.key, '').filter(
    ({ value }) => !rule.values.includes(value),
  )
  const change = (values: readonly string[]) => onChange({ ...rule, values })
  return (
    <div className="setup-values">
      <TextArea
        aria-label={`Rule ${number}: values, one per line`}
        placeholder="One value per line"
        rows={Math.min(6, Math.max(2, rule.values.length + 1))}
        value={rule.values.join('\n')}
        onChange={(event) => change(event.target.value === '' ? [] : event.target.value.split('\n'))}
        onBlur={() => change([...new Set(rule.values.filter((value) => value !== ''))])}
      />
      {frequent.length > 0 ? (
        <div className="row">
          {frequent.slice(0, CHIPS_MAX).map(({ value, note }) => (
            <button
              key={value}
              type="button"
              className="setup-chip"
              onClick={() => change([...rule.values.filter((each) => each !== ''), value])}
            >
              + {value} <span className="quiet">{note}</span>
            </button>
          ))}
        </div>
      ) : null}
    </div>
  )
}
