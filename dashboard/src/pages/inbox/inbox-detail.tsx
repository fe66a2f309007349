import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Button } from '../../ui/button.tsx'
import { ButtonLink } from '../../ui/button-link.tsx'
import { EmptyState } from '../../ui/feedback.tsx'
import { EvaluationView } from '../monitors/evaluation-view.tsx'
import { evaluationOf } from '../monitors/monitor-queries.ts'
import { ReviewBar } from './review-bar.tsx'
import type { Inbox } from './use-inbox-state.ts'

interface InboxDetailProps {
  readonly inbox: Inbox
  /** In a review queue the opinions of others stay hidden until this reviewer has answered. */
  readonly isQueue: boolean
  readonly isWritingNote: boolean
  readonly onNote: (isWriting: boolean) => void
}

/** The evidence for the open evaluation, and the answers to it. */
export function InboxDetail({ inbox, isQueue, isWritingNote, onNote }: InboxDetailProps) {
  const { openId, openItem, items } = inbox
  const queries = useQueryClient()
  const next = openItem && items[items.indexOf(openItem) + 1]?.evaluation.id
  useEffect(() => {
    if (next !== undefined) void queries.prefetchQuery(evaluationOf(next))
  }, [next, queries])
  if (openId === undefined)
    return <EmptyState title="No evaluation is open.">Choose one from the list.</EmptyState>
  return (
    <>
      <div className="inbox-detail-head">
        <span className="inbox-back">
          <Button onClick={inbox.close}>Back to the list</Button>
        </span>
        {openItem ? (
          <ReviewBar inbox={inbox} item={openItem} isWritingNote={isWritingNote} onNote={onNote} />
        ) : (
          <span className="quiet">This evaluation is not in the list on the left.</span>
        )}
        <ButtonLink to={`/evaluations/${openId}`} variant="quiet">
          Open page
        </ButtonLink>
      </div>
      <div className="inbox-evidence">
        <EvaluationView id={openId} hidesScores={isQueue && openItem?.answer === undefined} />
      </div>
    </>
  )
}
