import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { useQueryState } from '../../ui/time-range.ts'
import type { InboxItem, useInbox } from './inbox-queries.ts'
import { rowId } from './inbox-row.tsx'
import { type Answers, useAnswers } from './use-answers.ts'
import { useWide } from './use-wide.ts'

/** The list, its open and its selected items, and everything that can be done with them. */
export interface Inbox {
  readonly items: readonly InboxItem[]
  readonly reviewer: string
  readonly openId: string | undefined
  /** The open item; undefined while it is not in the list. */
  readonly openItem: InboxItem | undefined
  readonly selected: ReadonlySet<string>
  readonly answers: Answers
  readonly open: (id: string) => void
  readonly close: () => void
  readonly toggle: (id: string) => void
  readonly clear: () => void
  /** To the next item, or the one before. */
  readonly move: (step: 1 | -1) => void
  readonly openPage: () => void
  /** Answers the selected items, or else the open one, and goes on to the next. */
  readonly answer: (agrees: boolean) => void
  /** Answers the open item with a note. */
  readonly answerWithNote: (agrees: boolean, note: string) => void
  readonly undo: () => Promise<void>
}

export function useInboxState(query: ReturnType<typeof useInbox>, reviewer: string): Inbox {
  const [address, change] = useQueryState()
  const [, navigate] = useLocation()
  const isWide = useWide()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const answers = useAnswers(address, reviewer)
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const named = address.get('item') ?? undefined
  const [first] = items
  // Beside a list something is open from the beginning, and stays open when newer ones come in.
  const start = named === undefined && isWide ? first?.evaluation.id : undefined
  useEffect(() => {
    if (start !== undefined) change({ item: start })
  })
  const openId = named ?? start
  const at = items.findIndex(({ evaluation }) => evaluation.id === openId)
  // An item that has left the list keeps its place in it, so that moving goes on from there.
  const lastAt = useRef(0)
  if (at >= 0) lastAt.current = at

  const open = (id: string) => {
    change({ item: id })
    showRow(id)
  }
  const move = (step: 1 | -1) => {
    const next = at >= 0 ? at + step : step === 1 ? lastAt.current : lastAt.current - 1
    const item = items[Math.max(0, Math.min(next, items.length - 1))]
    if (item) open(item.evaluation.id)
    if (next >= items.length - 3 && query.hasNextPage && !query.isFetching) void query.fetchNextPage()
  }
  const answer = (agrees: boolean) => {
    const chosen = items.filter(({ evaluation }) => selected.has(evaluation.id))
    const about = chosen.length > 0 ? chosen : items.filter((_, place) => place === at)
    if (about.length === 0) return
    void answers.answer(about, { agrees })
    if (chosen.length > 0) setSelected(new Set())
    else move(1)
  }
  return {
    items,
    reviewer,
    openId,
    openItem: items[at],
    selected,
    answers,
    open,
    close: () => change({ item: undefined }),
    toggle: (id) =>
      setSelected((now) =>
        now.has(id) ? new Set([...now].filter((one) => one !== id)) : new Set([...now, id]),
      ),
    clear: () => setSelected(new Set()),
    move,
    openPage: () => openId !== undefined && navigate(`/evaluations/${openId}`),
    answer,
    answerWithNote(agrees, comment) {
      const item = items[at]
      if (item) void answers.answer([item], { agrees, comment })
    },
    async undo() {
      const item = await answers.undo()
      if (item) open(item.evaluation.id)
    },
  }
}

/** Brings a row into view and gives it the focus, so that screen readers read it and Enter opens it. */
function showRow(id: string): void {
  // After the list was drawn with it.
  requestAnimationFrame(() => {
    const row = document.getElementById(rowId(id))
    row?.focus({ preventScroll: true })
    row?.closest('li')?.scrollIntoView({ block: 'nearest' })
  })
}
