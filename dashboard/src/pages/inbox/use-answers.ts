import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { formatCount } from '../../ui/format.ts'
import { useToast } from '../../ui/toast.tsx'
import { type InboxItem, type InboxPage, inboxKey } from './inbox-queries.ts'
import { type Opinion, type Saved, saveOpinion } from './save-answer.ts'

/** An item before and after one press of a key. */
interface Change {
  readonly before: InboxItem
  readonly after: Saved
}

/** Answers of this reviewer: storing, changing and taking them back. */
export interface Answers {
  readonly isSaving: (id: string) => boolean
  /** Stores answers; shows them once they are stored. */
  readonly answer: (items: readonly InboxItem[], opinion: Opinion) => Promise<void>
  /** Withdraws the last answers and returns the first item that they were about. */
  readonly undo: () => Promise<InboxItem | undefined>
  readonly canUndo: boolean
}

/** An item that can be agreed with: its verdict passes or fails. */
export function isJudged({ evaluation: { verdict } }: InboxItem): boolean {
  return verdict === 'pass' || verdict === 'fail'
}

export function useAnswers(address: URLSearchParams, reviewer: string): Answers {
  const queries = useQueryClient()
  const toast = useToast()
  const [saving, setSaving] = useState<ReadonlySet<string>>(new Set())
  const [undoable, setUndoable] = useState(0)
  const done = useRef<(readonly Change[])[]>([])
  const queue = address.get('queue') ?? undefined
  const key = inboxKey(address, reviewer)

  const show = (saved: Saved) => {
    queries.setQueryData<InfiniteData<InboxPage>>(key, (data) => data && withAnswer(data, saved))
    for (const changed of [['scores'], ['agreement'], ['review-queue']])
      void queries.invalidateQueries({ queryKey: changed })
  }

  /** Stores an opinion on each item. The errors of those that could not be stored come back with them. */
  const saveAll = async (wishes: readonly { item: InboxItem; opinion: Opinion }[]) => {
    const ids = wishes.map(({ item }) => item.evaluation.id)
    setSaving((now) => new Set([...now, ...ids]))
    const outcomes = await Promise.allSettled(
      wishes.map(async ({ item, opinion }) => {
        const after = await saveOpinion({ item, opinion, reviewer, queue })
        show(after)
        return { before: item, after }
      }),
    )
    setSaving((now) => new Set([...now].filter((id) => !ids.includes(id))))
    const changes = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []))
    const failed = outcomes.flatMap((outcome, at) =>
      outcome.status === 'rejected' ? [{ wish: wishes[at], error: outcome.reason as unknown }] : [],
    )
    return { changes, failed }
  }

  const answer = async (items: readonly InboxItem[], opinion: Opinion) => {
    const judged = items.filter(isJudged)
    if (judged.length === 0) return toast('Only a verdict of pass or fail can be reviewed.')
    const { changes, failed } = await saveAll(judged.map((item) => ({ item, opinion })))
    if (changes.length > 0) {
      done.current.push(changes)
      setUndoable(done.current.length)
    }
    const [first] = failed
    if (!first) return
    const left = failed.flatMap(({ wish }) => wish?.item ?? [])
    const words =
      judged.length === 1
        ? 'Your answer was'
        : `${formatCount(left.length, 'answer')} of ${judged.length} were`
    toast(`${words} not saved. ${messageOf(first.error)}`, {
      label: 'Retry',
      run: () => void answer(left, opinion),
    })
  }

  const undo = async (): Promise<InboxItem | undefined> => {
    const last = done.current.pop()
    setUndoable(done.current.length)
    if (!last) {
      toast('There is no answer to undo.')
      return undefined
    }
    const { failed } = await saveAll(
      last.map(({ before, after }) => ({
        item: { ...before, answer: after.answer },
        opinion: before.answer
          ? { verdict: before.answer.verdict, comment: before.answer.comment }
          : 'withdrawn',
      })),
    )
    const [first] = failed
    if (first) {
      const left = failed.map(({ wish }) => wish?.item.evaluation.id)
      done.current.push(last.filter(({ before }) => left.includes(before.evaluation.id)))
      setUndoable(done.current.length)
      toast(`The answer could not be undone. ${messageOf(first.error)}`, {
        label: 'Retry',
        run: () => void undo(),
      })
    }
    return last[0]?.before
  }

  return { isSaving: (id) => saving.has(id), answer, undo, canUndo: undoable > 0 }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The list with the stored answer in its place. */
function withAnswer(data: InfiniteData<InboxPage>, { id, answer, others }: Saved): InfiniteData<InboxPage> {
  const change = (item: InboxItem) =>
    item.evaluation.id === id ? { ...item, answer, others: others ?? item.others } : item
  return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(change) })) }
}
