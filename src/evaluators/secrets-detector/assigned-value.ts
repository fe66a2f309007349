import type { SecretName } from './secret-names.ts'

/** Where something begins and ends in the text. */
export interface TextPlace {
  readonly start: number
  readonly end: number
}

/** The name around a keyword. */
export type NameSpan = TextPlace

/** A longer value is judged by its beginning. */
export const VALUE_CHARS_MAX = 256

// Marks that may close a name: quotes (escaped or not), brackets, bold, HTML's quote.
const CLOSING = String.raw`(?:\\{0,3}["'\x60”’]|&quot;|&#34;|\*\*|\[\d{0,4}\]|\]|\)){0,4}`
// `: String =`, `: str =`, `: &str =`: a type between the name and its value.
const TYPED = String.raw`[ \t]{0,4}:[ \t]{0,4}&?[A-Za-z_][\w.<>[\]]{0,30}[ \t]{0,4}\??=[ \t]{0,4}`
const SIGNS = String.raw`(?:=>|:=|={1,3}|!={1,2}|\?\?|\|\||→|:|[是为為は]|(?<=[ \t])(?:\||->)(?=[ \t])|%3D|&#61;|\\u003d)`
const SPACE = String.raw`(?:[ \t]|\\t|&nbsp;){0,20}`
// `"name": "password", "value": "..."` and `<add key="password" value="..."/>`.
const VALUE_OF = String.raw`[\s,]{1,8}(?:\\{0,3}["'])?value(?:\\{0,3}["'])?[ \t]{0,4}[:=][ \t]{0,4}`

const ASSIGNED = new RegExp(
  `${CLOSING}(?:${TYPED}|${SPACE}${SIGNS}{1,2}${SPACE}|${VALUE_OF})(?:\\*\\*${SPACE})?`,
  'y',
)
// `--password value`, `-Password 'value'`.
const FLAG_GAP = /(?:[ \t]|\\t){1,8}/y
// `#define PASSWORD "value"`, `WITH PASSWORD 'value'`, `setPassword("value")`: a gap or a bracket, then a quote.
const QUOTE_GAP = /(?:(?:[ \t]|\\t){1,8}|\([ \t]{0,4})(?=\\{0,3}["'`“])/y
// `define('PASSWORD', 'value')`, `set("password", "value")`: the name and its value are arguments.
const NEXT_ARGUMENT = /["'][ \t]{0,4},[ \t]{0,4}(?=["'])/y
// `setSecret("name", "value")`: the first argument says which one it is.
const NAMED_ARGUMENT = /\([ \t]{0,4}["'][\w./-]{1,60}["'][ \t]{0,4},[ \t]{0,4}(?=["'])/y
// Terraform: `variable "token" { default = "value" }`.
const VARIABLE_DEFAULT = /"[ \t]{0,4}\{[^{}]{0,120}?\bdefault[ \t]{0,8}=[ \t]{0,4}(?=")/y
// A name and a colon, and the value alone on the next line, also in a fence of code.
const NEXT_LINE =
  /[ \t]{0,3}:\*{0,2}[ \t]{0,4}(?:\r?\n){1,2}[ \t]{0,8}(?:```\w{0,12}\r?\n)?(?=`?[^\s`]{6,128}`?[ \t]{0,4}(?:[\r\n]|$))/y
// `<password>`, `<password kind="plain">`, `<property name="password">`: an element with the value as its text.
const XML_GAP = /["']?(?:[ \t][^<>\n]{0,80})?>[ \t]{0,8}(?:<!\[CDATA\[)?/y
const ELEMENT_END = /^[^<>\n]*(?:\]\]>)?<\//

// Calls that only turn a literal into another type, and prefixes of string literals.
const WRAPPERS =
  /(?:\([ \t]{0,4}(?=["'])|\(?(?:new[ \t]{1,4})?(?:bytes\.fromhex|Buffer\.from|bytearray|bytes|String|str|SecretStr|SecureString|Secret|Some|Optional\.of|atob|b64decode|base64\.b64decode|binascii\.unhexlify|unhexlify|hex\.DecodeString|\[\]byte|ConvertTo-SecureString(?:[ \t]{1,4}-String)?)[ \t]{0,4}\(?[ \t]{0,4})?(?:@|[bBrRuUfFL]{1,2}(?=["']))?/y
// A look-up whose last argument is what it is when nothing is found: getenv("X", "value"), os.environ.get('X') or 'value'.
const LOOKUP_DEFAULT =
  /(?:[A-Za-z_$][\w$.]{0,40})(?:\(|\[)[ \t]{0,4}["'][\w.-]{1,64}["'][ \t]{0,4}[)\]]?[ \t]{0,4}(?:,|\|\||\?\?|\bor\b)[ \t]{0,4}(?=["'])/y
const MEMBER_DEFAULT = /[A-Za-z_$][\w$.?]{0,60}[ \t]{1,4}(?:\|\||\?\?|or)[ \t]{1,4}(?=["'`])/y

const QUOTED = /(\\{0,3})("""|'''|["'`“‘«]|&quot;|&#34;)/y
const BARE = /[^\s"'`,;<>|“”]{1,256}/y
// The encoded value after "Basic" has a rule of its own.
const SCHEME = /(?:Bearer|Token|Api-?Key|Api-?Token|SSWS|Key|OAuth)[ \t]{1,4}/iy

const BRACKETS = [
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
] as const

/** Where the value of a name begins; undefined when the name is given none. */
export function findValue(
  text: string,
  { start, end }: NameSpan,
  name: SecretName,
): { at: number; isLiteral: boolean } | undefined {
  const nextLine = name.strength === 'key' ? undefined : matchEnd(NEXT_LINE, text, end)
  if (nextLine !== undefined) return { at: nextLine, isLiteral: false }
  const assigned = matchEnd(ASSIGNED, text, end)
  if (assigned !== undefined) return { at: assigned, isLiteral: false }
  const before = text[start - 1]
  if (before === '-' || isDefined(text, start)) {
    const flag = matchEnd(FLAG_GAP, text, end)
    if (flag !== undefined) return { at: flag, isLiteral: true }
  }
  const variable = before === '"' ? matchEnd(VARIABLE_DEFAULT, text, end) : undefined
  if (variable !== undefined) return { at: variable, isLiteral: true }
  if (!name.hasTail && /\([ \t]{0,4}["']$/.test(text.slice(Math.max(0, start - 6), start))) {
    const argument = matchEnd(NEXT_ARGUMENT, text, end)
    if (argument !== undefined) return { at: argument, isLiteral: true }
  }
  if (before === '<' || before === '"') {
    const element = matchEnd(XML_GAP, text, end)
    if (element !== undefined && ELEMENT_END.test(text.slice(element, element + VALUE_CHARS_MAX)))
      return { at: element, isLiteral: true }
  }
  const named = name.hasTail ? undefined : matchEnd(NAMED_ARGUMENT, text, end)
  if (named !== undefined) return { at: named, isLiteral: true }
  // `password.encode("latin1")` is something done with a password; `setPassword("value")` gives one.
  const quote =
    name.isVerb || (name.hasTail && text[end] === '(') ? undefined : matchEnd(QUOTE_GAP, text, end)
  return quote === undefined ? undefined : { at: quote, isLiteral: true }
}

/** After `#define` and `configure set` a name is followed by its value. */
function isDefined(text: string, start: number): boolean {
  return /(?:[#%]define|\bset)[ \t]{1,8}$/.test(text.slice(Math.max(0, start - 16), start))
}

/** The value that begins at a place: what is between its quotes, or all up to a space or a mark that ends values. */
export function readValue(
  text: string,
  at: number,
  isLiteral: boolean,
): { value: string; isLiteral: boolean; end: number } {
  let start = at
  for (const skipped of [SCHEME, LOOKUP_DEFAULT, MEMBER_DEFAULT, WRAPPERS])
    start = matchEnd(skipped, text, start) ?? start
  QUOTED.lastIndex = start
  const opened = QUOTED.exec(text)
  if (opened) {
    const from = start + opened[0].length
    const value = upToQuote(text, from, opened[2] ?? '', opened[1] !== '')
    return { value, isLiteral: true, end: from + value.length }
  }
  BARE.lastIndex = start
  const bare = BARE.exec(text)?.[0] ?? ''
  return { value: trimBare(text, at, bare), isLiteral, end: start + bare.length }
}

function upToQuote(text: string, from: number, quote: string, escaped: boolean): string {
  const window = text.slice(from, from + VALUE_CHARS_MAX)
  const closing = { '“': '”', '‘': '’', '«': '»' }[quote] ?? quote
  const line = /[\r\n]/.exec(window)?.index ?? window.length
  const end = window.indexOf(escaped ? '\\' : closing)
  const cut = window.slice(0, Math.min(line, end === -1 ? window.length : end))
  return cut.replace(/\\+$/, '').trim()
}

/** Leaves out what belongs to the text around a value: closing brackets, a full stop, the next parameter of an address. */
function trimBare(text: string, at: number, bare: string): string {
  const isParameter = /[?&][\w.-]{1,80}=$/.test(text.slice(Math.max(0, at - 90), at))
  let value = isParameter ? (bare.split('&', 1)[0] ?? '') : bare
  const escaped = value.search(/\\[nrt"']|&(?:quot|lt|gt|#34|#39|#x27);/)
  if (escaped !== -1) value = value.slice(0, escaped)
  value = value.replace(/(?:\*\*|__)$/, '').replace(/[.,:]+$/, '')
  for (const [open, close] of BRACKETS) {
    while (value.endsWith(close) && !value.includes(open)) value = value.slice(0, -1)
  }
  return value
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  return match === null ? undefined : at + match[0].length
}
