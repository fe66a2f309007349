import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { ErrorNote, Note } from '../../ui/feedback.tsx'
import { Field, TextArea, TextInput } from '../../ui/field.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FieldList } from './field-list.tsx'
import { createBodyOf, type JudgeDraft, slugFromName } from './judge-draft.ts'
import { faultWords, type JudgeFault, messageAt } from './judge-faults.ts'
import './judge-editor.css'
import { ManyRowsCard } from './many-rows-card.tsx'
import { ModelCard } from './model-card.tsx'
import { PromptCard } from './prompt-card.tsx'
import { TrialCard } from './trial-card.tsx'
import { useSaveJudge } from './use-save-judge.ts'
import { VerdictCard } from './verdict-card.tsx'

interface JudgeEditorProps {
  readonly initial: JudgeDraft
  /** Of the judge that is changed; undefined for a new one. */
  readonly slug: string | undefined
  /** The older version that it is taken from. */
  readonly broughtBack: string | undefined
}

/** Writes a judge of one's own: who is asked, what, and for which answers. */
export function JudgeEditor({ initial, slug, broughtBack }: JudgeEditorProps) {
  const [draft, setDraft] = useState(initial)
  const save = useSaveJudge(slug)
  const isDirty = JSON.stringify(createBodyOf(draft)) !== JSON.stringify(createBodyOf(initial))
  const question = useLeaveGuard(isDirty && !save.isDone)
  const change = (next: JudgeDraft) => {
    setDraft(next)
    save.forget()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.send(draft)
  }
  return (
    <form onSubmit={submit}>
      <Page
        title={slug === undefined ? 'New judge' : `Edit ${initial.name}`}
        lead="A language model that answers the questions you ask about an output."
        actions={
          <>
            <ButtonLink to={slug === undefined ? '/evaluators' : `/evaluators/${slug}`}>Cancel</ButtonLink>
            <Button type="submit" variant="primary" isBusy={save.isPending}>
              Save
            </Button>
          </>
        }
      >
        {save.error ? <ErrorNote error={save.fault ? faultWords(save.fault) : save.error} /> : null}
        {slug === undefined ? null : <WhatSavingDoes broughtBack={broughtBack} />}
        <div className="judge-editor">
          <div className="judge-form">
            <NameCard draft={draft} onChange={change} fault={save.fault} isStored={slug !== undefined} />
            <ModelCard draft={draft} onChange={change} fault={save.fault} />
            <PromptCard draft={draft} onChange={change} fault={save.fault} />
            <FieldList
              title="Inputs"
              meaning="Values the judge sees. In a setup an input comes from the span by its name: prompt, completion, context and others; everything else is mapped there."
              one="input"
              path="input_schema"
              fields={draft.inputs}
              onChange={(inputs) => change({ ...draft, inputs })}
              fault={save.fault}
            />
            <FieldList
              title="Answers"
              meaning="Fields the judge must return, in this order. Numbers and yes-or-no answers make charts."
              one="answer"
              path="output_schema"
              fields={draft.outputs}
              onChange={(outputs) => change({ ...draft, outputs })}
              fault={save.fault}
            />
            <VerdictCard
              verdict={draft.verdict}
              outputs={draft.outputs}
              onChange={(verdict) => change({ ...draft, verdict })}
              fault={save.fault}
            />
          </div>
          <TrialCard draft={draft} />
        </div>
        <ManyRowsCard draft={draft} slug={slug} />
        <div className="row">
          <Button type="submit" variant="primary" isBusy={save.isPending}>
            Save
          </Button>
        </div>
      </Page>
      {question}
    </form>
  )
}

function WhatSavingDoes({ broughtBack }: { broughtBack: string | undefined }) {
  return (
    <Note>
      {broughtBack === undefined ? '' : `This is version ${broughtBack}. `}
      Saving a change of what it does makes a new version, and monitors go over to it from then on. Results
      keep the version that made them. A new name, description or verdict makes no version.
    </Note>
  )
}

interface NameCardProps {
  readonly draft: JudgeDraft
  readonly onChange: (draft: JudgeDraft) => void
  readonly fault: JudgeFault | undefined
  readonly isStored: boolean
}

function NameCard({ draft, onChange, fault, isStored }: NameCardProps) {
  return (
    <Card title="Name and description">
      <div className="judge-pair">
        <Field label="Name" error={messageAt(fault, 'name')}>
          {(ids) => (
            <TextInput
              {...ids}
              required
              autoFocus={!isStored}
              placeholder="Politeness"
              value={draft.name}
              onChange={({ target }) => onChange({ ...draft, name: target.value })}
            />
          )}
        </Field>
        <Field
          label="Slug"
          hint={isStored ? 'The name in setups; it cannot be changed.' : 'The name in setups and API calls.'}
          error={messageAt(fault, 'slug')}
        >
          {(ids) => (
            <TextInput
              {...ids}
              className="mono"
              readOnly={isStored}
              placeholder="politeness"
              value={draft.slug ?? slugFromName(draft.name)}
              onChange={({ target }) => onChange({ ...draft, slug: target.value || undefined })}
            />
          )}
        </Field>
      </div>
      <Field label="Description" error={messageAt(fault, 'description')}>
        {(ids) => (
          <TextArea
            {...ids}
            rows={2}
            value={draft.description}
            onChange={({ target }) => onChange({ ...draft, description: target.value })}
          />
        )}
      </Field>
    </Card>
  )
}
