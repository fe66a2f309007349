import { useEffect, useSyncExternalStore } from 'react'
import { type ShortcutGroup, shortcutFor } from './shortcut-for.ts'

// The one table: everything that acts on a key is in it, so the list that `?` shows cannot miss any.
let table: readonly ShortcutGroup[] = []
const listeners = new Set<() => void>()

function change(next: readonly ShortcutGroup[]): void {
  table = next
  for (const listener of listeners) listener()
}

/**
 * Adds the shortcuts of a page while it is shown. Keep the group the same between two drawings (`useMemo`, or outside of the
 * component). Where two have the same key, the newest one acts.
 */
export function useShortcuts(group: ShortcutGroup): void {
  useEffect(() => {
    change([...table, group])
    return () => change(table.filter((one) => one !== group))
  }, [group])
}

/** All groups that are in force now, for the list of shortcuts. */
export function useShortcutTable(): readonly ShortcutGroup[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => table,
  )
}

/** Lets the table act on the keyboard. Gives what ends that. */
export function listenForShortcuts(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return
    const found = shortcutFor(event, table)
    if (!found) return
    event.preventDefault()
    found.run()
  }
  document.addEventListener('keydown', onKey)
  return () => document.removeEventListener('keydown', onKey)
}

const isMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent)

/** The keys as they stand on the keyboard: "Ctrl K", "?", "Enter". */
export function keyNames(keys: string): string[] {
  return keys.split('+').map((key) => {
    if (key === 'mod') return isMac() ? '⌘' : 'Ctrl'
    return key.length === 1 ? key.toUpperCase() : key.charAt(0).toUpperCase() + key.slice(1)
  })
}
