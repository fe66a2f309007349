import type { AskedFor } from './asked-for.ts'
import {
  ERROR_CLASS_HEAD,
  ERROR_HEAD,
  ERROR_MARK,
  ERROR_REPORT,
  FAILURE_CLAUSE,
  FAILURE_START,
  FAILURE_STATEMENT,
  HTTP_HEAD,
  NOTHING,
  SUBJECT_FAILED,
  SUCCESS_MARK,
  TELLS_ABOUT_OTHERS,
} from './failure-phrases.ts'
import { readMarkup } from './markup-error.ts'
import { findStackTrace } from './stack-trace.ts'

/** How much of the start and of the end of a text is looked at, in characters. Programs die at the end. */
const END_CHARS_MAX = 8000
/** How much of a line is looked at, in characters. */
const LINE_CHARS_MAX = 400
/** Up to this length and this many lines a text is a statement of the tool and not a document. */
const STATEMENT_CHARS_MAX = 400
const STATEMENT_LINES_MAX = 4
/** How many of the last lines may carry the error of a program that had printed something before. */
const LAST_LINES = 3

/** The sentence in which a text reports an error of the tool that wrote it; undefined when it reports none. */
export function findTextSign(text: string, asked: AskedFor): string | undefined {
  const start = text.slice(0, END_CHARS_MAX).trimStart()
  const markup = readMarkup(start)
  if (markup.isMarkup || markup.sign !== undefined) return markup.sign
  const lines = linesOf(start)
  const first = lines[0]
  if (first === undefined) return undefined
  if (SUCCESS_MARK.test(first)) return undefined
  const isStatement = text.length <= STATEMENT_CHARS_MAX && lines.length <= STATEMENT_LINES_MAX
  // Several lines of a log that was asked for are what was asked for, whatever the first of them says.
  if (asked === 'logs' && lines.length > 1) return undefined
  if (isErrorLine(first) || (isStatement && isFailureStatement(first))) return first
  if (isPrintedError(start)) return first
  if (lines.length === 1 || asked !== 'other' || looksLikeDocument(lines)) return undefined
  const last = linesOf(text.slice(-END_CHARS_MAX))
  const trace = findStackTrace(lines) ?? findStackTrace(last)
  return (
    trace ??
    last.slice(-LAST_LINES).find((line) => isErrorLine(line) || (isStatement && isFailureStatement(line)))
  )
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
    .map((line, at) => (at === 0 ? undecorate(line) : line).slice(0, LINE_CHARS_MAX).trimEnd())
}

const DECORATION =
  /^[^\p{L}\p{N}[({<'"#./]+|^(?:oops|(?:i'm |i am )?sorry|unfortunately|uh-oh)[!,.:]? (?:but )?/iu

/** Takes away what people put before a message; not `#`, which begins a chapter about something. */
function undecorate(line: string): string {
  return line.slice(0, LINE_CHARS_MAX).replace(DECORATION, '').replace(DECORATION, '')
}

/** A line that is the head of an error wherever it stands. */
function isErrorLine(line: string): boolean {
  const head = ERROR_HEAD.exec(line)
  if (head) return isMessage(head[1] ?? '', /^fail/i.test(line))
  return (
    ERROR_CLASS_HEAD.test(line) ||
    ERROR_MARK.test(line) ||
    HTTP_HEAD.test(line) ||
    ERROR_REPORT.test(line) ||
    isProgramError(line)
  )
}

/** Whether something other than "none", a measure or a count stands after the head. */
function isMessage(rest: string, isCountable: boolean): boolean {
  return !NOTHING.test(rest) && !/^-?[\d.]+%?$/.test(rest) && !(isCountable && /^\d/.test(rest))
}

/** `bash: line 1: foo: command not found`, `a.c:3:5: error: ...`: a program or a place, then what went wrong. */
function isProgramError(line: string): boolean {
  const [program = '', ...clauses] = line.split(/ ?: |\) /, 8)
  // Programs are written small; a capital begins a label, such as `Title: ...`, or a cmdlet, which has a dash.
  if (!/^(?:[a-z\d./]|[A-Z][a-z]+-)[\w./+:@(),-]{0,100}$/.test(program)) return false
  return clauses.some((clause, at) => {
    if (/^(?:fatal |syntax |parse )?error\b/i.test(clause)) return !NOTHING.test(clauses[at + 1] ?? 'x')
    return FAILURE_STATEMENT.test(clause) || FAILURE_START.test(clause) || /^[\w ]{1,40} failed$/.test(clause)
  })
}

/** A sentence that says that something failed; only trusted where the tool says little else. */
function isFailureStatement(line: string): boolean {
  if (FAILURE_START.test(line) || FAILURE_STATEMENT.test(line)) return true
  // A quoted text is another author's.
  const plain = line.replace(/(?<!\w)(["'`])[^"'`]{0,200}\1/g, 'Q')
  if (FAILURE_CLAUSE.test(plain)) return true
  const subject = SUBJECT_FAILED.exec(plain)?.[1]
  return subject !== undefined && !TELLS_ABOUT_OTHERS.test(subject)
}

/** Headings, fences, numbered entries and numbered lines are those of documents, results and listings. */
function looksLikeDocument(lines: readonly string[]): boolean {
  return lines.some((line) => /^(?:#{1,6} |```|\s{0,8}\d{1,6}(?:[.)] |\t|→))/.test(line))
}

/**
 * An object that is not JSON: a Python dict that was printed (`{'error': '...'}`, `{'success': False}`) or JSON that was
 * cut off. Only its own keys count, no nested ones.
 */
function isPrintedError(text: string): boolean {
  if (!/^\{\s{0,20}['"]/.test(text)) return false
  const nested = text.slice(1).search(/[{[]/)
  const own = nested < 0 ? text : text.slice(0, nested + 2)
  return PRINTED_ERROR.test(own)
}

const PRINTED_ERROR =
  /['"](?:error|exception|error_message)['"]\s?:\s?(?:'[^']|"[^"]|\{|True|true)|['"](?:success|ok)['"]\s?:\s?[Ff]alse|['"]is_?[eE]rror['"]\s?:\s?[Tt]rue|['"]status['"]\s?:\s?['"](?:error|failed)['"]/
