import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { Field, Select, TextArea, TextInput } from '../../ui/field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { aboutOf, type EvaluationDetail } from './monitor-queries.ts'
import type { SchemaField } from './words.ts'

const YES_NO = [
  { value: '', label: 'Choose…' },
  { value: 'true', label: 'Yes' },
  { value: 'false', label: 'No' },
]

interface HumanScoreFormProps {
  readonly evaluation: EvaluationDetail
  readonly fields: readonly SchemaField[]
  readonly onDone: () => void
}

/** Asks a person for what the evaluator was asked for. */
export function HumanScoreForm({ evaluation, fields, onDone }: HumanScoreFormProps) {
  const judged = fields.find(({ type }) => type !== 'string') ?? fields[0]
  const [name, setName] = useState(judged?.name ?? Object.keys(evaluation.output ?? {})[0] ?? 'score')
  const [value, setValue] = useState('')
  const [comment, setComment] = useState('')
  const [actor, setActor] = useState('')
  const queries = useQueryClient()
  const toast = useToast()
  const field = fields.find((one) => one.name === name)
  const save = useMutation({
    mutationFn: () =>
      ok(
        api.POST('/v2/scores', {
          body: {
            ...aboutOf(evaluation),
            name,
            value: scoreValue(field, value),
            source: 'human',
            evaluator: evaluation.evaluator_type,
            ...(comment.trim() === '' ? {} : { comment: comment.trim() }),
            ...(actor.trim() === '' ? {} : { actor: actor.trim() }),
          },
        }),
      ),
    onSuccess: () => {
      toast('Annotation saved.')
      void queries.invalidateQueries({ queryKey: ['scores'] })
      void queries.invalidateQueries({ queryKey: ['agreement'] })
      onDone()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate()
  }
  return (
    <form className="stack" onSubmit={submit}>
      {fields.length > 1 ? (
        <Field label="Field">
          {(ids) => (
            <Select
              {...ids}
              value={name}
              options={fields.map(({ name: value, label }) => ({ value, label }))}
              onChange={({ target }) => {
                setName(target.value)
                setValue('')
              }}
            />
          )}
        </Field>
      ) : null}
      <ValueField name={name} field={field} value={value} onChange={setValue} />
      <Field label="Why (optional)">
        {(ids) => (
          <TextArea {...ids} rows={2} value={comment} onChange={({ target }) => setComment(target.value)} />
        )}
      </Field>
      <Field label="Your name (optional)">
        {(ids) => (
          <TextInput
            {...ids}
            maxLength={255}
            value={actor}
            onChange={({ target }) => setActor(target.value)}
          />
        )}
      </Field>
      {save.error ? <ErrorNote error={save.error} /> : null}
      <div className="row">
        <Button type="submit" variant="primary" isBusy={save.isPending} disabled={value === ''}>
          Save annotation
        </Button>
        <Button variant="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

interface ValueFieldProps {
  readonly name: string
  readonly field: SchemaField | undefined
  readonly value: string
  readonly onChange: (value: string) => void
}

function ValueField({ name, field, value, onChange }: ValueFieldProps) {
  const choices =
    field?.type === 'boolean' ? YES_NO : field?.enum_values ? ['', ...field.enum_values] : undefined
  const isNumber = field?.type === 'int' || field?.type === 'float'
  return (
    <Field label={field?.label ?? name} hint={field?.description}>
      {(ids) =>
        choices ? (
          <Select
            {...ids}
            required
            value={value}
            options={choices}
            onChange={({ target }) => onChange(target.value)}
          />
        ) : (
          <TextInput
            {...ids}
            required
            {...(isNumber
              ? {
                  type: 'number',
                  step: field.type === 'int' ? 1 : 'any',
                  min: field.minimum,
                  max: field.maximum,
                }
              : {})}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
        )
      }
    </Field>
  )
}

function scoreValue(field: SchemaField | undefined, value: string): string | number | boolean {
  if (field?.type === 'boolean') return value === 'true'
  return field?.type === 'int' || field?.type === 'float' ? Number(value) : value
}
