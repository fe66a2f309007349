import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { keepReviewer, REVIEWER_CHARS_MAX, useReviewer } from './reviewer.ts'

/** Asks for the name that answers are stored with. */
export function ReviewerForm({ onDone }: { onDone?: (name: string) => void }) {
  const known = useReviewer()
  const [name, setName] = useState(known)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return
    keepReviewer(name)
    onDone?.(name.trim())
  }
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Your name" hint="Stored with your answers. This browser remembers it.">
        {(ids) => (
          <TextInput
            {...ids}
            required
            maxLength={REVIEWER_CHARS_MAX}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <div className="row">
        <Button type="submit" variant="primary" disabled={name.trim() === ''}>
          Save name
        </Button>
      </div>
    </form>
  )
}
