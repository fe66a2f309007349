import { useState } from 'react'
import { Field, Select, TextArea } from '../../ui/field.tsx'
import { labelOf } from '../../ui/label-of.ts'
import { NumberInput } from './number-input.tsx'

const LINE_CHARS = 40

/** The part of a setting's JSON Schema that a form can show. */
interface SettingSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly enum?: readonly unknown[]
  readonly items?: { readonly type?: string }
}

type Config = Readonly<Record<string, unknown>>

interface ConfigFormProps {
  readonly schema: Readonly<Record<string, unknown>> | undefined
  readonly config: Config
  readonly onChange: (config: Record<string, unknown>) => void
  /** Name of the setting that the service complained about, and its words. */
  readonly fault: { readonly name: string; readonly message: string } | undefined
}

/** The settings of an evaluator, from the schema that its catalogue entry has. */
export function ConfigForm({ schema, config, onChange, fault }: ConfigFormProps) {
  const properties = Object.entries((schema?.['properties'] ?? {}) as Record<string, SettingSchema>)
  const required = (schema?.['required'] ?? []) as readonly string[]
  if (properties.length === 0) return <p className="quiet">This evaluator has no settings.</p>
  const change = (name: string, value: unknown) => {
    const { [name]: _, ...rest } = config
    onChange(value === undefined ? rest : { ...rest, [name]: value })
  }
  return (
    <>
      {properties.map(([name, setting]) => (
        <Field
          key={name}
          label={`${labelOf(name)}${required.includes(name) ? ' (required)' : ''}`}
          hint={setting.description}
          error={fault?.name === name ? fault.message : undefined}
        >
          {(ids) => (
            <Setting
              ids={ids}
              setting={setting}
              value={config[name]}
              onChange={(value) => change(name, value)}
            />
          )}
        </Field>
      ))}
    </>
  )
}

interface SettingProps {
  readonly ids: { id: string }
  readonly setting: SettingSchema
  readonly value: unknown
  readonly onChange: (value: unknown) => void
}

function Setting({ ids, setting, value, onChange }: SettingProps) {
  const { type } = setting
  if (setting.enum)
    return <OneOf ids={ids} setting={setting} value={value} onChange={onChange} options={setting.enum} />
  if (type === 'boolean')
    return <OneOf ids={ids} setting={setting} value={value} onChange={onChange} options={[true, false]} />
  if (type === 'number' || type === 'integer') {
    return (
      <NumberInput
        {...ids}
        value={typeof value === 'number' ? value : undefined}
        onChange={onChange}
        min={setting.minimum}
        max={setting.maximum}
        placeholder={setting.default === undefined ? '' : String(setting.default)}
      />
    )
  }
  if (type === 'string') return <Text ids={ids} setting={setting} value={value} onChange={onChange} />
  if (type === 'array' && setting.items?.type === 'string')
    return <Lines ids={ids} setting={setting} value={value} onChange={onChange} />
  return <Json ids={ids} setting={setting} value={value} onChange={onChange} />
}

/** A text of one line or, as a schema is, of many. */
function Text({ ids, setting, value, onChange }: SettingProps) {
  const text = typeof value === 'string' ? value : ''
  return (
    <TextArea
      {...ids}
      rows={text.length > LINE_CHARS || text.includes('\n') ? 6 : 1}
      value={text}
      placeholder={setting.default ? String(setting.default) : ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    />
  )
}

function OneOf({ ids, setting, value, onChange, options }: SettingProps & { options: readonly unknown[] }) {
  const word = (option: unknown) => (option === true ? 'Yes' : option === false ? 'No' : String(option))
  const standard = setting.default === undefined ? 'Not set' : `Default (${word(setting.default)})`
  return (
    <Select
      {...ids}
      value={value === undefined ? '' : String(value)}
      options={[
        { value: '', label: standard },
        ...options.map((option) => ({ value: String(option), label: word(option) })),
      ]}
      onChange={(event) => onChange(options.find((option) => String(option) === event.target.value))}
    />
  )
}

function Lines({ ids, value, onChange }: SettingProps) {
  const lines = Array.isArray(value) ? value.map(String) : []
  return (
    <TextArea
      {...ids}
      placeholder="One per line"
      value={lines.join('\n')}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value.split('\n'))}
      onBlur={() => onChange(lines.length === 0 ? undefined : lines.filter((line) => line.trim() !== ''))}
    />
  )
}

/** Anything else, as JSON; what cannot be read stays on the page and is not taken over. */
function Json({ ids, value, onChange }: SettingProps) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value))
  const [isFaulty, setFaulty] = useState(false)
  const change = (next: string) => {
    setText(next)
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next))
      setFaulty(false)
    } catch {
      setFaulty(true)
    }
  }
  return (
    <>
      <TextArea
        {...ids}
        aria-invalid={isFaulty}
        value={text}
        onChange={(event) => change(event.target.value)}
      />
      {isFaulty ? <span className="field-error small">This is not valid JSON yet.</span> : null}
    </>
  )
}
