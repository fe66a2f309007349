import { type FormEvent, useState } from 'react'
import { ApiError } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { ErrorNote } from '../../ui/feedback.tsx'
import { useLeaveGuard } from '../../ui/leave-guard.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { type RangeName, useQueryState, useRange } from '../../ui/time-range.ts'
import { BackfillButton } from '../jobs/backfill-button.tsx'
import { DryRunPanel } from './dry-run-panel.tsx'
import { JsonEditor } from './json-editor.tsx'
import { readJson } from './read-definition.ts'
import { compact, type Definition, isSame } from './setup-definition.ts'
import { type Draft, definitionOfDraft, draftOf, unfinishedRule, withOverride } from './setup-draft.ts'
import { type Fault, faultWords, placeFault } from './setup-faults.ts'
import { SetupForm } from './setup-form.tsx'
import './setup-editor.css'
import { useDryRun } from './use-dry-run.ts'
import { useSaveSetup } from './use-save-setup.ts'

interface SetupEditorProps {
  readonly initial: Definition
  /** Whether a setup of this name is stored; otherwise saving makes one. */
  readonly isStored: boolean
}

/** The text of the JSON view: it stays as it is until the form changes something. */
interface Written {
  readonly text: string
  /** Why the form cannot show it. */
  readonly fault?: string
}

/** Writes a setup: as a form or as JSON, which are two views of one definition, with a preview beside it. */
export function SetupEditor({ initial, isStored }: SetupEditorProps) {
  const [query, changeQuery] = useQueryState()
  const [draft, setDraft] = useState(() => draftOf(initial))
  const [written, setWritten] = useState<Written>()
  const unreadable = written?.fault
  const definition = definitionOfDraft(draft)
  const [range, setRange] = useRange('24h')
  const save = useSaveSetup(isStored)
  const dryRun = useTrial(draft, definition, range)
  const nameFault = takenName(isStored, dryRun.data?.current_version)
  const fault = save.fault ?? dryRun.fault ?? nameFault
  const isDirty = unreadable !== undefined || !isSame(definition, initial)
  const question = useLeaveGuard(isDirty && !save.isDone)
  const change = (next: Draft, text?: string) => {
    setDraft(next)
    setWritten(text === undefined ? undefined : { text })
    save.forgetFault()
  }
  const changeText = (text: string) => {
    const read = readText(text, isStored ? initial.external_id : undefined)
    if ('fault' in read) setWritten({ text, fault: read.fault })
    else change(draftOf(read.value), text)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!unreadable) save.send(definition)
  }
  const tabs = [
    {
      id: 'form',
      title: 'Form',
      content: unreadable ? (
        <UnreadableNote fault={unreadable} onDiscard={() => setWritten(undefined)} />
      ) : (
        <SetupForm draft={draft} onChange={(next) => change(next)} fault={fault} isStored={isStored} />
      ),
    },
    {
      id: 'json',
      title: 'JSON',
      content: (
        <JsonEditor
          text={written?.text ?? JSON.stringify(compact(definition), undefined, 2)}
          fault={unreadable ?? (fault && faultWords(fault))}
          onChange={changeText}
        />
      ),
    },
  ]
  return (
    <Page
      title={isStored ? initial.external_id : 'New setup'}
      lead="Choose spans and evaluators. Every matching span is evaluated as it arrives."
      actions={
        isStored ? (
          <>
            <BackfillButton externalId={initial.external_id} />
            <ButtonLink to={`/setups/new?copy=${encodeURIComponent(initial.external_id)}`}>
              Duplicate
            </ButtonLink>
          </>
        ) : null
      }
    >
      {question}
      <form className="setup-editor" onSubmit={submit}>
        <div className="setup-editor-main">
          <Tabs
            label="Views of the setup"
            selected={query.get('view') === 'json' ? 'json' : 'form'}
            onSelect={(view) => changeQuery({ view: view === 'json' ? view : undefined })}
            tabs={tabs}
          />
        </div>
        <aside className="setup-editor-side" aria-label="Try and save">
          <DryRunPanel
            run={dryRun.data}
            error={dryRun.fault ? undefined : dryRun.error}
            isCurrent={dryRun.isCurrent}
            obstacle={unreadable ? 'The JSON cannot be read yet.' : dryRun.obstacle}
            hasEvaluators={draft.evaluators.length > 0}
            range={range}
            onRange={setRange}
            onFix={(override) => change(withOverride(draft, override))}
          />
          {save.error ? <ErrorNote error={save.error} /> : null}
          <div className="row">
            <Button
              type="submit"
              variant="primary"
              isBusy={save.isPending}
              disabled={unreadable !== undefined}
            >
              {isStored ? 'Save changes' : 'Create setup'}
            </Button>
            <ButtonLink to="/setups">Cancel</ButtonLink>
          </div>
          {isStored && isDirty ? (
            <p className="quiet small">
              Saving stops its monitors until they are bound again. Existing scores are kept.
            </p>
          ) : null}
        </aside>
      </form>
    </Page>
  )
}

function readText(text: string, storedName: string | undefined): ReturnType<typeof readJson> {
  const read = readJson(text)
  if (storedName === undefined || 'fault' in read || read.value.external_id === storedName) return read
  return { fault: `The external_id of a stored setup stays “${storedName}”.` }
}

function UnreadableNote({ fault, onDiscard }: { fault: string; onDiscard: () => void }) {
  return (
    <div className="note note-warn" role="alert">
      <span>
        The JSON view has text that the form cannot show. {fault} Fix it there, or discard it to go back to
        the last valid version.
      </span>
      <Button onClick={onDiscard}>Discard the text</Button>
    </div>
  )
}

/** The dry run of a draft, why there is none yet, and what the service finds wrong with the draft. */
function useTrial(draft: Draft, definition: Definition, range: RangeName) {
  const unfinished = unfinishedRule(draft)
  const query = useDryRun(definition, range, unfinished === undefined)
  const { error } = query
  const isFault = unfinished === undefined && error instanceof ApiError && error.status === 400
  const unfinishedWords =
    unfinished === undefined ? undefined : `Finish rule ${unfinished} to see what matches.`
  return {
    ...query,
    fault: isFault ? placeFault(error.message, definition) : undefined,
    obstacle: isFault ? 'Fix the marked fields to see a preview.' : unfinishedWords,
  }
}

function takenName(isStored: boolean, version: number | undefined): Fault | undefined {
  if (isStored || version === undefined) return undefined
  return { place: { kind: 'name' }, message: 'A setup with this name already exists.' }
}
