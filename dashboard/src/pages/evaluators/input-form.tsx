import { useState } from 'react'
import { Field, Select, TextArea } from '../../ui/field.tsx'
import { NumberInput } from '../setups/number-input.tsx'
import type { Values } from './evaluator-call.ts'
import type { SchemaField } from './evaluator-types.ts'

interface InputFormProps {
  readonly fields: readonly SchemaField[]
  /** Names of inputs that may be lists or objects. */
  readonly jsonInputs: ReadonlySet<string>
  readonly values: Values
  readonly onChange: (values: Values) => void
  readonly fault: { readonly name: string; readonly message: string } | undefined
}

/** The inputs of an evaluator, one control each. */
export function InputForm({ fields, jsonInputs, values, onChange, fault }: InputFormProps) {
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = values
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return fields.map((field) => {
    const { name, label, description } = field
    const isJson = jsonInputs.has(name)
    return (
      <Field
        key={name}
        label={label}
        hint={isJson ? `${description} As JSON, or as plain text.` : description}
        error={fault?.name === name ? fault.message : undefined}
      >
        {(ids) => (
          <Input
            ids={ids}
            field={field}
            isJson={isJson}
            value={values[name]}
            onChange={(value) => change(name, value)}
          />
        )}
      </Field>
    )
  })
}

interface InputProps {
  readonly ids: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined }
  readonly field: SchemaField
  readonly isJson: boolean
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

const YES_NO = [
  { value: '', label: 'Choose' },
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

function Input({ ids, field, isJson, value, onChange }: InputProps) {
  const { type, enum_values: words = [], minimum, maximum } = field
  if (isJson) return <JsonOrText ids={ids} value={value} onChange={onChange} />
  if (type === 'int' || type === 'float') {
    return (
      <NumberInput
        {...ids}
        value={typeof value === 'number' ? value : undefined}
        onChange={onChange}
        min={minimum}
        max={maximum}
      />
    )
  }
  if (type === 'boolean') {
    return (
      <Select
        {...ids}
        options={YES_NO}
        value={value === undefined ? '' : String(value)}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value === 'true')}
      />
    )
  }
  if (type === 'enum') {
    return (
      <Select
        {...ids}
        options={[{ value: '', label: 'Choose' }, ...words]}
        value={typeof value === 'string' ? value : ''}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
    )
  }
  const text = typeof value === 'string' ? value : ''
  return (
    <TextArea {...ids} rows={rowsFor(text)} value={text} onChange={(event) => onChange(event.target.value)} />
  )
}

/** A text that begins like JSON is sent as JSON once it can be parsed, any other text as it is. */
function JsonOrText({ ids, value, onChange }: Omit<InputProps, 'field' | 'isJson'>) {
  const [typed, setTyped] = useState<{ text: string; value: unknown }>()
  const text = typed && typed.value === value ? typed.text : textOf(value)
  const isBroken = looksLikeJson(text) && typeof value === 'string'
  const change = (next: string) => {
    const read = looksLikeJson(next) ? parsed(next) : undefined
    const kept = read === undefined ? next : read
    setTyped({ text: next, value: kept })
    onChange(kept)
  }
  return (
    <>
      <TextArea {...ids} rows={rowsFor(text)} value={text} onChange={(event) => change(event.target.value)} />
      {isBroken ? (
        <span className="quiet small" role="status">
          This looks like JSON but is not valid yet. It would be sent as text.
        </span>
      ) : null}
    </>
  )
}

const looksLikeJson = (text: string) => /^\s*[[{]/.test(text)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)
}

const ROWS_MIN = 2
const ROWS_MAX = 14

function rowsFor(text: string): number {
  const lines = text.split('\n').reduce((sum, line) => sum + 1 + Math.floor(line.length / 70), 0)
  return Math.min(ROWS_MAX, Math.max(ROWS_MIN, lines))
}
