import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Field, TextInput } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { ChosenEvaluator } from './chosen-evaluator.tsx'
import { EvaluatorPicker } from './evaluator-picker.tsx'
import { RuleBuilder } from './rule-builder.tsx'
import type { Draft } from './setup-draft.ts'
import type { Fault } from './setup-faults.ts'

interface SetupFormProps {
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
  readonly fault: Fault | undefined
  /** The name of a stored setup stays: its monitors and their history hang on it. */
  readonly isStored: boolean
}

/** The three questions of a setup: what is it called, which spans, which evaluators. */
export function SetupForm({ draft, onChange, fault, isStored }: SetupFormProps) {
  return (
    <div className="stack">
      <NameCard draft={draft} onChange={onChange} fault={fault} isStored={isStored} />
      <Card title="Spans">
        <p className="quiet setup-card-lead">A span is evaluated when all of these rules hold.</p>
        <RuleBuilder rules={draft.rules} onChange={(rules) => onChange({ ...draft, rules })} fault={fault} />
      </Card>
      <EvaluatorsCard draft={draft} onChange={onChange} fault={fault} />
    </div>
  )
}

function NameCard({ draft, onChange, fault, isStored }: SetupFormProps) {
  const kind = fault?.place.kind
  return (
    <Card title="Name">
      <div className="stack">
        <Field
          label="External id"
          hint={
            isStored
              ? 'It cannot be changed.'
              : 'Your own name for it, unique in the project; files and the API use it too.'
          }
          error={kind === 'name' ? fault?.message : undefined}
        >
          {(ids) => (
            <TextInput
              {...ids}
              required
              readOnly={isStored}
              placeholder="support-quality"
              value={draft.externalId}
              onChange={(event) => onChange({ ...draft, externalId: event.target.value })}
            />
          )}
        </Field>
        <details open={draft.entityType !== '' || draft.entityValue !== ''}>
          <summary>Applies to (optional)</summary>
          <div className="setup-settings-body">
            <Field
              label="Entity type"
              hint="A label for your own use, such as team. It does not select spans."
            >
              {(ids) => (
                <TextInput
                  {...ids}
                  value={draft.entityType}
                  onChange={(event) => onChange({ ...draft, entityType: event.target.value })}
                />
              )}
            </Field>
            <Field label="Entity value" error={kind === 'entity' ? fault?.message : undefined}>
              {(ids) => (
                <TextInput
                  {...ids}
                  value={draft.entityValue}
                  onChange={(event) => onChange({ ...draft, entityValue: event.target.value })}
                />
              )}
            </Field>
          </div>
        </details>
      </div>
    </Card>
  )
}

function EvaluatorsCard({ draft, onChange, fault }: Omit<SetupFormProps, 'isStored'>) {
  const [isPicking, setPicking] = useState(false)
  const { data } = useQuery({
    queryKey: ['evaluators'],
    queryFn: () => ok(api.GET('/v2/evaluators')),
    staleTime: 60_000,
  })
  const catalogue = data?.evaluators ?? []
  const place = fault?.place
  const setEvaluators = (evaluators: Draft['evaluators']) => onChange({ ...draft, evaluators })
  const remove = (slug: string) => setEvaluators(draft.evaluators.filter((each) => each.slug !== slug))
  const toggle = (slug: string) => {
    if (draft.evaluators.some((each) => each.slug === slug)) remove(slug)
    else setEvaluators([...draft.evaluators, { slug }])
  }
  return (
    <Card title="Evaluators" actions={<Button onClick={() => setPicking(true)}>Choose evaluators</Button>}>
      {draft.evaluators.length === 0 ? <p className="quiet">None yet. A setup needs at least one.</p> : null}
      {place?.kind === 'evaluators' ? (
        <p className="field-error small" role="alert">
          {fault?.message}
        </p>
      ) : null}
      <ul className="setup-chosen-list">
        {draft.evaluators.map((override) => (
          <ChosenEvaluator
            key={override.slug}
            override={override}
            evaluator={catalogue.find(({ slug }) => slug === override.slug)}
            fault={place?.kind === 'evaluator' && place.slug === override.slug ? fault : undefined}
            onChange={(next) =>
              setEvaluators(draft.evaluators.map((each) => (each.slug === next.slug ? next : each)))
            }
            onRemove={() => remove(override.slug)}
          />
        ))}
      </ul>
      <EvaluatorPicker
        catalogue={catalogue}
        chosen={new Set(draft.evaluators.map(({ slug }) => slug))}
        onToggle={toggle}
        isOpen={isPicking}
        onClose={() => setPicking(false)}
      />
    </Card>
  )
}
