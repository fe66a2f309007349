/**
 * Cuts a text into words, other characters and white space; together the pieces are the text. Punctuation is apart
 * from words, so that a comma more does not change the word before it.
 */
export function forEachPiece(text: string, visit: (content: string, isSpace: boolean) => void): void {
  let start = 0
  while (start < text.length) {
    const unit = text.charCodeAt(start)
    let end = start + 1
    const isSpace = isHtmlSpace(unit)
    if (isSpace) while (isHtmlSpace(text.charCodeAt(end))) end += 1
    else if (isWordUnit(unit)) while (isWordUnit(text.charCodeAt(end))) end += 1
    else if (isHighSurrogate(unit) && end < text.length) end += 1
    visit(text.slice(start, end), isSpace)
    start = end
  }
}

/** White space as HTML has it: a no-break space is a character like any other. */
export function isHtmlSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x09 || unit === 0x0d || unit === 0x0c
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

/**
 * True for what words of scripts with spaces are made of. Scripts written without spaces (Chinese, Japanese, Thai,
 * Khmer and neighbours) and symbols are cut into single characters: else a sentence would be one word, and one
 * character changed would change all of it.
 */
function isWordUnit(unit: number): boolean {
  if (unit < 0x80) {
    const isDigit = unit >= 0x30 && unit <= 0x39
    const lower = unit | 0x20
    return isDigit || (lower >= 0x61 && lower <= 0x7a) || unit === 0x5f
  }
  if (unit < 0x2000) {
    const isUnspaced = (unit >= 0x0e00 && unit < 0x10a0) || (unit >= 0x1780 && unit < 0x1800)
    return unit >= 0xc0 && !isUnspaced
  }
  return unit >= 0xac00 && unit < 0xd7a4
}
