import type { QueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useShortcuts } from '../../shell/shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select } from '../../ui/field.tsx'
import { formatCount } from '../../ui/format.ts'
import { Icon } from '../../ui/icon.tsx'
import { useQueryState } from '../../ui/time-range.ts'
import { CreateQueue } from './create-queue.tsx'
import './inbox.css'
import { InboxDetail } from './inbox-detail.tsx'
import { InboxFilters } from './inbox-filters.tsx'
import { InboxList } from './inbox-list.tsx'
import { inboxOf, useInbox, useQueues } from './inbox-queries.ts'
import { QueueBar } from './queue-bar.tsx'
import { readReviewer, useReviewer } from './reviewer.ts'
import { ReviewerForm } from './reviewer-name.tsx'
import { type Inbox, useInboxState } from './use-inbox-state.ts'

/** Asks for the first rows before the page is drawn. */
export function prepare(queries: QueryClient, { searchParams }: URL): void {
  const first = inboxOf(searchParams, readReviewer())
  if (first.enabled) void queries.prefetchInfiniteQuery(first)
}

/** Evaluations to look at, newest failures first: the list, the evidence beside it, and one key for each answer. */
export default function InboxPage() {
  useEffect(() => {
    document.title = 'Inbox – Assay'
  }, [])
  const [address] = useQueryState()
  const reviewer = useReviewer()
  const query = useInbox(address, reviewer)
  const inbox = useInboxState(query, reviewer)
  const [dialog, setDialog] = useState<'name' | 'queue'>()
  const [isWritingNote, setWritingNote] = useState(false)
  const queue = address.get('queue')
  const named = useNamed(inbox, () => setDialog('name'))
  useKeys(named, () => setWritingNote(true))
  return (
    <div className={inbox.openId === undefined ? 'inbox' : 'inbox inbox-has-open'}>
      <header className="inbox-head">
        <div className="row">
          <h1>Inbox</h1>
          <QueueSelect />
        </div>
        <div className="row">
          <Button variant="quiet" onClick={() => setDialog('name')}>
            {reviewer === '' ? 'Set your name' : `Reviewing as ${reviewer}`}
          </Button>
          {queue === null ? (
            <Button onClick={() => setDialog('queue')}>
              <Icon name="new" />
              Create a review queue
            </Button>
          ) : null}
        </div>
      </header>
      {queue === null ? <InboxFilters /> : <QueueBar id={queue} reviewer={reviewer} />}
      {queue !== null && reviewer === '' ? (
        <div className="inbox-name">
          <ReviewerForm />
        </div>
      ) : (
        <div className="inbox-panes">
          <section className="inbox-list" aria-label="List">
            <SelectedBar inbox={named} />
            <InboxList inbox={named} query={query} />
          </section>
          <section className="inbox-detail" aria-label="Evaluation">
            <InboxDetail
              inbox={named}
              isQueue={queue !== null}
              isWritingNote={isWritingNote}
              onNote={setWritingNote}
            />
          </section>
        </div>
      )}
      <Dialog title="Reviewer" isOpen={dialog === 'name'} onClose={() => setDialog(undefined)}>
        <ReviewerForm onDone={() => setDialog(undefined)} />
      </Dialog>
      <CreateQueue isOpen={dialog === 'queue'} onClose={() => setDialog(undefined)} />
    </div>
  )
}

/** An inbox that asks for a name before the first answer. */
function useNamed(inbox: Inbox, askName: () => void): Inbox {
  if (inbox.reviewer !== '') return inbox
  return { ...inbox, answer: askName, answerWithNote: askName }
}

function useKeys(inbox: Inbox, writeNote: () => void): void {
  const latest = useRef({ inbox, writeNote })
  useLayoutEffect(() => {
    latest.current = { inbox, writeNote }
  })
  const group = useMemo(() => {
    const on = (act: (now: Inbox) => unknown) => () => void act(latest.current.inbox)
    return {
      title: 'Inbox',
      shortcuts: [
        { keys: 'j', label: 'Go to the next evaluation', run: on((now) => now.move(1)) },
        { keys: 'k', label: 'Go to the evaluation before', run: on((now) => now.move(-1)) },
        { keys: 'enter', label: 'Open the page of the evaluation', run: on((now) => now.openPage()) },
        { keys: '1', label: 'Agree with the verdict', run: on((now) => now.answer(true)) },
        { keys: '0', label: 'Disagree with the verdict', run: on((now) => now.answer(false)) },
        { keys: 'n', label: 'Write a note', run: () => latest.current.writeNote() },
        { keys: 'x', label: 'Select the evaluation', run: on((now) => now.openId && now.toggle(now.openId)) },
        { keys: 'u', label: 'Undo the last answer', run: on((now) => now.undo()) },
      ],
    }
  }, [])
  useShortcuts(group)
}

/** Leads to the review queues, and back to the list with its filters. */
function QueueSelect() {
  const [address, change] = useQueryState()
  const queues = useQueues().data?.review_queues ?? []
  const current = address.get('queue') ?? ''
  if (queues.length === 0 && current === '') return null
  const isKnown = current === '' || queues.some(({ id }) => id === current)
  return (
    <Select
      aria-label="List or review queue"
      value={current}
      options={[
        { value: '', label: 'All evaluations' },
        ...queues.map(({ id, name }) => ({ value: id, label: `Queue: ${name}` })),
        ...(isKnown ? [] : [{ value: current, label: 'Queue' }]),
      ]}
      onChange={({ target }) => change({ queue: target.value, item: undefined })}
    />
  )
}

/** Actions on the selected rows. */
function SelectedBar({ inbox }: { inbox: Inbox }) {
  const { size } = inbox.selected
  if (size === 0) return null
  return (
    <div className="inbox-selected row" role="status">
      <strong>{`${formatCount(size, 'evaluation')} selected`}</strong>
      <Button onClick={() => inbox.answer(true)}>Agree</Button>
      <Button onClick={() => inbox.answer(false)}>Disagree</Button>
      <Button variant="quiet" onClick={inbox.clear}>
        Clear
      </Button>
    </div>
  )
}
