import { Field, TextArea } from '../../ui/field.tsx'

interface JsonEditorProps {
  readonly text: string
  readonly fault: string | undefined
  readonly onChange: (text: string) => void
}

/** The same setup as text; what can be read goes into the form at once. */
export function JsonEditor({ text, fault, onChange }: JsonEditorProps) {
  return (
    <Field
      label="Setup as JSON"
      hint="The body that the API takes. Changes show in the form at once."
      error={fault}
    >
      {(ids) => (
        <TextArea
          {...ids}
          className="setup-json"
          rows={26}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
