import { useSyncExternalStore } from 'react'

const PLACE = 'assay.reviewer'
const listeners = new Set<() => void>()

/** The longest name that the interface takes. */
export const REVIEWER_CHARS_MAX = 255

function listen(listener: () => void): () => void {
  listeners.add(listener)
  // Another tab of the same browser may change it.
  window.addEventListener('storage', listener)
  return () => {
    listeners.delete(listener)
    window.removeEventListener('storage', listener)
  }
}

export const readReviewer = () => localStorage.getItem(PLACE) ?? ''

/** The name that this browser reviews under; empty until one was typed. */
export const useReviewer = (): string => useSyncExternalStore(listen, readReviewer)

export function keepReviewer(name: string): void {
  localStorage.setItem(PLACE, name.trim())
  for (const listener of listeners) listener()
}
