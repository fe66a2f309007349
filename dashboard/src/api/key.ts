import { useSyncExternalStore } from 'react'

const NAME = 'assay.api-key'
const listeners = new Set<() => void>()

/** The key lives as long as the tab and leaves it only in the header of requests to this server. */
export function readKey(): string | undefined {
  return sessionStorage.getItem(NAME) ?? undefined
}

export function keepKey(key: string): void {
  sessionStorage.setItem(NAME, key)
  for (const listener of listeners) listener()
}

export function forgetKey(): void {
  sessionStorage.removeItem(NAME)
  for (const listener of listeners) listener()
}

/** The key of this tab; the page shows itself anew when it changes. */
export function useKey(): string | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, readKey)
}
