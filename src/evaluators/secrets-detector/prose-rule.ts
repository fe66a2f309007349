import type { TextPlace } from './assigned-value.ts'
import type { SecretName } from './secret-names.ts'
import { isSecretValue } from './secret-values.ts'
import { looksRandom } from './text-shape.ts'

const LOOK_BACK_CHARS = 90
/** No sentence goes further than this from a name to its value. */
export const PROSE_CHARS_MAX = 200

// "the password for the staging box is", "set the token to", "changed my password from x to"; also in a few other languages.
const WORDS = String.raw`(?:[ \t]{1,3}(?!(?:is|was|to|be|are|es|est|ist)[ \t])[\p{L}\p{N}_@.()'’-]{1,30}){0,8}`
const CHANGED = String.raw`(?:is|was|has been|been|got)[ \t](?:changed|reset|set|updated|rotated)(?:[ \t]from[ \t]\S{1,40})?[ \t]to`
const VERB = `(?:${CHANGED}|is now|is still|is|was|will be|should be|must be|to be|to|now|are|as|es|est|ist|lautet|è|é|jest|är)`
const SAID = new RegExp(String.raw`${WORDS}(?:[ \t]{1,3}${VERB}[ \t]{0,2}:?|[ \t]{0,2}[:=])[ \t]{1,3}`, 'iuy')
// "user bob password x", "with the password x", "login bob, password x": the value comes right after the name.
const BEFORE_PAIR =
  /(?:\b(?:user|username|user name|login|account|e-?mail|machine)\b[\s\S]{0,60}|\b(?:with|using|and)(?:[ \t](?:the|my|this|our))?[ \t])$/i
const NEXT_WORD = /[ \t]{1,3}/y
// "enable secret x", "password 7 x", "requirepass x": a line of a configuration that ends with the value.
const LINE_END = /[ \t]{1,3}(?:\d[ \t]{1,3})?([^\s"'`=:]{8,64})[ \t]{0,3}(?:[\r\n]|$)/y
const GIVEN = /(["'`“‘(*]{0,3})([^\s"'`“”‘’<>]{6,128})/y
// "use x as the password", "x is your new token".
const BEFORE =
  /["'`“]?([^\s"'`“”]{6,64})["'`”]?[ \t]{1,3}(?:as|is|for)[ \t]{1,3}(?:(?:the|my|your|our|a|its|their)[ \t]{1,3})?(?:[A-Za-z-]{1,20}[ \t]{1,3}){0,3}$/

/** True for names that sentences give away: a key of any kind, or the length of a password, is none. */
export function canBeSpoken(name: SecretName): boolean {
  return name.strength !== 'key' && !name.isAbout && !name.isVerb
}

/** Where a sentence gives the secret that it names: "the password is ...", "use ... as the password". */
export function findProseSecret(
  text: string,
  start: number,
  end: number,
  name: SecretName,
): TextPlace | undefined {
  SAID.lastIndex = end
  const said = SAID.exec(text)?.[0]
  const afterVerb =
    said === undefined ? undefined : findGiven(text, end + said.length, name, /[a-z]:?\s+$/i.test(said))
  if (afterVerb) return afterVerb
  const before = text.slice(Math.max(0, start - LOOK_BACK_CHARS), start)
  NEXT_WORD.lastIndex = end
  // Some languages need no verb between a name and its value.
  const isPair = /[\u0080-\uffff]/.test(text.slice(start, end)) || BEFORE_PAIR.test(before)
  const next = NEXT_WORD.test(text) && isPair ? findGiven(text, NEXT_WORD.lastIndex, name, false) : undefined
  if (next) return next
  LINE_END.lastIndex = end
  const last = LINE_END.exec(text)
  if (last?.[1] !== undefined && looksRandom(last[1]) && isSpoken(name, last[1], false, false))
    return { start: end, end: end + last[0].trimEnd().length }
  const given = / (?:as|is|for) /.test(before) ? BEFORE.exec(before) : null
  if (given?.[1] === undefined || !isSpoken(name, given[1], false, false)) return undefined
  const at = start - before.length + given.index + given[0].indexOf(given[1])
  return { start: at, end: at + given[1].length }
}

function findGiven(text: string, at: number, name: SecretName, isAfterVerb: boolean): TextPlace | undefined {
  GIVEN.lastIndex = at
  const match = GIVEN.exec(text)
  if (!match) return undefined
  const [, mark = '', given = ''] = match
  // A word with a digit is a value at the end of a sentence, "is hunter2.", and something else within: "is sha1 encoded".
  const end = at + match[0].length
  const after = text[end]
  const isLast = /[.!,;]$/.test(given) || after === undefined || /["'`”\r\n]/.test(after)
  const isSecret = isSpoken(name, given, isAfterVerb && isLast, /["'“‘]/.test(mark))
  return isSecret ? { start: at, end } : undefined
}

/** In a sentence the value has to stand out: letters and digits, or marks that words do not have. */
function isSpoken(name: SecretName, given: string, isLast: boolean, isQuoted: boolean): boolean {
  const value = given
    .replace(/(?:\\[nrt]|&(?:quot|lt|gt|#34|#39|#x27);).*$/, '')
    .replace(/^[([{*]+|[.,:;)*\]]+$/g, '')
  const isLiteral = isQuoted || (isLast && /^[a-z]{4,}\d{1,4}$/i.test(value))
  return isSecretValue(name, value, { isLiteral, isProse: !isLiteral })
}
