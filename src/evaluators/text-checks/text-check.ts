/**
 * A demand on a text that code can verify. `holds` is undefined where this text leaves it open, for example the language
 * of a single word.
 */
export interface TextCheck {
  /** The check, in words. */
  readonly about: string
  readonly holds: (text: string) => boolean | undefined
  /** Where the demand stands in the sentence that it was read from. */
  readonly from: number
  readonly to: number
}

/** Finds the demands of one kind in a sentence. */
export type CheckReader = (sentence: string) => TextCheck[]

/** Makes a reader out of a pattern; `read` gives undefined when the match is no demand after all. */
export function readerOf(
  pattern: RegExp,
  read: (match: RegExpMatchArray) => Pick<TextCheck, 'about' | 'holds'> | undefined,
): CheckReader {
  const global = new RegExp(pattern, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`)
  return (sentence) =>
    [...sentence.matchAll(global)].flatMap((match) => {
      const check = read(match)
      return check ? [{ ...check, from: match.index, to: match.index + match[0].length }] : []
    })
}

/** Whether a demand is turned into its opposite by the words right before it. */
export function isNegated(sentence: string, at: number): boolean {
  return NEGATION.test(sentence.slice(Math.max(0, at - 40), at))
}

const NEGATION =
  /\b(?:not|never|no|without|avoid|don['’]t|doesn['’]t|refrain from)\b(?:(?!\b(?:and|but|then|or)\b)[^.,;:]){0,25}$/i

/** Leaves out what overlaps with something found before it: readers come with the most exact wording first. */
export function withoutOverlaps(checks: readonly TextCheck[]): TextCheck[] {
  const kept: TextCheck[] = []
  for (const check of checks) {
    if (!kept.some(({ from, to }) => check.from < to && from < check.to)) kept.push(check)
  }
  return kept
}
