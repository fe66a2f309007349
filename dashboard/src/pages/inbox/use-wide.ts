import { useSyncExternalStore } from 'react'

/** From this width on the list and the evaluation stand side by side; the styles have the same number. */
const WIDE = '(min-width: 1000px)'

function listen(listener: () => void): () => void {
  const wide = matchMedia(WIDE)
  wide.addEventListener('change', listener)
  return () => wide.removeEventListener('change', listener)
}

/** True when the list and the evaluation fit beside each other. */
export const useWide = (): boolean => useSyncExternalStore(listen, () => matchMedia(WIDE).matches)
