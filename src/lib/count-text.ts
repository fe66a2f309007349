/** The number of Unicode code points, what Python's `len` counts. A pair of surrogates is one, a lone one too. */
export function countCodePoints(text: string): number {
  // Counted in place: spreading into an array takes 293 ms on 2.5 million emoji.
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) {
      count--
      at++
    }
  }
  return count
}

/** The number of words: stretches without Unicode white space, what Python's `split` gives. */
export function countWords(text: string): number {
  let count = 0
  let isInWord = false
  for (let at = 0; at < text.length; at++) {
    const isSpace = isWhiteSpace(text.charCodeAt(at))
    if (!isSpace && !isInWord) count++
    isInWord = !isSpace
  }
  return count
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}

// The characters that Python's str.isspace accepts: Unicode White_Space, and the four information separators.
function isWhiteSpace(code: number): boolean {
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f)
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}
