import { useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { NumberInput } from '../setups/number-input.tsx'
import { type DraftField, newField } from './judge-draft.ts'
import { type JudgeFault, messageAt } from './judge-faults.ts'
import { changed, moved, without } from './list-edits.ts'
import { RowButtons } from './row-buttons.tsx'

const TYPES = [
  { value: 'string', label: 'Text' },
  { value: 'boolean', label: 'Yes or no' },
  { value: 'int', label: 'Whole number' },
  { value: 'float', label: 'Number' },
  { value: 'enum', label: 'One of a list' },
]

interface FieldListProps {
  readonly title: string
  readonly meaning: string
  /** One of them, in words: `input`. */
  readonly one: string
  /** Its name in the body of a request: `input_schema`. */
  readonly path: string
  readonly fields: readonly DraftField[]
  readonly onChange: (fields: DraftField[]) => void
  readonly fault: JudgeFault | undefined
}

/** The inputs or the outputs of a judge. */
export function FieldList({ title, meaning, one, path, fields, onChange, fault }: FieldListProps) {
  const list = useRef<HTMLOListElement>(null)
  const addButton = useRef<HTMLDivElement>(null)
  const add = () => {
    onChange([...fields, newField()])
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>('li:last-child input')?.focus())
  }
  const remove = (id: number) => {
    onChange(without(fields, id))
    requestAnimationFrame(() => addButton.current?.querySelector('button')?.focus())
  }
  return (
    <Card title={title}>
      <p className="quiet judge-meaning">{meaning}</p>
      <ol className="judge-rows" ref={list}>
        {fields.map((field, at) => (
          <li key={field.id} className="judge-row">
            <FieldRow
              field={field}
              one={`${one} ${at + 1}`}
              fault={faultIn(fault, `${path}[${at}]`)}
              onChange={(next) => onChange(changed(fields, next))}
            />
            <RowButtons
              what={field.name || `${one} ${at + 1}`}
              isFirst={at === 0}
              isLast={at === fields.length - 1}
              mayRemove={fields.length > 1}
              onMove={(step) => onChange(moved(fields, field.id, step))}
              onRemove={() => remove(field.id)}
            />
          </li>
        ))}
      </ol>
      <div ref={addButton}>
        <Button onClick={add}>{`Add an ${one}`}</Button>
      </div>
    </Card>
  )
}

interface FieldRowProps {
  readonly field: DraftField
  readonly one: string
  /** Its path is a part of the row: `name`, `enum_values`. */
  readonly fault: JudgeFault | undefined
  readonly onChange: (field: DraftField) => void
}

function FieldRow({ field, one, fault, onChange }: FieldRowProps) {
  return (
    <fieldset className="judge-field">
      <legend className="visually-hidden">{field.name || one}</legend>
      <Field label="Name" error={messageAt(fault, 'name')}>
        {(ids) => (
          <TextInput
            {...ids}
            className="mono"
            value={field.name}
            onChange={({ target }) => onChange({ ...field, name: target.value })}
          />
        )}
      </Field>
      <Field label="Type" error={messageAt(fault, 'type')}>
        {(ids) => (
          <Select
            {...ids}
            options={TYPES}
            value={field.type}
            onChange={({ target }) => onChange({ ...field, type: target.value as DraftField['type'] })}
          />
        )}
      </Field>
      <div className="judge-wide">
        <Field label="Description" error={messageAt(fault, 'description')}>
          {(ids) => (
            <TextInput
              {...ids}
              value={field.description}
              onChange={({ target }) => onChange({ ...field, description: target.value })}
            />
          )}
        </Field>
      </div>
      <Limits field={field} fault={fault} onChange={onChange} />
    </fieldset>
  )
}

/** The fault of one row, told by the part of the row. A fault of the row as a whole is shown at its name. */
function faultIn(fault: JudgeFault | undefined, row: string): JudgeFault | undefined {
  if (fault?.path === row) return { path: 'name', message: fault.message }
  return fault?.path.startsWith(`${row}.`)
    ? { path: fault.path.slice(row.length + 1), message: fault.message }
    : undefined
}

/** The values that a field may have, for types that limit them. */
function Limits({ field, fault, onChange }: Omit<FieldRowProps, 'one'>) {
  if (field.type === 'enum') {
    return (
      <div className="judge-wide">
        <Field label="Values" hint="One per line." error={messageAt(fault, 'enum_values')}>
          {(ids) => (
            <TextArea
              {...ids}
              rows={3}
              value={field.enumText}
              onChange={({ target }) => onChange({ ...field, enumText: target.value })}
            />
          )}
        </Field>
      </div>
    )
  }
  if (field.type !== 'int' && field.type !== 'float') return null
  const bound = (name: 'minimum' | 'maximum', value: number | undefined) => {
    const { [name]: _, ...rest } = field
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return (
    <>
      <Field label="From" error={messageAt(fault, 'minimum')}>
        {(ids) => (
          <NumberInput {...ids} value={field.minimum} onChange={(value) => bound('minimum', value)} />
        )}
      </Field>
      <Field label="To" error={messageAt(fault, 'maximum')}>
        {(ids) => (
          <NumberInput {...ids} value={field.maximum} onChange={(value) => bound('maximum', value)} />
        )}
      </Field>
    </>
  )
}
