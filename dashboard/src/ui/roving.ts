import { type KeyboardEvent, useState } from 'react'

/** Makes a list of many buttons one stop of the Tab key; the arrow keys, Home and End move within it. */
export function useRoving(): (index: number) => {
  readonly tabIndex: 0 | -1
  readonly onFocus: () => void
  readonly onKeyDown: (event: KeyboardEvent<HTMLButtonElement>) => void
} {
  const [active, setActive] = useState<number>()
  return (index) => ({
    // Before the first visit the first button is the stop; those that cannot be pressed have no index.
    tabIndex: (active ?? 0) === index ? 0 : -1,
    onFocus: () => setActive(index),
    onKeyDown: (event) => {
      const buttons = [...(event.currentTarget.closest('ul')?.querySelectorAll('button') ?? [])]
      const next = indexAfter(event.key, index, buttons.length)
      if (next === undefined) return
      event.preventDefault()
      buttons[next]?.focus()
    },
  })
}

function indexAfter(key: string, index: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowLeft':
    case 'ArrowUp':
      return Math.max(0, index - 1)
    case 'ArrowRight':
    case 'ArrowDown':
      return Math.min(count - 1, index + 1)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return undefined
  }
}
