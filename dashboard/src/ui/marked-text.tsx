import type { ReactNode } from 'react'

interface MarkedTextProps {
  readonly text: string
  /** Places in the text, in code points and in order; the end is not included. */
  readonly matches: readonly { readonly start: number; readonly end: number }[]
}

/** A text with the places that were found in it marked. */
export function MarkedText({ text, matches }: MarkedTextProps) {
  const characters = Array.from(text)
  const parts: ReactNode[] = []
  let at = 0
  for (const { start, end } of matches) {
    if (start < at) continue
    parts.push(characters.slice(at, start).join(''))
    parts.push(<mark key={start}>{characters.slice(start, end).join('')}</mark>)
    at = end
  }
  parts.push(characters.slice(at).join(''))
  return <>{parts}</>
}
