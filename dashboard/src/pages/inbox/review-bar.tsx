import { type FormEvent, useState } from 'react'
import { Keys } from '../../shell/keys.tsx'
import { Button } from '../../ui/button.tsx'
import { Field, TextArea } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { agreesWith } from './answer-words.ts'
import type { InboxItem } from './inbox-queries.ts'
import { isJudged } from './use-answers.ts'
import type { Inbox } from './use-inbox-state.ts'

interface ReviewBarProps {
  readonly inbox: Inbox
  readonly item: InboxItem
  readonly isWritingNote: boolean
  readonly onNote: (isWriting: boolean) => void
}

/** The answers that can be given to the open evaluation. */
export function ReviewBar({ inbox, item, isWritingNote, onNote }: ReviewBarProps) {
  const { answer } = item
  const isSaving = inbox.answers.isSaving(item.evaluation.id)
  if (!isJudged(item)) return <span className="quiet">No verdict to review.</span>
  const agrees = answer && agreesWith(answer, item)
  return (
    <section className="inbox-review" aria-label="Your review">
      <div className="row">
        <Button aria-pressed={agrees === true} disabled={isSaving} onClick={() => inbox.answer(true)}>
          <Icon name="pass" />
          Agree <Keys of="1" />
        </Button>
        <Button aria-pressed={agrees === false} disabled={isSaving} onClick={() => inbox.answer(false)}>
          <Icon name="fail" />
          Disagree <Keys of="0" />
        </Button>
        <Button variant="quiet" aria-expanded={isWritingNote} onClick={() => onNote(!isWritingNote)}>
          Note <Keys of="n" />
        </Button>
        <Button variant="quiet" disabled={!inbox.answers.canUndo} onClick={() => void inbox.undo()}>
          Undo <Keys of="u" />
        </Button>
      </div>
      {isWritingNote ? (
        <NoteForm key={item.evaluation.id} inbox={inbox} item={item} onDone={() => onNote(false)} />
      ) : (
        <Opinions item={item} />
      )}
    </section>
  )
}

function Opinions({ item }: { item: InboxItem }) {
  const said = [
    ...(item.answer ? [{ ...item.answer, by: 'You' }] : []),
    ...(item.others ?? []).map((review) => ({ ...review, by: review.reviewer || 'Somebody' })),
  ]
  if (said.length === 0) return null
  return (
    <ul className="inbox-opinions small">
      {said.map((review) => (
        <li key={review.id}>
          <strong>{review.by}</strong>
          {` ${opinionVerb(review.by, agreesWith(review, item))}`}
          {review.comment ? `: ${review.comment}` : ''}
        </li>
      ))}
    </ul>
  )
}

function opinionVerb(by: string, agrees: boolean): string {
  if (by === 'You') return agrees ? 'agree' : 'disagree'
  return agrees ? 'agrees' : 'disagrees'
}

/** A note goes with an answer: it says why. */
function NoteForm({ inbox, item, onDone }: { inbox: Inbox; item: InboxItem; onDone: () => void }) {
  const [note, setNote] = useState(item.answer?.comment ?? '')
  const save = (agrees: boolean) => {
    inbox.answerWithNote(agrees, note.trim())
    onDone()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (item.answer) save(agreesWith(item.answer, item))
  }
  return (
    <form
      className="inbox-note"
      onSubmit={submit}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onDone()
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event)
      }}
    >
      <Field label="Note" hint="Saved with your answer.">
        {(ids) => (
          <TextArea
            {...ids}
            autoFocus
            rows={2}
            maxLength={4096}
            value={note}
            onChange={({ target }) => setNote(target.value)}
          />
        )}
      </Field>
      <div className="row">
        {item.answer ? (
          <Button type="submit" variant="primary">
            Save note
          </Button>
        ) : (
          <>
            <Button onClick={() => save(true)}>Agree with note</Button>
            <Button onClick={() => save(false)}>Disagree with note</Button>
          </>
        )}
        <Button variant="quiet" onClick={onDone}>
          Cancel
        </Button>
      </div>
    </form>
  )
}
