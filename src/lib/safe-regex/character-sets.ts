/**
 * Sets of code points. Both engines get their character classes as explicit ranges from here, so that they cannot
 * disagree on what a word character or a letter's other case is.
 */

/** Ranges as `[first, last, first, last, ...]`, sorted, neither overlapping nor touching. */
export type CodePointSet = readonly number[]

const LAST_CODE_POINT = 0x10ffff

/** Every code point there is. */
export const EVERYTHING: CodePointSet = [0, LAST_CODE_POINT]

/** The set of all code points from `first` to `last`. */
export function rangeOf(first: number, last: number = first): CodePointSet {
  return [first, last]
}

/** The set of everything that is in one of the sets. */
export function unionOf(sets: readonly CodePointSet[]): CodePointSet {
  if (sets.length <= 1) return sets[0] ?? []
  const middle = sets.length >> 1
  return mergeOf(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)))
}

function mergeOf(left: CodePointSet, right: CodePointSet): CodePointSet {
  const merged: number[] = []
  let [leftIndex, rightIndex] = [0, 0]
  while (leftIndex < left.length || rightIndex < right.length) {
    const isLeftNext = (left[leftIndex] ?? Infinity) <= (right[rightIndex] ?? Infinity)
    const first = (isLeftNext ? left[leftIndex] : right[rightIndex]) as number
    const last = (isLeftNext ? left[leftIndex + 1] : right[rightIndex + 1]) as number
    if (isLeftNext) leftIndex += 2
    else rightIndex += 2
    const previousLast = merged.at(-1)
    if (previousLast === undefined || first > previousLast + 1) merged.push(first, last)
    else if (last > previousLast) merged[merged.length - 1] = last
  }
  return merged
}

/** The set of everything that is not in the set. */
export function complementOf(set: CodePointSet): CodePointSet {
  const complement: number[] = []
  let next = 0
  for (const [first, last] of pairsOf(set)) {
    if (first > next) complement.push(next, first - 1)
    next = last + 1
  }
  if (next <= LAST_CODE_POINT) complement.push(next, LAST_CODE_POINT)
  return complement
}

/** True when no member is outside of ASCII. */
export function isAsciiSet(set: CodePointSet): boolean {
  return (set.at(-1) ?? 0) < 0x80
}

/** The ranges of a set, one by one. */
export function* pairsOf(set: CodePointSet): Generator<readonly [first: number, last: number]> {
  for (let index = 0; index < set.length; index += 2) {
    yield [set[index] as number, set[index + 1] as number]
  }
}

const scanned = new Map<string, CodePointSet>()

/**
 * The members of a character class as V8 knows them, for example `\p{L}\p{N}_`. With `asciiOnly` the members outside
 * of ASCII are left out, which takes no time; finding all of them takes about 30 ms, so they are kept. There are only
 * as many as V8 knows property names.
 */
export function classMembers(inside: string, asciiOnly: boolean): CodePointSet {
  const key = `${asciiOnly}${inside}`
  let set = scanned.get(key)
  if (!set) {
    set = unionOf(asciiOnly ? [scan(inside, ASCII)] : [scan(inside, lowPlanes()), ...scanRest(inside)])
    scanned.set(key, set)
  }
  return set
}

/** A text whose characters are consecutive, and the code point of the character at an index. */
interface Stretch {
  readonly text: string
  readonly codePointAt: (index: number) => number
}

const ASCII: Stretch = {
  text: String.fromCharCode(...Array(0x80).keys()),
  codePointAt: (index) => index,
}

// Planes 4 to 13 are unassigned, 15 and 16 are for private use; in each only the last two code points are special.
const UNIFORM_PLANES = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16]
const MIXED_PLANES = [1, 2, 3, 14]
const BMP_WITHOUT_SURROGATES = 0xf800
const PLANE = 0x10000

function lowPlanes(): Stretch {
  const units = new Uint16Array(BMP_WITHOUT_SURROGATES + MIXED_PLANES.length * PLANE * 2)
  let length = 0
  for (let unit = 0; unit < PLANE; unit++) if (unit < 0xd800 || unit > 0xdfff) units[length++] = unit
  for (const plane of MIXED_PLANES) {
    for (let offset = 0; offset < PLANE; offset++) {
      units[length++] = 0xd800 + (((plane - 1) * PLANE + offset) >> 10)
      units[length++] = 0xdc00 + (offset & 0x3ff)
    }
  }
  return {
    text: Buffer.from(units.buffer).toString('utf16le'),
    codePointAt(index) {
      if (index < 0xd800) return index
      if (index < BMP_WITHOUT_SURROGATES) return index + 0x800
      const offset = (index - BMP_WITHOUT_SURROGATES) >> 1
      return (MIXED_PLANES[Math.floor(offset / PLANE)] as number) * PLANE + (offset % PLANE)
    },
  }
}

/** Walks from border to border; a single `[...]+` would overflow the engine's stack on runs of a million. */
function scan(inside: string, { text, codePointAt }: Stretch): CodePointSet {
  const member = new RegExp(`[${inside}]`, 'gu')
  const other = new RegExp(`[^${inside}]`, 'gu')
  const set: number[] = []
  for (let found = member.exec(text); found; found = member.exec(text)) {
    other.lastIndex = found.index
    const end = other.exec(text)?.index ?? text.length
    pushWithoutGaps(set, codePointAt(found.index), codePointAt(end - 1))
    member.lastIndex = end
  }
  return set
}

/** Adds a run of the stretch; where the stretch leaves out surrogates or planes, so does the set. */
function pushWithoutGaps(set: number[], first: number, last: number): void {
  let from = first
  for (const [gapFirst, gapLast] of [
    [0xd800, 0xdfff],
    [4 * PLANE, 14 * PLANE - 1],
  ] as const) {
    if (from < gapFirst && last > gapLast) {
      set.push(from, gapFirst - 1)
      from = gapLast + 1
    }
  }
  set.push(from, last)
}

function scanRest(inside: string): CodePointSet[] {
  const member = new RegExp(`[${inside}]`, 'u')
  const rest: CodePointSet[] = [rangeOf(0xd800, 0xdfff)]
  for (const plane of UNIFORM_PLANES) {
    const last = plane * PLANE + PLANE - 1
    rest.push(rangeOf(plane * PLANE, last - 2), rangeOf(last - 1, last))
  }
  return rest.filter((set) => member.test(String.fromCodePoint(set[0] as number)))
}
