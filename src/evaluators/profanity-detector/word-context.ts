import type { WordRule } from './lexicon.ts'

/** How many words on either side are looked at, and how far they may reach. */
const WORDS_MAX = 7
const CHARS_MAX = 72

const SENTENCE_END = /^\s*(?:$|[.!?"”…)]|https?:|[@#])/

/** Beside a name these are not found; beside the vulgar word they are. */
const VULGAR_BEFORE = new Set(
  'a my your his her their this that the no of ya big small tiny hard fat suck sucking sucked such you these those what'.split(
    ' ',
  ),
)
const VULGAR_AFTER = new Set('pic pics move size sucking sucker print slap'.split(' '))

const ENGLISH = new Set(
  'the and is you to of my that it your with for this are was have be not on i me so we he she they a in at just like'.split(
    ' ',
  ),
)
const OTHER_LANGUAGES = new Set(
  (
    'het een en niet van ik je dat die wat zijn te voor met ook maar als er aan der das und ist nicht ein eine mit den dem auf ' +
    'ich sie och att det som pa av inte til og ikke jeg du han hun si la cu nu pe care este din el los las que por para es ' +
    'una est le les des et dans pas ut non qui quod esse zo haal moet kan hij zij uit door naar bij over im zu von wie'
  ).split(' '),
)

/** Whether a word of the lexicon counts where it stands, from `start` up to `end` of the text. */
export function countsHere(rules: readonly WordRule[], text: string, start: number, end: number): boolean {
  if (rules.length === 0) return true
  const before = wordsIn(text.slice(Math.max(0, start - CHARS_MAX), start)).slice(-WORDS_MAX)
  const after = wordsIn(text.slice(end, end + CHARS_MAX)).slice(0, WORDS_MAX)
  const place: Place = {
    before: before.map(lower),
    after: after.map(lower),
    word: text.slice(start, end),
    wordBefore: before.at(-1) ?? '',
    wordAfter: after[0] ?? '',
    charBefore: text[start - 1] ?? '',
    charAfter: text[end] ?? '',
    isLast: SENTENCE_END.test(text.slice(end, end + 8)),
  }
  return rules.some((rule) => ruleHolds(rule, place))
}

interface Place {
  /** The words around, nearest last before and nearest first after, in lower case. */
  readonly before: readonly string[]
  readonly after: readonly string[]
  /** As they are written. */
  readonly word: string
  readonly wordBefore: string
  readonly wordAfter: string
  readonly charBefore: string
  readonly charAfter: string
  readonly isLast: boolean
}

function ruleHolds(rule: WordRule, place: Place): boolean {
  const { before, after, word } = place
  const isOnly = rule.onlyBefore.size > 0 || rule.onlyAfter.size > 0
  if (isOnly && !endsWithOne(before, rule.onlyBefore) && !rule.onlyAfter.has(after[0] ?? '')) return false
  if (endsWithOne(before, rule.notBefore) || rule.notAfter.has(after[0] ?? '')) return false
  if (rule.isLower && word !== word.toLowerCase()) return false
  if (rule.isLast && !place.isLast) return false
  if (rule.isFileEnding && place.charBefore === '.') return false
  if (rule.isInCompound && place.charBefore === '-' && place.charAfter === '-') return false
  if (
    rule.isName &&
    isCapitalised(word) &&
    (isCapitalised(place.wordBefore) || isCapitalised(place.wordAfter))
  )
    return false
  if (rule.isGiven && isCapitalised(word) && !isVulgar(place)) return false
  if (before.some((near) => rule.notNear.has(near)) || after.some((near) => rule.notNear.has(near)))
    return false
  return !(rule.isForeign && isOtherLanguage([...before, ...after]))
}

/** One, two or three words in a row may be asked for. */
function endsWithOne(before: readonly string[], wanted: ReadonlySet<string>): boolean {
  if (wanted.size === 0) return false
  return [1, 2, 3].some((count) => wanted.has(before.slice(-count).join(' ')))
}

function isVulgar({ before, after }: Place): boolean {
  return VULGAR_BEFORE.has(before.at(-1) ?? '') || VULGAR_AFTER.has(after[0] ?? '')
}

function isOtherLanguage(words: readonly string[]): boolean {
  const other = words.filter((word) => OTHER_LANGUAGES.has(word)).length
  return other >= 2 && other > words.filter((word) => ENGLISH.has(word)).length
}

function isCapitalised(word: string): boolean {
  return /^[A-Z][a-z]*$/.test(word)
}

function wordsIn(text: string): string[] {
  return text.match(/[A-Za-z]+/g) ?? []
}

function lower(word: string): string {
  return word.toLowerCase()
}
