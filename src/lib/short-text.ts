/** A text in one line: white space collapsed, cut at a character boundary with an ellipsis where it has more than `charsMax`. */
export function shortText(text: string, charsMax: number): string {
  // Twice as many units as characters, and some for white space that collapses: the rest of a long text is not looked at.
  const line = text
    .slice(0, charsMax * 8)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const characters = [...line.slice(0, charsMax * 2 + 2)]
  if (characters.length <= charsMax && line.length <= charsMax * 2 && text.length <= charsMax * 8) return line
  return `${characters.slice(0, charsMax - 1).join('')}…`
}
