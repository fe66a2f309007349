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

const FIELDS = 'input, textarea, select, [contenteditable], [role="textbox"], [role="combobox"]'
/** They act on Enter and Space themselves. */
const PRESSED = 'a, button, summary, [role="button"], [role="tab"], [role="option"], [role="treeitem"]'

/** The little that is asked of an element. */
interface Focused {
  closest?(selector: string): unknown
}

/** The part of a key press that decides what it means. */
export interface KeyPress {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  /** The element that has the focus. */
  readonly target: unknown
}

/** The shortcut for a key press; none while the user types, or has a dialog open. */
export function shortcutFor(press: KeyPress, groups: readonly ShortcutGroup[]): Shortcut | undefined {
  const key = press.key.toLowerCase()
  const isIn = (selector: string) => (press.target as Focused | null)?.closest?.(selector) != null
  if (press.altKey || isIn(FIELDS) || isIn('[role="dialog"]')) return undefined
  if ((key === 'enter' || key === ' ') && isIn(PRESSED)) return undefined
  const keys = press.ctrlKey || press.metaKey ? `mod+${key}` : key
  return groups.flatMap(({ shortcuts }) => shortcuts).findLast((shortcut) => shortcut.keys === keys)
}
