import { useMutation } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Note } from '../../ui/feedback.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { formatNumber } from '../../ui/format.ts'
import { Table } from '../../ui/table.tsx'
import { type PlannedItem, planImport, readFile } from './plan-import.ts'
import { readAllSetups } from './setup-queries.ts'
import { type ImportOutcome, useImport } from './use-import.ts'

/** Rows of the preview; the counts above it are of all. */
const ROWS_MAX = 200

/** Setups from a file or pasted text: first what would change, then the change. */
export function ImportDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Import setups" isOpen={isOpen} onClose={onClose} placement="side">
      <ImportSteps onClose={onClose} />
    </Dialog>
  )
}

function ImportSteps({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('')
  const plan = useMutation({ mutationFn: makePlan })
  const change = (next: string) => {
    setText(next)
    plan.reset()
  }
  const openFile = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0]
    if (!file) return
    const read = await file.text()
    setText(read)
    plan.mutate(read)
  }
  return (
    <>
      <Field label="File" hint="YAML or JSON, as the export writes it.">
        {(ids) => (
          <input {...ids} type="file" accept=".yaml,.yml,.json" onChange={(event) => void openFile(event)} />
        )}
      </Field>
      <Field label="Or paste it here">
        {(ids) => (
          <TextArea
            {...ids}
            rows={10}
            value={text}
            placeholder={'setups:\n  - external_id: support-quality\n    evaluators: [faithfulness]'}
            onChange={(event) => change(event.target.value)}
          />
        )}
      </Field>
      {plan.error ? <ErrorNote error={plan.error} /> : null}
      {plan.data ? (
        <Preview items={plan.data} onClose={onClose} />
      ) : (
        <div>
          <Button
            variant="primary"
            isBusy={plan.isPending}
            disabled={text.trim() === ''}
            onClick={() => plan.mutate(text)}
          >
            Preview changes
          </Button>
        </div>
      )}
    </>
  )
}

async function makePlan(text: string): Promise<PlannedItem[]> {
  const read = await readFile(text)
  if ('fault' in read) throw new Error(read.fault)
  return planImport(read.value, await readAllSetups())
}

const EFFECTS: Readonly<Record<PlannedItem['effect'], { tone: Tone; label: string }>> = {
  create: { tone: 'good', label: 'New' },
  change: { tone: 'accent', label: 'Changed' },
  same: { tone: 'neutral', label: 'Unchanged' },
  faulty: { tone: 'bad', label: 'Invalid' },
}

function Preview({ items, onClose }: { items: readonly PlannedItem[]; onClose: () => void }) {
  const { send, outcome, isPending, error } = useImport(items)
  const count = (effect: PlannedItem['effect']) => items.filter((item) => item.effect === effect).length
  const changes = count('create') + count('change')
  const rows = rowsOf(items, outcome)
  return (
    <>
      <p role="status">
        {count('create')} new, {count('change')} changed, {count('same')} unchanged
        {count('faulty') > 0 ? `, ${count('faulty')} faulty` : ''}. Unchanged ones are left alone.
      </p>
      {outcome ? <Outcome outcome={outcome} /> : null}
      {error ? <ErrorNote error={error} /> : null}
      <div className="row">
        <Button
          variant="primary"
          isBusy={isPending}
          disabled={changes === 0 || count('faulty') > 0 || outcome?.isDone === true}
          onClick={send}
        >
          {`Import ${changes} ${changes === 1 ? 'setup' : 'setups'}`}
        </Button>
        <Button onClick={onClose}>{outcome?.isDone ? 'Close' : 'Cancel'}</Button>
      </div>
      <Table
        label="Setups of the file"
        rows={rows.slice(0, ROWS_MAX)}
        keyOf={({ at }) => String(at)}
        columns={[
          { title: 'Item', cell: ({ at }) => at + 1, isNumber: true },
          {
            title: 'Name',
            cell: ({ externalId, fault }) => (
              <div className="setups-name">
                {externalId || <span className="quiet">without a name</span>}
                {fault ? <p className="setups-error small">{fault}</p> : null}
              </div>
            ),
          },
          {
            title: 'Effect',
            cell: ({ effect }) => <Badge tone={EFFECTS[effect].tone}>{EFFECTS[effect].label}</Badge>,
          },
        ]}
      />
      {rows.length > ROWS_MAX ? (
        <p className="quiet small">and {formatNumber(rows.length - ROWS_MAX)} more.</p>
      ) : null}
    </>
  )
}

/** Faulty items first, unchanged ones last. */
function rowsOf(items: readonly PlannedItem[], outcome: ImportOutcome | undefined) {
  const ranks = { faulty: 1, change: 2, create: 3, same: 4 }
  const rankOf = ({ effect, fault }: PlannedItem) => (fault === undefined ? ranks[effect] : 0)
  const rows = items.map((item, at) => {
    const fault = outcome?.faultAt === at ? outcome.message : item.fault
    return { ...item, at, ...(fault === undefined ? {} : { fault }) }
  })
  return rows.toSorted((left, right) => rankOf(left) - rankOf(right) || left.at - right.at)
}

function Outcome({ outcome }: { outcome: ImportOutcome }) {
  if (outcome.isDone) return <Note tone="good">{`${outcome.stored} stored. They are being processed.`}</Note>
  const before =
    outcome.stored > 0
      ? `${outcome.stored} were stored; this one and those after it were not.`
      : 'Nothing was stored.'
  return <Note tone="bad">{`${outcome.message ?? ''}. ${before}`}</Note>
}
