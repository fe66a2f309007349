/** A text without the tricks of writing, and the way back to the text as it came. */
export interface CleanText {
  readonly text: string
  /** Where a place of the clean text was in the original; absent when nothing was changed. */
  readonly offsets?: Int32Array
}

// Text that may need cleaning: a character with its marks; text that NFKC composes across more than that (Hangul letters) is left
// as it is. Runs of more than 16 marks are no writing of any language and are cut into pieces.
const CLUSTER = /[\u0080-\u{10ffff}]\p{M}{0,16}|\p{ASCII}\p{M}{1,16}/gu
const NOT_PLAIN = /[\u0080-\uffff]/
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu
const DASH = /[\u2010-\u2015\u2212]/g
const FOREIGN_DIGIT = /[\p{Nd}--[0-9]]/gv
const CHANGED = /[\p{Default_Ignorable_Code_Point}\u2010-\u2015\u2212[\p{Nd}--[0-9]]]/v

/**
 * NFKC (full-width digits, ligatures), digits of all scripts as ASCII, dashes as hyphens, without invisible characters.
 * Someone who hides a number from a filter writes it this way.
 */
export function cleanText(written: string): CleanText {
  if (!NOT_PLAIN.test(written)) return { text: written }
  if (!CHANGED.test(written) && written.normalize('NFKC') === written) return { text: written }
  const pieces: string[] = []
  const offsets: number[] = []
  let copied = 0
  const copyTo = (end: number) => {
    pieces.push(written.slice(copied, end))
    for (; copied < end; copied++) offsets.push(copied)
  }
  for (const { 0: cluster, index } of written.matchAll(CLUSTER)) {
    const clean = cleanCluster(cluster)
    if (clean === cluster) continue
    copyTo(index)
    pieces.push(clean)
    for (let at = 0; at < clean.length; at++) offsets.push(Math.min(index + at, index + cluster.length - 1))
    copied = index + cluster.length
  }
  copyTo(written.length)
  offsets.push(written.length)
  return { text: pieces.join(''), offsets: Int32Array.from(offsets) }
}

function cleanCluster(cluster: string): string {
  return cluster
    .replace(INVISIBLE, '')
    .normalize('NFKC')
    .replace(DASH, '-')
    .replace(FOREIGN_DIGIT, asciiDigit)
}

/** The decimal digits of every script stand in tens, in order, so the value is the distance from the nearest digit zero. */
function asciiDigit(digit: string): string {
  const code = digit.codePointAt(0) ?? 0
  let value = 0
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++
  // Mathematical digits come in five styles one after the other; NFKC has already turned those into ASCII.
  return String(value)
}
