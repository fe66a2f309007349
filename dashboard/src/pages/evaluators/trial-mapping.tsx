import { Field, Select } from '../../ui/field.tsx'
import type { JudgeDraft } from './judge-draft.ts'

const FIELDS = [
  { value: '', label: 'By its name' },
  { value: 'prompt', label: 'Prompt' },
  { value: 'completion', label: 'Completion' },
  { value: 'context', label: 'Context' },
  { value: 'system_prompt', label: 'System prompt' },
  { value: 'messages', label: 'Messages' },
  { value: 'input_messages', label: 'Input messages' },
  { value: 'output_messages', label: 'Output messages' },
  { value: 'tool_definitions', label: 'Tool definitions' },
  { value: 'tool_calls', label: 'Tool calls' },
  { value: 'tool_results', label: 'Tool results' },
]

interface FieldMappingProps {
  readonly draft: JudgeDraft
  readonly fields: Readonly<Record<string, string>>
  readonly onChange: (fields: Readonly<Record<string, string>>) => void
}

/** Says where each input of the judge comes from in a row, where its name does not tell. */
export function FieldMapping({ draft, fields, onChange }: FieldMappingProps) {
  const inputs = draft.inputs.filter(({ name }) => name.trim() !== '')
  if (inputs.length === 0) return null
  return (
    <details>
      <summary>Input mapping</summary>
      <div className="trial-controls trial-mapping">
        {inputs.map(({ id, name }) => (
          <Field key={id} label={name}>
            {(ids) => (
              <Select
                {...ids}
                value={fields[name] ?? ''}
                options={FIELDS}
                onChange={({ target }) => onChange({ ...fields, [name]: target.value })}
              />
            )}
          </Field>
        ))}
      </div>
    </details>
  )
}
