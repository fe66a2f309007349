import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useLocation } from 'wouter'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { formatDateTime } from '../../ui/format.ts'
import { useToast } from '../../ui/toast.tsx'

/** Deletes a trace after saying what that means. */
export function DeleteTrace({ traceId }: { traceId: string }) {
  return (
    <ConfirmedDeletion
      name="Delete trace"
      then="/traces"
      remove={() => ok(api.DELETE('/v2/traces/{trace_id}', { params: { path: { trace_id: traceId } } }))}
    >
      <li>
        Its spans, their results with everything they quote, and what people said about it are hidden at once
        and erased within a day.
      </li>
      <li>
        Charts and counts of results become as if it had never been evaluated. Counts of tokens and cost stay.
      </li>
      <li>Results about its whole session go too; the session is evaluated again without it.</li>
      <li>Spans of it that arrive within 30 days are not taken in.</li>
    </ConfirmedDeletion>
  )
}

/** Deletes a session after saying what that means. */
export function DeleteSession({ sessionId }: { sessionId: string }) {
  return (
    <ConfirmedDeletion
      name="Delete session"
      then="/traces?view=sessions"
      remove={() =>
        ok(api.DELETE('/v2/sessions/{session_id}', { params: { path: { session_id: sessionId } } }))
      }
    >
      <li>
        All its traces that have arrived, their spans and results, and what people said about them and about
        the session are hidden at once and erased within a day.
      </li>
      <li>
        Charts and counts of results become as if they had never been evaluated. Counts of tokens and cost
        stay.
      </li>
      <li>A trace that begins later under the same session id is new and is kept.</li>
    </ConfirmedDeletion>
  )
}

interface ConfirmedDeletionProps {
  readonly name: string
  /** Where one goes when it is gone. */
  readonly then: string
  readonly remove: () => Promise<{ erased_by: string }>
  /** The consequences of the deletion, as list items. */
  readonly children: ReactNode
}

function ConfirmedDeletion({ name, then, remove, children }: ConfirmedDeletionProps) {
  const [isOpen, setOpen] = useState(false)
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const toast = useToast()
  const deletion = useMutation({
    mutationFn: remove,
    onSuccess: ({ erased_by: by }) => {
      queries.removeQueries({
        predicate: ({ queryKey }) =>
          typeof queryKey[0] === 'string' && /^(trace|session|explain)/.test(queryKey[0]),
      })
      navigate(then)
      toast(`Deleted. It is in no file any more by ${formatDateTime(new Date(by))}.`)
    },
  })
  return (
    <>
      <Button variant="danger" onClick={() => setOpen(true)}>
        {name}
      </Button>
      <Dialog title={`${name}?`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <ul className="deletion-effects">{children}</ul>
        <p>
          <strong>This cannot be undone.</strong> Backups and copies that others made are not reached.
        </p>
        {deletion.error ? <ErrorNote error={deletion.error} /> : null}
        <div className="row">
          <Button variant="danger" isBusy={deletion.isPending} onClick={() => deletion.mutate()}>
            {`${name} for good`}
          </Button>
          <Button variant="quiet" onClick={() => setOpen(false)}>
            Keep it
          </Button>
        </div>
      </Dialog>
    </>
  )
}
