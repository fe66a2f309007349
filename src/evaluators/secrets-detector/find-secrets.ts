import { type TextPlace, VALUE_CHARS_MAX } from './assigned-value.ts'
import { type SecretHit, scanSecrets } from './detect-secrets.ts'
import { foldedOffsets, foldLookalikes } from './fold-lookalikes.ts'

/** How far a word, a key or an object is followed, in characters. */
const WORD_CHARS_MAX = 8_192
const KEY_CHARS_MAX = 65_536
const OBJECT_CHARS_MAX = 16_384
/** Rules that do not know the place of a secret look no further than this from their keyword, to the end of the line. */
const LINES_CHARS = 400

/**
 * The places of all secrets, for callers that take them out: rather too long than too short. Places are offsets into
 * the text as it came, in order, and do not overlap.
 */
export function findSecrets(written: string): TextPlace[] {
  const text = foldLookalikes(written)
  const offsets = foldedOffsets(written)
  const places: TextPlace[] = []
  scanSecrets(text, (hit) => {
    const { start, end } = extentOf(text, hit)
    places.push({ start: offsets?.[start] ?? start, end: offsets?.[end] ?? end })
    return false
  })
  return withoutOverlaps(places)
}

function extentOf(text: string, { start, end, extent, place }: SecretHit): TextPlace {
  // A value that fills what is read of one may go on, also after a space.
  if (place && place.end - place.start >= VALUE_CHARS_MAX)
    return { start: place.start, end: lineEnd(text, place.end) }
  if (place) return { start: place.start, end: wordEnd(text, place.end) }
  switch (extent) {
    case 'word':
      return { start: wordStart(text, start), end: wordEnd(text, end) }
    case 'next word': {
      const gap = /^[\s"'`:=]*/.exec(text.slice(end, end + 20))?.[0].length ?? 0
      return { start: end + gap, end: wordEnd(text, end + gap) }
    }
    case 'key':
      return { start, end: keyEnd(text, end) }
    case 'object':
      return objectAround(text, start, end)
    case 'document':
      return { start: linesAround(text, start, end).start, end: Math.min(text.length, end + KEY_CHARS_MAX) }
    case 'lines':
      return linesAround(text, start, end)
  }
}

const BREAK = /[\s"'`<>]/

function wordStart(text: string, at: number): number {
  let start = at
  while (start > 0 && at - start < WORD_CHARS_MAX && !BREAK.test(text.charAt(start - 1))) start--
  return start
}

function wordEnd(text: string, at: number): number {
  let end = at
  while (end < text.length && end - at < WORD_CHARS_MAX && !BREAK.test(text.charAt(end))) end++
  return end
}

// A key whose end is missing was cut off: all that follows belongs to it.
function keyEnd(text: string, at: number): number {
  const window = text.slice(at, at + KEY_CHARS_MAX)
  const end = /-----?[ ]?END[^\n]{0,60}?-----?|Private-MAC:[^\n]*/.exec(window)
  return at + (end ? end.index + end[0].length : window.length)
}

function objectAround(text: string, start: number, end: number): TextPlace {
  const opening = text.lastIndexOf('{', start)
  const closing = text.indexOf('}', end)
  const isFar = (at: number, from: number) => at === -1 || Math.abs(at - from) > OBJECT_CHARS_MAX
  return {
    start: isFar(opening, start) ? linesAround(text, start, end).start : opening,
    end: isFar(closing, end) ? Math.min(text.length, end + OBJECT_CHARS_MAX) : closing + 1,
  }
}

function linesAround(text: string, start: number, end: number): TextPlace {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const far = Math.min(text.length, end + LINES_CHARS)
  return { start: Math.max(lineStart, start - LINES_CHARS), end: lineEnd(text, far) }
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return Math.min(end === -1 ? text.length : end, at + KEY_CHARS_MAX)
}

function withoutOverlaps(places: TextPlace[]): TextPlace[] {
  const merged: TextPlace[] = []
  for (const place of places.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1)
    if (last && place.start < last.end)
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, place.end) }
    else merged.push(place)
  }
  return merged
}
