import { PATTERN_CHARS_MAX } from '../../lib/safe-regex/safe-regex.ts'

/** Any text that is not empty, line breaks included, whatever the flags around it say. */
const ANY_TEXT = '(?s:.+)'

/**
 * The pattern with every `${name}` replaced by something that matches any text that is not empty. A `${name}` whose
 * dollar is escaped, or that stands in a character class or a comment, is no placeholder and stays as it is.
 */
export function fillPlaceholder(pattern: string, name: string): string {
  // It will be refused as too long; looking for placeholders in it could take minutes.
  if (pattern.length > PATTERN_CHARS_MAX) return pattern
  const hole = `\${${name}}`
  let filled = ''
  let index = 0
  while (index < pattern.length) {
    const isHole = pattern.startsWith(hole, index)
    const end = isHole ? index + hole.length : endOfToken(pattern, index)
    filled += isHole ? ANY_TEXT : pattern.slice(index, end)
    index = end
  }
  return filled
}

/** Where the escape, character class, comment or single character that begins at `start` ends. */
function endOfToken(pattern: string, start: number): number {
  if (pattern.startsWith('\\', start)) return start + 2
  if (pattern.startsWith('[', start)) return endOfClass(pattern, start)
  if (pattern.startsWith('(?#', start)) return endOfComment(pattern, start)
  return start + 1
}

function endOfClass(pattern: string, start: number): number {
  let index = start + 1
  if (pattern.charAt(index) === '^') index += 1
  // A closing bracket right at the start is a member of the class.
  if (pattern.charAt(index) === ']') index += 1
  while (index < pattern.length && pattern.charAt(index) !== ']')
    index += pattern.charAt(index) === '\\' ? 2 : 1
  return index + 1
}

function endOfComment(pattern: string, start: number): number {
  const end = pattern.indexOf(')', start)
  return end === -1 ? pattern.length : end + 1
}
