/**
 * A text as one line of at most `charsMax` characters, for messages that quote a client: white space and control
 * characters become single spaces, and what is too long ends in an ellipsis.
 */
export function oneLine(text: string, charsMax: number): string {
  // Only what can be shown is looked at: the text may be megabytes long.
  const line = text
    .slice(0, charsMax * 4)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const characters = Array.from(line)
  const isWhole = characters.length <= charsMax && text.length <= charsMax * 4
  return isWhole
    ? line
    : `${characters
        .slice(0, charsMax - 1)
        .join('')
        .trimEnd()}…`
}
