import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { useQueryState } from '../../ui/time-range.ts'
import { useToast } from '../../ui/toast.tsx'
import { filterIn } from './inbox-address.ts'

const SAMPLE_MAX = 1_000
const SAMPLE_DEFAULT = 50

/** Makes a review queue of what the list shows now. */
export function CreateQueue({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Create a review queue" isOpen={isOpen} onClose={onClose}>
      <QueueForm onClose={onClose} />
    </Dialog>
  )
}

function QueueForm({ onClose }: { onClose: () => void }) {
  const [address, change] = useQueryState()
  const queries = useQueryClient()
  const toast = useToast()
  const [name, setName] = useState('')
  const [size, setSize] = useState(String(SAMPLE_DEFAULT))
  const [reviewers, setReviewers] = useState('')
  const filter = filterIn(address)
  const create = useMutation({
    mutationFn: () =>
      ok(
        api.POST('/v2/review-queues', {
          body: { name: name.trim(), filter, sample_size: Number(size), reviewers: namesIn(reviewers) },
        }),
      ),
    onSuccess: (queue) => {
      void queries.invalidateQueries({ queryKey: ['review-queues'] })
      toast(`The queue was drawn from ${formatCount(queue.drawn_from, 'evaluation')}.`)
      onClose()
      change({ ...Object.fromEntries([...address.keys()].map((key) => [key, undefined])), queue: queue.id })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      <p className="quiet">
        A random sample of the evaluations that match the current filter and pass or fail:{' '}
        {filterWords(filter)}.
      </p>
      <Field label="Name">
        {(ids) => (
          <TextInput
            {...ids}
            required
            maxLength={255}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field label="Sample size" hint={`At most ${SAMPLE_MAX} evaluations.`}>
        {(ids) => (
          <TextInput
            {...ids}
            type="number"
            required
            min={1}
            max={SAMPLE_MAX}
            step={1}
            value={size}
            onChange={({ target }) => setSize(target.value)}
          />
        )}
      </Field>
      <Field
        label="Reviewers (optional)"
        hint="Names, separated by commas. Without any, everybody can answer."
      >
        {(ids) => (
          <TextInput {...ids} value={reviewers} onChange={({ target }) => setReviewers(target.value)} />
        )}
      </Field>
      {create.error ? <ErrorNote error={create.error} /> : null}
      <div className="row">
        <Button type="submit" variant="primary" isBusy={create.isPending} disabled={name.trim() === ''}>
          Create queue
        </Button>
        <Button variant="quiet" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return [...new Set(names.filter((name) => name !== ''))]
}

function filterWords(filter: Readonly<Record<string, string>>): string {
  const parts = Object.entries(filter).map(([name, value]) => `${name.replaceAll('_', ' ')} is ${value}`)
  return parts.length === 0 ? 'all of them' : parts.join(', ')
}
