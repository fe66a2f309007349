import { useEffect, useMemo, useState } from 'react'
import { useShortcuts } from './shortcuts.ts'

interface RowKeysOptions {
  /** The title of the shortcuts in their list. */
  readonly title: string
  /** The keys of the rows, in their order. Keep the list the same between two drawings. */
  readonly keys: readonly string[]
  /** Opens a row. Keep the function the same between two drawings. */
  readonly open: (key: string) => void
}

/** Lets `j` and `k` go through the rows of a list and Enter open one. Gives the key of the current row. */
export function useRowKeys({ title, keys, open }: RowKeysOptions): string | undefined {
  const [chosen, choose] = useState<string>()
  const at = chosen === undefined ? -1 : keys.indexOf(chosen)
  const current = keys[at]
  const group = useMemo(() => {
    const go = (to: number) => choose(keys[Math.max(0, Math.min(keys.length - 1, to))])
    return {
      title,
      shortcuts: [
        { keys: 'j', label: 'Go to the next row', run: () => go(at + 1) },
        { keys: 'k', label: 'Go to the row before', run: () => go(at - 1) },
        { keys: 'enter', label: 'Open the row', run: () => current !== undefined && open(current) },
      ],
    }
  }, [title, keys, at, current, open])
  useShortcuts(group)
  useEffect(() => {
    if (current !== undefined)
      document.querySelector('tr[aria-current="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return current
}
