/** How much of a tool's input is looked at, in characters. */
const INPUT_CHARS_MAX = 4000

/**
 * The kind of output that a tool was asked for, as far as its input tells. `logs`: a record of what went wrong elsewhere
 * is what was wanted; `text`: a text that a person wrote, so that words about errors in it may be its subject;
 * `other`: anything else.
 */
export type AskedFor = 'logs' | 'text' | 'other'

const ASKS_FOR_LOGS = /\.log\b|\blogs?\b|journalctl|traceback|stack ?trace|level:/i
const ASKS_FOR_TEXT =
  /"(?:path|file|file_?path|file_?name|url|uri|q|query|search\w{0,20}|keywords?|pattern|document\w{0,20}|page)"\s?:|\b(?:cat|head|tail|less|sed|awk|grep|rg|git (?:show|diff|blame))\s/i

/** Commands whose exit code 1 means "nothing found" or "they differ". */
const ANSWERS_WITH_EXIT_CODE_1 = /(?:^|[\s"'|;&(])(?:[efzp]?grep|rg|diff|cmp|which|test)\s/

/** Reads off a tool's input what kind of output was wanted. */
export function askedFor(toolInput: string): AskedFor {
  const head = toolInput.slice(0, INPUT_CHARS_MAX)
  if (ASKS_FOR_LOGS.test(head)) return 'logs'
  return ASKS_FOR_TEXT.test(head) ? 'text' : 'other'
}

/** Whether exit code 1 is an answer of the command that the input holds, not a failure. */
export function answersWithExitCodeOne(toolInput: string): boolean {
  return ANSWERS_WITH_EXIT_CODE_1.test(toolInput.slice(0, INPUT_CHARS_MAX))
}
