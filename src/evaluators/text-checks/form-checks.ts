import { listItems } from './count-checks.ts'
import { type CheckReader, isNegated, readerOf } from './text-check.ts'

const EMOJI = /\p{Extended_Pictographic}/u

const MARKS: Readonly<Record<string, RegExp>> = {
  comma: /,/,
  'exclamation mark': /!/,
  'exclamation point': /!/,
  'question mark': /\?/,
  semicolon: /;/,
  colon: /:/,
  digit: /\d/,
  number: /\d/,
  numeral: /\d/,
  emoji: EMOJI,
  hashtag: /#\w/,
  'bullet point': /^\s*[-*•]\s/m,
  parenthesis: /[()]/,
  bracket: /[()[\]{}]/,
  hyphen: /-/,
  'capital letter': /\p{Lu}/u,
  'uppercase letter': /\p{Lu}/u,
}

const forbiddenMarks = readerOf(
  /\b(?:no|without(?: using)?(?: any)?|(?:do not|don['’]t|never|avoid)(?: use| using| include| including| contain)?(?: any)?|refrain from(?: using| the use of)?(?: any)?) (commas?|exclamation (?:marks?|points?)|question marks?|semicolons?|colons?|digits?|numbers?|numerals?|emojis?|hashtags?|bullet points?|parenthes[ei]s|brackets?|hyphens?|capital letters?|uppercase letters?)\b/i,
  ([, name = '']) => {
    const mark = name
      .toLowerCase()
      .replace(/theses$/, 'thesis')
      .replace(/(?<!s)s$/, '')
    const form = MARKS[mark === 'parenthesi' ? 'parenthesis' : mark]
    return form && { about: `no ${name}`, holds: (text) => !form.test(text) }
  },
)

const lowerCase: CheckReader = (sentence) =>
  readerOf(
    /\b(?:(?:in |use |using |written in )?(?:all |only |entirely (?:in )?)?(?:lower[ -]?case|small letters)(?: letters)?(?: only)?)\b/i,
    () => ({ about: 'lower case', holds: (text) => hasLetters(text, /\p{Lu}/u, /\p{Ll}/u) }),
  )(sentence).filter(({ from }) => !isNegated(sentence, from))

const upperCase: CheckReader = (sentence) =>
  readerOf(
    /\b(?:(?:in |use |using |written in )?(?:all |only |entirely (?:in )?)?(?:upper[ -]?case|capital letters|caps)(?: letters)?(?: only)?)\b/i,
    () => ({ about: 'upper case', holds: (text) => hasLetters(text, /\p{Ll}/u, /\p{Lu}/u) }),
  )(sentence).filter(({ from }) => !isNegated(sentence, from))

/** Undefined where there is no letter of either case, as in Chinese. */
function hasLetters(text: string, wrong: RegExp, right: RegExp): boolean | undefined {
  if (wrong.test(text)) return false
  return right.test(text) ? true : undefined
}

const json: CheckReader = (sentence) =>
  readerOf(
    /\b(?:(?:in|as|with|to|into|output|return|give|valid|a|an|well-formed|using) (?:an? )?(?:valid |single |well-formed |flat )?JSON(?: (?:format|object|array|list|text|document|only))?)\b(?! file)/i,
    (match) => ({
      about: 'JSON',
      holds: (text) => isJson(text, /object/i.test(match[0]), /array|list/i.test(match[0])),
    }),
  )(sentence).filter(({ from }) => !isNegated(sentence, from))

/** A block of code around the JSON is how most models send it. */
function isJson(text: string, mustBeObject: boolean, mustBeList: boolean): boolean {
  const inner = /^\s*```(?:json)?\s*\n([\s\S]*?)\n\s*```\s*$/i.exec(text)?.[1] ?? text
  try {
    const value: unknown = JSON.parse(inner)
    if (mustBeList) return Array.isArray(value)
    return mustBeObject ? typeof value === 'object' && value !== null && !Array.isArray(value) : true
  } catch {
    return false
  }
}

const layout: readonly CheckReader[] = [
  readerOf(
    /\b(?:in|as|use|using|with) (?:a )?(?:bullet points|bullets|bulleted list|bullet(?:ed)? points|bullet list)\b/i,
    () => ({
      about: 'bullet points',
      holds: (text) => listItems(text) > 0,
    }),
  ),
  readerOf(/\b(?:in|as|use|using|with) (?:a )?(?:numbered list|ordered list)\b/i, () => ({
    about: 'a numbered list',
    holds: (text) => /^\s*\(?\d{1,3}[.)]\s+\S/m.test(text),
  })),
  readerOf(/\b(?:in|as|use|using|with|create) (?:a )?(?:markdown )?table(?: format)?\b/i, () => ({
    about: 'a table',
    holds: (text) => /^\s*\|.+\|\s*$/m.test(text) || /\t/.test(text) || /<table/i.test(text),
  })),
  readerOf(
    /\b(?:wrap|enclose|put) (?:your |the )?(?:whole |entire )?(?:response|answer|output|reply|text) (?:in|with|inside) (?:double )?quot(?:es|ation marks)\b/i,
    () => ({
      about: 'in quotation marks',
      holds: (text) => /^\s*["“].*["”]\s*$/s.test(text),
    }),
  ),
  readerOf(
    /\b(?:only |just |simply )?(?:with )?(?:a )?(?:only )?["'“]?yes["'”]? or ["'“]?no["'”]?(?: only)?\b/i,
    ([words]) => {
      const mustBeAll = /only|just|simply/i.test(words)
      return {
        about: 'yes or no',
        holds: (text) => (mustBeAll ? /^\W*(?:yes|no)\W*$/i : /^\W*(?:yes|no)\b/i).test(text),
      }
    },
  ),
  readerOf(/\b(?:as |with )?a comma[ -]separated (?:list|values?)|\bseparated by commas\b/i, () => ({
    about: 'separated by commas',
    holds: (text) => text.includes(','),
  })),
]

/** Demands on the form: case, marks that must not occur, JSON, lists, tables, quotation marks, yes or no. */
export const formChecks: CheckReader = (sentence) =>
  [forbiddenMarks, lowerCase, upperCase, json, ...layout].flatMap((reader) => reader(sentence))
