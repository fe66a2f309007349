import { useEffect, useSyncExternalStore } from 'react'

/** A key that does something on the page that is open. */
export interface Shortcut {
  /** As `KeyboardEvent.key` names it, in lower case; `mod+` before it stands for Ctrl, and for Cmd on a Mac. */
  readonly keys: string
  /** Begins with a verb: "Open the next item". */
  readonly label: string
  readonly run: () => void
}

/** The shortcuts of one part of the dashboard, under the title they are listed with. */
export interface ShortcutGroup {
  readonly title: string
  readonly shortcuts: readonly Shortcut[]
}

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

const FIELDS = 'input, textarea, select, [contenteditable], [role="textbox"], [role="combobox"]'
/** They act on Enter and Space themselves. */
const PRESSED = 'a, button, summary, [role="button"], [role="tab"], [role="option"], [role="treeitem"]'

/** The part of a key press that decides what it means. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly target: EventTarget | null
}

/** The shortcut for a key press; none while the user types, or has a dialog open. */
export function shortcutFor(press: KeyPress, groups: readonly ShortcutGroup[]): Shortcut | undefined {
  const key = press.key.toLowerCase()
  const isIn = (selector: string) => (press.target as Element | null)?.closest?.(selector) != null
  if (press.altKey || isIn(FIELDS) || isIn('[role="dialog"]')) return undefined
  if ((key === 'enter' || key === ' ') && isIn(PRESSED)) return undefined
  const keys = press.ctrlKey || press.metaKey ? `mod+${key}` : key
  return groups.flatMap(({ shortcuts }) => shortcuts).findLast((shortcut) => shortcut.keys === keys)
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
