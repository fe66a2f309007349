import { withPlainSigns } from '../../domain/harmless-signs.ts'
import { contentWords } from '../local/words.ts'

const GAP = /\[ ?\.{3} ?\]|\.{3,}/

/**
 * Whether a quote stands in a source. Case, white space, the kinds of quotation marks and dashes, and the
 * signs that the fence puts in place of others, do not matter;
 * `...` stands for what was left out, and the parts must come in order. A quote without a word that means something
 * proves nothing, since it stands in every text.
 */
export function quoteIsIn(source: string, quote: string): boolean {
  const parts = normalise(quote)
    .split(GAP)
    .map((part) => stripMarks(part))
    .filter((part) => part !== '')
  if (!parts.some((part) => contentWords(part).length > 0)) return false
  const text = normalise(source)
  let from = 0
  for (const part of parts) {
    const at = findWhole(text, part, from)
    if (at < 0) return false
    from = at + part.length
  }
  return true
}

// A quote begins and ends where a word does: "art" is no quote of "party".
function findWhole(text: string, part: string, from: number): number {
  for (let at = text.indexOf(part, from); at >= 0; at = text.indexOf(part, at + 1)) {
    if (!joins(text[at - 1], part[0]) && !joins(part.at(-1), text[at + part.length])) return at
  }
  return -1
}

function joins(left: string | undefined, right: string | undefined): boolean {
  return (
    left !== undefined && right !== undefined && /[\p{L}\p{N}]/u.test(left) && /[\p{L}\p{N}]/u.test(right)
  )
}

function normalise(text: string): string {
  return withPlainSigns(text)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[‘’‚‛′`]/g, "'")
    .replaceAll(/[“”„‟″«»]/g, '"')
    .replaceAll(/[‐‑‒–—−]/g, '-')
    .replaceAll(/[\s\p{Cf}]+/gu, ' ')
    .trim()
}

// Judges like to put a quote into quotation marks of their own and to end it with a full stop.
function stripMarks(text: string): string {
  return text.replaceAll(/^["'\s]+|["'.,;:\s]+$/g, '')
}
