import { ENCODED_LEXICON } from './encoded-lexicon.ts'

/**
 * When a word with innocent meanings counts. Words are given in lower case; `what+the` is two words in a row. All
 * conditions have to hold; a word with several rules counts when one of them does.
 */
export interface WordRule {
  /** None of these within a few words on either side. */
  readonly notNear: ReadonlySet<string>
  /** Not directly behind, or before, one of these. */
  readonly notBefore: ReadonlySet<string>
  readonly notAfter: ReadonlySet<string>
  /** Where there are any: only directly behind one of `onlyBefore`, or before one of `onlyAfter`. */
  readonly onlyBefore: ReadonlySet<string>
  readonly onlyAfter: ReadonlySet<string>
  /** Not as a part of a name: capitalised, beside another capitalised word. */
  readonly isName: boolean
  /** Not as a given name: capitalised, unless the words beside it say otherwise. */
  readonly isGiven: boolean
  /** Only in lower case: in capitals it is an abbreviation, or a name. */
  readonly isLower: boolean
  /** Not between words of another language, where it is an ordinary word. */
  readonly isForeign: boolean
  /** Only as the last word of a sentence: as a noun, that is. */
  readonly isLast: boolean
  /** Not behind a full stop, as the ending of a file; not inside a compound with hyphens. */
  readonly isFileEnding: boolean
  readonly isInCompound: boolean
}

/** Everything the detector knows about words, ready for use. */
export interface Lexicon {
  /** The stems to look for inside of words, and one pattern for all of them in which every letter may be repeated. */
  readonly stems: readonly string[]
  readonly anywhere: RegExp
  /** Words that hold one of those by chance. */
  readonly innocent: ReadonlySet<string>
  /** Words of their own; no rule: always profane. */
  readonly words: ReadonlyMap<string, readonly WordRule[]>
  /** Words that are recognised when they are masked, drawn apart or spelled with digits. */
  readonly disguised: ReadonlySet<string>
}

let lexicon: Lexicon | undefined

/** The lexicon; decoded and put together when first needed. */
export function loadLexicon(): Lexicon {
  lexicon ??= parseLexicon(rot13(ENCODED_LEXICON))
  return lexicon
}

/**
 * Reads lines of `anywhere:`, `innocent:`, `word:` and `disguised:`, each with words behind it. `stem{,s,ed}` is three
 * words. Behind a bar come conditions, separated by semicolons; without any a word always counts.
 */
export function parseLexicon(text: string): Lexicon {
  const stems: string[] = []
  const innocent = new Set<string>()
  const words = new Map<string, WordRule[]>()
  const disguised = new Set<string>()
  for (const line of text.split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [, kind, list = '', conditions = ''] = /^(\w+): ([^|]*)(?:\|(.*))?$/.exec(line) ?? []
    const forms = list.trim().split(/\s+/).flatMap(expandForms)
    if (kind === 'anywhere') stems.push(...forms)
    else if (kind === 'innocent') for (const form of forms) innocent.add(form)
    else if (kind === 'disguised') for (const form of forms) disguised.add(form)
    else if (kind === 'word') {
      const rules = conditions.trim() === '' ? [] : [parseRule(conditions)]
      for (const form of forms) addWord(words, form, rules)
    } else throw new Error(`the lexicon has a line of no kind: ${line}`)
  }
  return { stems, anywhere: stemPattern(stems), innocent, words, disguised }
}

/** A word that always counts needs no second line, and would be taken back by one with a condition. */
function addWord(words: Map<string, WordRule[]>, form: string, rules: readonly WordRule[]): void {
  const known = words.get(form)
  if (known && (known.length === 0 || rules.length === 0)) throw new Error(`the lexicon has ${form} twice`)
  words.set(form, [...(known ?? []), ...rules])
}

/** ROT13 is its own opposite. */
export function rot13(text: string): string {
  return text.replace(/[a-z]/gi, (letter) => {
    const first = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - first + 13) % 26) + first)
  })
}

/** `a{b,c}d{,e}` is abd, abde, acd and acde. */
function expandForms(form: string): string[] {
  const [, before = '', choices, after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(form) ?? []
  if (choices === undefined) return [form]
  return choices.split(',').flatMap((choice) => expandForms(after).map((rest) => before + choice + rest))
}

/** A run of the first letter is tried from its start only: from every letter of it, a long run would take quadratic time. */
function stemPattern(stems: readonly string[]): RegExp {
  const patterns = stems.map((stem) => `(?<!${stem[0]})${stem.replace(/(.)\1*/g, (run) => `${run}+`)}`)
  return new RegExp(patterns.join('|'), 'i')
}

function parseRule(conditions: string): WordRule {
  const given = new Map<string, Set<string>>()
  for (const condition of conditions.split(';')) {
    const [name = '', ...values] = condition.trim().split(/\s+/)
    if (!CONDITIONS.has(name)) throw new Error(`the lexicon has an unknown condition: ${name}`)
    given.set(name, new Set(values.map((value) => value.replaceAll('+', ' '))))
  }
  const list = (name: string) => given.get(name) ?? new Set<string>()
  return {
    notNear: list('not-near'),
    notBefore: list('not-before'),
    notAfter: list('not-after'),
    onlyBefore: list('only-before'),
    onlyAfter: list('only-after'),
    isName: given.has('name'),
    isGiven: given.has('given'),
    isLower: given.has('lower'),
    isForeign: given.has('foreign'),
    isLast: given.has('last'),
    isFileEnding: given.has('no-dot'),
    isInCompound: given.has('no-hyphen'),
  }
}

const CONDITIONS = new Set(
  'not-near not-before not-after only-before only-after name given lower foreign last no-dot no-hyphen'.split(
    ' ',
  ),
)
