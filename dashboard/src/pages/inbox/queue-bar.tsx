import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, ok } from '../../api/client.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNote, Loaded } from '../../ui/feedback.tsx'
import { formatCount, formatNumber, formatPercent } from '../../ui/format.ts'
import { useQueryState } from '../../ui/time-range.ts'
import { useToast } from '../../ui/toast.tsx'
import { type Agreement, type QueueDetail, queueOf } from './inbox-queries.ts'

/** Pairs below which the service computes no agreement. */
const PAIRS_MIN = 10

/** The progress of a review queue, and how far people agree. */
export function QueueBar({ id, reviewer }: { id: string; reviewer: string }) {
  const queue = useQuery(queueOf(id))
  return (
    <section className="inbox-queue" aria-label="Review queue">
      <Loaded query={queue} lines={2}>
        {(found) => <QueueFacts queue={found} reviewer={reviewer} />}
      </Loaded>
    </section>
  )
}

function QueueFacts({ queue, reviewer }: { queue: QueueDetail; reviewer: string }) {
  const [isAsking, setAsking] = useState(false)
  const own = queue.progress.find((one) => one.reviewer === reviewer)
  const isForOthers = queue.reviewers.length > 0 && !queue.reviewers.includes(reviewer)
  const answered = own?.answered ?? 0
  // The answers of one person alone are those of everybody.
  const people = queue.progress.length > 1 ? queue.progress : []
  return (
    <>
      <div className="spread">
        <div className="inbox-progress">
          <strong>{`${formatNumber(answered)} of ${formatNumber(queue.items)} reviewed by you`}</strong>
          <progress aria-label="Your progress" max={Math.max(1, queue.items)} value={answered} />
        </div>
        <Button variant="quiet" onClick={() => setAsking(true)}>
          Delete queue
        </Button>
      </div>
      {isForOthers && reviewer !== '' ? (
        <p className="small">{`This queue is for ${queue.reviewers.join(', ')}. Change your name to answer.`}</p>
      ) : null}
      <dl className="inbox-agreement small">
        <div>
          <dt>Agreement with the evaluator</dt>
          <dd>{agreementWords(queue.with_evaluator)}</dd>
        </div>
        {people.map((one) => (
          <div key={one.reviewer}>
            <dt>{one.reviewer}</dt>
            <dd>{`${formatCount(one.answered, 'answer')}; ${agreementWords(one.with_evaluator)}`}</dd>
          </div>
        ))}
        {queue.between.map((sides) => (
          <div key={sides.reviewers.join('\n')}>
            <dt>{`Between ${sides.reviewers.join(' and ')}`}</dt>
            <dd>{agreementWords(sides)}</dd>
          </div>
        ))}
      </dl>
      <DeleteQueue queue={queue} isOpen={isAsking} onClose={() => setAsking(false)} />
    </>
  )
}

/** An agreement in words: kappa with its number of answers, or why there is none. */
export function agreementWords({ pairs, agreement, kappa }: Agreement): string {
  const n = `n = ${formatNumber(pairs)}`
  if (agreement === undefined) return `not enough yet (${n}; ${PAIRS_MIN} are needed)`
  const share = `${formatPercent(agreement)} the same`
  return kappa === undefined ? `${share} (${n})` : `kappa ${formatNumber(kappa)} (${n}), ${share}`
}

function DeleteQueue({
  queue,
  isOpen,
  onClose,
}: {
  queue: QueueDetail
  isOpen: boolean
  onClose: () => void
}) {
  const [, change] = useQueryState()
  const queries = useQueryClient()
  const toast = useToast()
  const [error, setError] = useState<unknown>()
  const remove = async () => {
    try {
      await ok(api.DELETE('/v2/review-queues/{id}', { params: { path: { id: queue.id } } }))
      onClose()
      change({ queue: undefined, item: undefined })
      void queries.invalidateQueries({ queryKey: ['review-queues'] })
      toast('The review queue was deleted.')
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog title="Delete this review queue?" isOpen={isOpen} onClose={onClose}>
      <p>{`“${queue.name}” is removed for everybody. The answers stay, as annotations.`}</p>
      {error ? <ErrorNote error={error} /> : null}
      <div className="row">
        <Button variant="danger" onClick={() => void remove()}>
          Delete queue
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </Dialog>
  )
}
