import { useEffect } from 'react'

/** A page that is opened begins at its top, however far down the link to it was. */
export function useFromTop(of: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another one is another page.
  useEffect(() => {
    window.scrollTo(0, 0)
  }, [of])
}
