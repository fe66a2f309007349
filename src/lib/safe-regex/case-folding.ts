import { type CodePointSet, classMembers, isAsciiSet, pairsOf, rangeOf, unionOf } from './character-sets.ts'

/**
 * The set and every other case of its members, as Python's `re.IGNORECASE` sees it: two characters are the same when
 * their lower cases have the same upper case. So `i` is also the Turkish dotted and dotless ones, and `s` the long s.
 * With `asciiOnly` only A to Z have two cases.
 */
export function withBothCases(set: CodePointSet, asciiOnly: boolean): CodePointSet {
  const groups = asciiOnly ? asciiGroups() : allGroups()
  const added = new Set<CodePointSet>()
  for (const [first, last] of pairsOf(set)) {
    // Groups that lie in the range are there already, which leaves few for a wide range.
    const add = (group: CodePointSet | undefined) => {
      if (group && ((group[0] as number) < first || (group.at(-1) as number) > last)) added.add(group)
    }
    if (last - first < groups.size) {
      for (let codePoint = first; codePoint <= last; codePoint++) add(groups.get(codePoint))
    } else {
      for (const [codePoint, group] of groups) if (codePoint >= first && codePoint <= last) add(group)
    }
  }
  return added.size === 0 ? set : unionOf([set, ...added])
}

/** As withBothCases, for a text of which is known that it is all ASCII: skips the large table where it cannot matter. */
export function withBothAsciiCases(set: CodePointSet): CodePointSet {
  return withBothCases(set, isAsciiSet(set))
}

type Groups = ReadonlyMap<number, CodePointSet>

let asciiGroupsOnce: Groups | undefined
let allGroupsOnce: Groups | undefined

function asciiGroups(): Groups {
  asciiGroupsOnce ??= groupByCase(rangeOf(0, 0x7f))
  return asciiGroupsOnce
}

function allGroups(): Groups {
  allGroupsOnce ??= groupByCase(classMembers('\\p{Changes_When_Casemapped}', false))
  return allGroupsOnce
}

function groupByCase(cased: CodePointSet): Groups {
  const byKey = new Map<string, number[]>()
  for (const [first, last] of pairsOf(cased)) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      const key = caseKey(codePoint)
      const members = byKey.get(key)
      if (members) members.push(codePoint)
      else byKey.set(key, [codePoint])
    }
  }
  const groups = new Map<number, CodePointSet>()
  for (const members of byKey.values()) {
    if (members.length < 2) continue
    const set = unionOf(members.map((member) => rangeOf(member)))
    for (const member of members) groups.set(member, set)
  }
  return groups
}

/** Python lower-cases one code point to one code point: of a longer lower case it takes the first. */
function caseKey(codePoint: number): string {
  const lower = String.fromCodePoint(codePoint).toLowerCase().codePointAt(0) as number
  return String.fromCodePoint(lower).toUpperCase()
}
