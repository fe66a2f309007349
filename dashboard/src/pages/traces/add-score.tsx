import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Combobox } from '../../ui/combobox.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { useEvaluatorSlugs } from './use-known-values.ts'

/** The subject of an annotation: a trace, one span of it, or a session. */
type About = { readonly trace_id: string; readonly span_id?: string } | { readonly session_id: string }

const KINDS = [
  { value: 'boolean', label: 'Yes or no' },
  { value: 'number', label: 'A number' },
  { value: 'text', label: 'A word' },
]
const ANSWERS = [
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

/** A button that asks what a person thinks and keeps it. */
export function AddScore({ about, title }: { about: About; title: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{title}</Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <ScoreForm about={about} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function ScoreForm({ about, onDone }: { about: About; onDone: () => void }) {
  const [draft, setDraft] = useState({
    name: 'helpful',
    kind: 'boolean',
    value: 'true',
    comment: '',
    evaluator: '',
  })
  const queries = useQueryClient()
  const toast = useToast()
  const evaluators = useEvaluatorSlugs().filter(({ value }) => value.includes(draft.evaluator))
  const send = useMutation({
    mutationFn: () => ok(api.POST('/v2/scores', { body: { ...about, ...bodyOf(draft) } })),
    onSuccess: async () => {
      onDone()
      toast('Your score is kept.')
      await Promise.all(
        ['trace', 'traces', 'session'].map((first) => queries.invalidateQueries({ queryKey: [first] })),
      )
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate()
  }
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  return (
    <form className="stack" onSubmit={submit}>
      <Field label="Name of the score">
        {(ids) => (
          <TextInput
            {...ids}
            required
            maxLength={200}
            value={draft.name}
            onChange={(event) => set({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label="Kind of answer">
        {(ids) => (
          <Select
            {...ids}
            value={draft.kind}
            options={KINDS}
            onChange={(event) =>
              set({ kind: event.target.value, value: event.target.value === 'boolean' ? 'true' : '' })
            }
          />
        )}
      </Field>
      <Field label="Your answer">
        {(ids) =>
          draft.kind === 'boolean' ? (
            <Select
              {...ids}
              value={draft.value}
              options={ANSWERS}
              onChange={(event) => set({ value: event.target.value })}
            />
          ) : (
            <TextInput
              {...ids}
              required
              type={draft.kind === 'number' ? 'number' : 'text'}
              step="any"
              value={draft.value}
              onChange={(event) => set({ value: event.target.value })}
            />
          )
        }
      </Field>
      <Field label="Comment" hint="Optional.">
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            maxLength={4_000}
            value={draft.comment}
            onChange={(event) => set({ comment: event.target.value })}
          />
        )}
      </Field>
      <Field label="Evaluator" hint="Optional: it shows on the monitor how far you and this evaluator agree.">
        {({ id }) => (
          <Combobox
            id={id}
            label="Evaluator"
            value={draft.evaluator}
            onChange={(evaluator) => set({ evaluator })}
            suggestions={evaluators}
            placeholder="None"
          />
        )}
      </Field>
      {send.error ? <ErrorNote error={send.error} /> : null}
      <div className="row">
        <Button type="submit" variant="primary" isBusy={send.isPending}>
          Keep this score
        </Button>
      </div>
    </form>
  )
}

function bodyOf({
  name,
  kind,
  value,
  comment,
  evaluator,
}: {
  name: string
  kind: string
  value: string
  comment: string
  evaluator: string
}) {
  return {
    name: name.trim(),
    value: kind === 'boolean' ? value === 'true' : kind === 'number' ? Number(value) : value,
    source: 'human' as const,
    ...(comment.trim() ? { comment: comment.trim() } : {}),
    ...(evaluator.trim() ? { evaluator: evaluator.trim() } : {}),
  }
}
