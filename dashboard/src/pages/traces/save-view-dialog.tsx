import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { type SavedView, useSaveView } from './saved-view-queries.ts'
import { traceFilterOf } from './trace-query.ts'
import { useColumns } from './use-columns.ts'

interface SaveViewDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onSaved: (view: SavedView) => void
}

/** Saves the filter, the time range and the columns of the list under a name. */
export function SaveViewDialog({ isOpen, onClose, onSaved }: SaveViewDialogProps) {
  return (
    <Dialog title="Save view" isOpen={isOpen} onClose={onClose}>
      <SaveViewForm onClose={onClose} onSaved={onSaved} />
    </Dialog>
  )
}

function SaveViewForm({ onClose, onSaved }: Omit<SaveViewDialogProps, 'isOpen'>) {
  const [address] = useQueryState()
  const [columns] = useColumns()
  const [name, setName] = useState('')
  const [isDefault, setDefault] = useState(false)
  const save = useSaveView()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const body = {
      name: name.trim(),
      list: 'traces' as const,
      filter: traceFilterOf(address),
      columns: [...columns],
      is_default: isDefault,
    }
    save.mutate(
      { body },
      {
        onSuccess: (view) => {
          onClose()
          onSaved(view)
        },
      },
    )
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p className="quiet">
        Keeps the filters, the time range and the columns. Everyone in the project sees the view.
      </p>
      <Field label="Name" error={save.error?.message}>
        {(ids) => (
          <TextInput
            {...ids}
            required
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <label className="row">
        <input type="checkbox" checked={isDefault} onChange={({ target }) => setDefault(target.checked)} />
        Open the list with this view
      </label>
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending} disabled={name.trim() === ''}>
          Save view
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
