import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import type { components } from '../../api/schema.gen.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'
import { keepReviewer, REVIEWER_CHARS_MAX, useReviewer } from '../inbox/reviewer.ts'

const REASON_CHARS_MAX = 2_000

/** Dismisses an incident, with a name and a reason, or opens it again. */
export function Decision({ incident }: { incident: components['schemas']['IncidentDetail'] }) {
  const queries = useQueryClient()
  const reviewer = useReviewer()
  const [isOpen, setOpen] = useState(false)
  const [actor, setActor] = useState(reviewer)
  const [reason, setReason] = useState('')
  const isDismissing = incident.state === 'open'
  const decide = useMutation({
    mutationFn: () => {
      const params = { path: { id: incident.id } }
      const body = {
        ...(actor.trim() ? { actor: actor.trim() } : {}),
        ...(reason.trim() ? { reason: reason.trim() } : {}),
      }
      return isDismissing
        ? ok(api.POST('/v2/incidents/{id}/dismiss', { params, body }))
        : ok(api.POST('/v2/incidents/{id}/reopen', { params, body }))
    },
    onSuccess: async (changed) => {
      if (actor.trim()) keepReviewer(actor)
      queries.setQueryData(['incident', incident.id], changed)
      setOpen(false)
      await queries.invalidateQueries({ queryKey: ['incidents'] })
    },
  })
  const verb = isDismissing ? 'Dismiss' : 'Reopen'
  return (
    <>
      <Button onClick={() => setOpen(true)}>{verb}</Button>
      <Dialog title={`${verb} this incident`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault()
            decide.mutate()
          }}
        >
          {isDismissing ? (
            <p>The level since the onset becomes the new normal. A further fall opens another incident.</p>
          ) : null}
          <Field label="Your name">
            {(control) => (
              <TextInput
                {...control}
                value={actor}
                maxLength={REVIEWER_CHARS_MAX}
                onChange={({ target }) => setActor(target.value)}
              />
            )}
          </Field>
          <Field label="Reason">
            {(control) => (
              <TextArea
                {...control}
                rows={3}
                value={reason}
                maxLength={REASON_CHARS_MAX}
                onChange={({ target }) => setReason(target.value)}
              />
            )}
          </Field>
          {decide.error ? <ErrorNote error={decide.error} /> : null}
          <div className="row">
            <Button type="submit" variant="primary" disabled={decide.isPending}>
              {verb}
            </Button>
            <Button onClick={() => setOpen(false)}>Cancel</Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}
