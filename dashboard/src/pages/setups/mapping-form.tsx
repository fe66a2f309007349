import { Combobox } from '../../ui/combobox.tsx'
import { Field, Select, TextInput } from '../../ui/field.tsx'
import { SOURCE_WORDS } from './rule-words.ts'
import type { Evaluator, Mapping, Source } from './setup-definition.ts'
import { useKeySuggestions } from './use-span-attributes.ts'

type Canonical = NonNullable<Mapping['field']>

/** Fields that every way of tracing is reduced to, in the words of people. */
const FIELD_WORDS: Readonly<Record<Canonical, string>> = {
  prompt: 'the last question of the user',
  completion: 'the answer of the model',
  system_prompt: 'the system prompt',
  messages: 'all messages',
  input_messages: 'the messages that went in',
  output_messages: 'the messages that came out',
  prompts: 'all questions',
  completions: 'all answers',
  context: 'what was retrieved',
  tool_definitions: 'the tools on offer',
  tool_calls: 'the calls of tools',
  tool_results: 'the results of tools',
  logprobs: 'the probabilities of tokens',
  model: 'the name of the model',
  session_id: 'the session',
}

type Mappings = Readonly<Record<string, Mapping>>

interface MappingFormProps {
  readonly evaluator: Evaluator
  readonly mapping: Mappings
  readonly onChange: (mapping: Record<string, Mapping>) => void
  readonly fault: { readonly name: string; readonly message: string } | undefined
}

/** Where each input of an evaluator is found in a span. */
export function MappingForm({ evaluator, mapping, onChange, fault }: MappingFormProps) {
  const change = (input: string, next: Mapping | undefined) => {
    const { [input]: _, ...rest } = mapping
    onChange(next === undefined ? rest : { ...rest, [input]: next })
  }
  return (
    <>
      {evaluator.input_schema.map(({ name, description }) => (
        <InputSource
          key={name}
          input={name}
          description={description}
          standard={evaluator.span_fields?.[name]}
          mapping={mapping[name]}
          onChange={(next) => change(name, next)}
          error={fault?.name === name ? fault.message : undefined}
        />
      ))}
    </>
  )
}

interface InputSourceProps {
  readonly input: string
  readonly description: string
  readonly standard: Canonical | null | undefined
  readonly mapping: Mapping | undefined
  readonly onChange: (mapping: Mapping | undefined) => void
  readonly error: string | undefined
}

function InputSource({ input, description, standard, mapping, onChange, error }: InputSourceProps) {
  const chosen = mapping === undefined ? '' : (mapping.field ?? 'attribute')
  const choose = (value: string) => {
    if (value === '') return onChange(undefined)
    const { field: _field, source: _source, key: _key, ...rest } = mapping ?? {}
    if (value === 'attribute') return onChange({ ...rest, source: 'span_attributes', key: '' })
    return onChange({ ...rest, field: value as Canonical })
  }
  return (
    <div className="setup-mapping">
      <Field label={<code>{input}</code>} hint={description} error={error}>
        {(ids) => (
          <Select
            {...ids}
            value={chosen}
            options={optionsFor(standard)}
            onChange={(event) => choose(event.target.value)}
          />
        )}
      </Field>
      {mapping ? <Refinement input={input} mapping={mapping} onChange={onChange} /> : null}
    </div>
  )
}

function optionsFor(standard: Canonical | null | undefined) {
  const words =
    standard === null
      ? 'Not in spans: choose a source'
      : standard
        ? `Default: ${FIELD_WORDS[standard]}`
        : 'Default'
  return [
    { value: '', label: words },
    ...Object.entries(FIELD_WORDS).map(([value, label]) => ({ value, label: `${value}: ${label}` })),
    { value: 'attribute', label: 'An attribute …' },
  ]
}

/** Which attribute, and which part of its text. */
function Refinement({
  input,
  mapping,
  onChange,
}: {
  input: string
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}) {
  const { suggestions, sourceOf } = useKeySuggestions(mapping.source ?? 'span_attributes', mapping.key ?? '')
  const set = (name: 'json_path' | 'regex', value: string) => {
    const { [name]: _, ...rest } = mapping
    onChange(value === '' ? rest : { ...rest, [name]: value })
  }
  return (
    <div className="setup-mapping-parts">
      {mapping.field === undefined ? (
        <>
          <Select
            aria-label={`${input}: where the attribute is`}
            value={mapping.source ?? 'span_attributes'}
            options={Object.entries(SOURCE_WORDS).map(([value, label]) => ({ value, label }))}
            onChange={(event) => onChange({ ...mapping, source: event.target.value as Source })}
          />
          <Combobox
            label={`${input}: key of the attribute`}
            value={mapping.key ?? ''}
            onChange={(key) =>
              onChange({ ...mapping, key, source: sourceOf(key) ?? mapping.source ?? 'span_attributes' })
            }
            suggestions={suggestions}
            placeholder="Attribute"
          />
        </>
      ) : null}
      <TextInput
        aria-label={`${input}: path into JSON`}
        placeholder="Path into JSON, such as 0.text"
        value={mapping.json_path ?? ''}
        onChange={(event) => set('json_path', event.target.value)}
      />
      <TextInput
        aria-label={`${input}: regular expression`}
        placeholder="Regular expression"
        value={mapping.regex ?? ''}
        onChange={(event) => set('regex', event.target.value)}
      />
    </div>
  )
}
