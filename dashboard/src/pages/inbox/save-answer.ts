import { ApiError, api, ok } from '../../api/client.ts'
import { aboutOf } from '../monitors/monitor-queries.ts'
import { VERDICT_NAME } from '../monitors/words.ts'
import type { InboxItem, Review } from './inbox-queries.ts'

/** An opinion on a verdict: whether it is right, or which one is; `withdrawn` takes an earlier one back. */
export type Opinion =
  | { readonly agrees: boolean; readonly comment?: string | undefined }
  | { readonly verdict: 'pass' | 'fail'; readonly comment?: string | undefined }
  | 'withdrawn'

/** The answer to an evaluation as it is stored now. */
export interface Saved {
  readonly id: string
  readonly answer: Review | undefined
  /** The answers of others, where storing this one has opened them. */
  readonly others?: readonly Review[] | undefined
}

interface Wish {
  readonly item: InboxItem
  readonly opinion: Opinion
  readonly reviewer: string
  readonly queue: string | undefined
}

/** Stores an opinion in place of the reviewer's opinion before. */
export function saveOpinion(wish: Wish): Promise<Saved> {
  return wish.queue === undefined ? saveAnnotation(wish) : saveInQueue(wish, wish.queue)
}

async function saveInQueue({ item, opinion, reviewer }: Wish, queue: string): Promise<Saved> {
  const { id } = item.evaluation
  const path = { id: queue, evaluation_id: id }
  if (opinion === 'withdrawn') {
    await ifThere(
      ok(
        api.DELETE('/v2/review-queues/{id}/items/{evaluation_id}/answer', {
          params: { path, query: { reviewer } },
        }),
      ),
    )
    return { id, answer: undefined }
  }
  const stored = await ok(
    api.PUT('/v2/review-queues/{id}/items/{evaluation_id}/answer', {
      params: { path },
      body: { reviewer, verdict: verdictOf(item, opinion), ...commentOf(opinion) },
    }),
  )
  return { id, answer: stored.answer, others: stored.other_answers }
}

async function saveAnnotation({ item, opinion, reviewer }: Wish): Promise<Saved> {
  const { evaluation, answer: before } = item
  const forget = async () => {
    if (before) await ifThere(ok(api.DELETE('/v2/scores/{id}', { params: { path: { id: before.id } } })))
  }
  if (opinion === 'withdrawn') {
    await forget()
    return { id: evaluation.id, answer: undefined }
  }
  const verdict = verdictOf(item, opinion)
  const stored = await ok(
    api.POST('/v2/scores', {
      body: {
        ...aboutOf(evaluation),
        name: VERDICT_NAME,
        value: verdict === 'pass',
        source: 'human',
        evaluator: evaluation.evaluator_type,
        actor: reviewer,
        ...commentOf(opinion),
      },
    }),
  )
  // The newest one counts, so the one before is only in the way.
  await forget().catch(() => undefined)
  const { id, created_at, comment } = stored
  return { id: evaluation.id, answer: { id, reviewer, verdict, created_at, ...(comment ? { comment } : {}) } }
}

/** The verdict that an opinion finds right: what the reader saw, or its opposite. */
function verdictOf({ evaluation }: InboxItem, opinion: Exclude<Opinion, 'withdrawn'>): 'pass' | 'fail' {
  if ('verdict' in opinion) return opinion.verdict
  return (evaluation.verdict === 'pass') === opinion.agrees ? 'pass' : 'fail'
}

const commentOf = ({ comment }: Exclude<Opinion, 'withdrawn'>) => (comment ? { comment } : {})

/** A thing that is gone already need not be taken away. */
async function ifThere(request: Promise<unknown>): Promise<void> {
  await request.catch((error: unknown) => {
    if (!(error instanceof ApiError && error.status === 404)) throw error
  })
}
