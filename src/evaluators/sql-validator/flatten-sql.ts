/**
 * PostgreSQL's lexer takes a run of operator characters as a whole before it finds the comment or the sign that the run begins
 * with, and reads the rest again for the next one: `/*` or `+` repeated 100,000 times takes minutes. This module rewrites such
 * runs into an equivalent text that the lexer reads once.
 */

/** Runs of operator characters up to this length are left alone: PostgreSQL knows no longer operator. */
const RUN_CHARS_MAX = 64

const OPERATOR = /[~!@#^&|`?+\-*/%<>=]/
/** With one of these an operator may end in a sign; without, the signs at its end are operators of their own. */
const SPECIAL = /[~!@#^&|`?%]/
const WORD = /[A-Za-z0-9_$\u0080-\uffff]+/y
const DOLLAR_QUOTE = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y
const PLAIN = /[^~!@#^&|`?+\-*/%<>='"$A-Za-z0-9_\u0080-\uffff]+/y

/**
 * The same statements with the text inside block comments left out and long runs of signs spaced; undefined when a comment,
 * a string or a quoted name has no end, which makes the text invalid. Takes time in proportion to the text.
 */
export function flattenSql(sql: string): string | undefined {
  const parts: string[] = []
  let at = 0
  while (at < sql.length) {
    const end = tokenEnd(sql, at)
    if (end === undefined) return undefined
    parts.push(flatToken(sql, at, end))
    at = end
  }
  return parts.join('')
}

function flatToken(sql: string, start: number, end: number): string {
  // An empty comment and not a space: only white space joins two strings, and a comment between them must not.
  // The spaces keep it out of a run of operator characters before or behind it.
  if (sql.startsWith('/*', start)) return ' /**/ '
  const token = sql.slice(start, end)
  if (token.length <= RUN_CHARS_MAX || token.startsWith('--') || !OPERATOR.test(sql.charAt(start)))
    return token
  if (SPECIAL.test(token)) return token
  const signsAt = signsStart(token)
  return `${token.slice(0, signsAt)} ${[...token.slice(signsAt)].join(' ')}`
}

/** Where the signs begin that an operator ends in. */
function signsStart(token: string): number {
  let at = token.length
  while (at > 0 && '+-'.includes(token.charAt(at - 1))) at--
  return at
}

/** Where the token ends that begins at `at`; undefined when it never does. */
function tokenEnd(sql: string, at: number): number | undefined {
  const first = sql.charAt(at)
  if (sql.startsWith('/*', at)) return commentEnd(sql, at)
  if (sql.startsWith('--', at)) return lineEnd(sql, at)
  if (first === "'") return after(sql, "'", at + 1)
  if (first === '"') return after(sql, '"', at + 1)
  if (first === '$') return dollarEnd(sql, at)
  if (OPERATOR.test(first)) return operatorEnd(sql, at)
  const word = matchEnd(WORD, sql, at)
  if (word === undefined) return matchEnd(PLAIN, sql, at) ?? at + 1
  // In E'...' a backslash escapes the quote behind it.
  return /^e$/i.test(sql.slice(at, word)) && sql.charAt(word) === "'" ? escapedEnd(sql, word + 1) : word
}

function commentEnd(sql: string, start: number): number | undefined {
  const edge = /\/\*|\*\//g
  edge.lastIndex = start
  let depth = 0
  for (let found = edge.exec(sql); found; found = edge.exec(sql)) {
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return edge.lastIndex
  }
  return undefined
}

function operatorEnd(sql: string, start: number): number {
  let at = start
  while (OPERATOR.test(sql.charAt(at)) && !sql.startsWith('/*', at) && !sql.startsWith('--', at)) at++
  return at
}

/** A doubled quote inside is two quoted texts in a row, which begin and end at the same places. */
function after(sql: string, mark: string, from: number): number | undefined {
  const at = sql.indexOf(mark, from)
  return at === -1 ? undefined : at + mark.length
}

function escapedEnd(sql: string, from: number): number | undefined {
  for (let at = from; at < sql.length; at++) {
    const char = sql.charAt(at)
    if (char === '\\') at++
    else if (char === "'") {
      if (sql.charAt(at + 1) !== "'") return at + 1
      at++
    }
  }
  return undefined
}

function dollarEnd(sql: string, at: number): number | undefined {
  const opened = matchEnd(DOLLAR_QUOTE, sql, at)
  return opened === undefined ? at + 1 : after(sql, sql.slice(at, opened), opened)
}

function lineEnd(sql: string, at: number): number {
  const end = /[\n\r]/g
  end.lastIndex = at
  return end.exec(sql)?.index ?? sql.length
}

function matchEnd(pattern: RegExp, sql: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(sql) ? pattern.lastIndex : undefined
}
