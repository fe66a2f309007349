import type { MouseEvent } from 'react'
import { Link } from 'wouter'
import { ResultBadge } from '../../ui/badge.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icon-paths.ts'
import { Time } from '../../ui/time.tsx'
import { agreesWith, answerWords } from './answer-words.ts'
import type { InboxItem } from './inbox-queries.ts'
import './inbox-row.css'

interface InboxRowProps {
  readonly item: InboxItem
  /** It is the one that the detail shows. */
  readonly isOpen: boolean
  readonly isSelected: boolean
  readonly isSaving: boolean
  readonly onOpen: () => void
  readonly onSelect: () => void
}

/** The element that a row can be found again by, for scrolling and the focus. */
export const rowId = (evaluationId: string) => `inbox-${evaluationId}`

/** An evaluation that can be read without opening it. */
export function InboxRow({ item, isOpen, isSelected, isSaving, onOpen, onSelect }: InboxRowProps) {
  const { evaluation } = item
  const open = (event: MouseEvent) => {
    // A key on the link, and a click for a new tab, lead to the page of the evaluation.
    if (event.detail === 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen()
  }
  return (
    <li className={`inbox-row${isOpen ? ' inbox-row-open' : ''}${isSelected ? ' inbox-row-selected' : ''}`}>
      <button
        type="button"
        className="inbox-select"
        aria-pressed={isSelected}
        aria-label={`Select ${evaluation.preview?.input ?? `evaluation ${evaluation.id}`}`}
        onClick={onSelect}
      >
        {isSelected ? <Icon name="pass" /> : null}
      </button>
      <Link
        id={rowId(evaluation.id)}
        href={`/evaluations/${evaluation.id}`}
        className="inbox-link"
        aria-current={isOpen ? 'true' : undefined}
        onClick={open}
      >
        <span className="inbox-row-head">
          <ResultBadge result={evaluation} />
          <span className="inbox-row-facts quiet small">
            {evaluation.evaluator_type}
            <Time at={evaluation.created_at} />
          </span>
        </span>
        <Exchange item={item} />
        <Reason item={item} />
        <AnswerLine item={item} isSaving={isSaving} />
      </Link>
    </li>
  )
}

function Exchange({ item: { evaluation } }: { item: InboxItem }) {
  const { input, output } = evaluation.preview ?? {}
  return (
    <>
      {input === undefined ? null : <span className="inbox-question">{input}</span>}
      {output === undefined ? null : <span className="inbox-answer">{output}</span>}
      {input === undefined && output === undefined ? (
        <span className="inbox-answer quiet">The texts are not in the spans, or are no longer kept.</span>
      ) : null}
    </>
  )
}

/** A condition on a yes or no says nothing that the label of the verdict does not say. */
const SAID_BY_LABEL = / is (true|false); /

/** The claim that failed, and why; the rule where nothing else is said. */
function Reason({ item: { evaluation } }: { item: InboxItem }) {
  const { claim, text, rule } = evaluation.reason ?? {}
  const why =
    text ?? (claim === undefined && rule !== undefined && !SAID_BY_LABEL.test(rule) ? rule : undefined)
  if (claim === undefined && why === undefined) return null
  return (
    <span className={`inbox-reason${evaluation.verdict === 'fail' ? ' inbox-reason-fail' : ''}`}>
      {claim === undefined ? null : <q>{claim}</q>}
      {why === undefined ? null : <span>{why}</span>}
    </span>
  )
}

function answerSign(item: InboxItem): IconName {
  if (!item.answer) return 'neutral'
  return agreesWith(item.answer, item) ? 'pass' : 'fail'
}

function AnswerLine({ item, isSaving }: { item: InboxItem; isSaving: boolean }) {
  const words = isSaving ? 'Saving…' : answerWords(item)
  if (words === undefined) return null
  return (
    <span className="inbox-answered small">
      {isSaving ? null : <Icon name={answerSign(item)} />}
      {words}
    </span>
  )
}
