/**
 * Words with which tools say that they failed. Every pattern is anchored or bounded and runs on one line of limited
 * length (see text-signs.ts), so that none of them can take long.
 */

/** One pattern out of alternatives, so that a long list stays readable. */
function anyOf(alternatives: readonly string[]): string {
  return `(?:${alternatives.join('|')})`
}

const QUALIFIER = anyOf([
  'fatal|syntax|runtime|parse|internal|validation|compile|network|unexpected|unhandled|uncaught|unknown',
  'tool|api|mcp|client|server|system|execution|database|connection|type|protocol|input validation|http',
])

/** `Error: ...`, `PHP Fatal error: ...`, `ERROR 1064 (42000): ...`, `FAILED: ...`; the group is what follows. */
export const ERROR_HEAD = new RegExp(
  `^(?:PHP )?(?:${QUALIFIER} )?(?:error|exception|fatal|panic|failed|failure|fehler|erreur|erro|errore)(?: [A-Z]{0,4}-?\\d{1,6})?(?: ?[([][^)\\]]{0,60}[)\\]])?\\s{0,3}:\\s{0,3}(.*)$`,
  'i',
)

/** `KeyError: ...`, `java.io.IOException`, `(sqlite3.OperationalError) ...`: a class in the spelling of its language. */
export const ERROR_CLASS_HEAD =
  /^\(?(?:[\w$]+(?:\.|::|\\))*(?:[A-Z][\w$]*(?:Error|Exception|Fault|Timeout|Timedout|Denied|NotFound|Exceeded|Unavailable|Refused|Failed)|(?:errors?|exceptions?)\.[A-Z]\w*)(?:$|[:)]|\()/

/** `Error executing tool x`, `An error occurred while ...`, but not `Error handling in Go`. */
export const ERROR_REPORT = new RegExp(
  `^(?:an? )?(?:${QUALIFIER} )?(?:error|exception) (?:has |was )?${anyOf([
    'occurred|encountered|raised|thrown|while|when|during|from server|response from|code:?',
    '(?!handling|reporting|logging|tracking|monitoring|correcting|checking)[a-z]{2,20}ing',
  ])}\\b`,
  'i',
)

/** Marks that only a tool's own report carries. */
export const ERROR_MARK = new RegExp(
  `^${anyOf([
    '\\[(?:error|fatal|exception)\\]|\\[Errno \\d+\\]|npm ERR!|npm error |net::ERR_|E: |error! |error\\[E\\d+\\]',
    'something went wrong\\b|uncaught \\w*(?:error|exception)|E {2,3}\\w+(?:Error|Exception)\\b|unhandled (?:error|exception|promise)|exception in thread ',
    "traceback \\(most recent call last\\)|thread '[^']{0,60}'(?: \\(\\d+\\))? panicked at|make(?:\\[\\d+\\])?: \\*\\*\\* ",
    'near "[^"]{0,60}": syntax error|(?:ORA|PLS|TNS|SQL|DB2)-?\\d{4,5}[: ]|SQLSTATE\\[|Msg \\d+, Level \\d+|Code: \\d+\\. DB::Exception',
    '\\d+ validation errors? for |HTTPS?ConnectionPool\\(|(?:connect|getaddrinfo|read|write|open|spawn|listen|bind) E[A-Z]{4,}\\b',
    '\\(?exit (?:code|status)?:? ?[1-9]\\d{0,2}\\b',
    '(?:command|process|script|execution|tool call|program) (?:failed|exited|terminated|returned) .{0,40}\\b(?:code|status|signal)\\b:? (?!0\\b)',
    '(?:an? )?(?:\\w+ )?error (?:has )?occurred\\b',
  ])}`,
  'i',
)

/** The first line of a command's report that says that all went well; what follows is its output. */
export const SUCCESS_MARK = /^\(?exit (?:code|status)?:? ?0\b/i

const REASON_PHRASE = anyOf([
  'bad request|unauthorized|payment required|forbidden|not found|method not allowed|request time-?out',
  'payload too large|too many requests|unprocessable (?:entity|content)|internal server error|not implemented',
  'bad gateway|service (?:temporarily )?unavailable|gateway time-?out',
])

/** `HTTP/1.1 404 Not Found`, `404 Client Error: ...`, `429 Too Many Requests`. */
export const HTTP_HEAD = new RegExp(
  `^(?:HTTP(?:/\\d(?:\\.\\d)?)?[ :]{1,2}(?:error |status |code |code: ){0,2}[45]\\d\\d\\b(?! (?:is|means|are|was|errors?)\\b)|(?:client |server )?(?:error )?['"]?[45]\\d\\d(?::| -)? ${anyOf([REASON_PHRASE, 'gone', 'conflict', 'client error', 'server error'])})`,
  'i',
)

/** `Request failed with status code 404` and the like, anywhere in a short statement. */
export const FAILURE_CLAUSE = new RegExp(
  `\\b${anyOf([
    '(?:status(?: code)?|HTTP(?: error)?)(?:: | of |=| )[45]\\d\\d\\b(?! (?:is|means)\\b)',
    `(?:returned|responded with|received|got) (?:an? )?(?:HTTP )?(?:status )?[45]\\d\\d(?: ${REASON_PHRASE}|[.:,]|$)`,
    'max retries exceeded|certificate verify failed|socket hang up|deadlock detected',
  ])}`,
  'i',
)

const NOT_MANAGED = anyOf([
  'access|open|read|write|find|connect|load|parse|create|delete|remove|resolve|import|execute|run|process|perform',
  'complete|determine|locate|reach|get|fetch|stat|cd|query|divide|convert|set|call|use|update|modify|book|cancel',
  'change|send|save|assign|start|stop|serialize|decode|encode|retrieve|verify|authenticate|navigate|click|apply|proceed',
])

/** Things that a tool finds missing or wrong; without one of these, `Invalid votes: 12` would be a failure. */
const INPUT_PART = anyOf([
  'api|argument|auth\\w*|bucket|character|city|code|column|command|container|cookie|credential|currency|data|date|device',
  'directory|e-?mail|element|encoding|env\\w*|expression|field|file|format|function|header|host|id|image|index|input',
  'json|key|keyword|language|literal|locale|media|method|model|module|name|number|object|operand|operation|option|or',
  'package|parameter|password|path|permission|phone|port|positional|process|property|protocol|query|range|ref\\w*|regex',
  'request|response|route|schema|scope|selector|service|session|signature|state|statement|syntax|table|time\\w*|token',
  'tool|type|uri|url|user\\w*|value|variable|version',
])

/** The beginning of a sentence in which a tool says what it did not manage. */
export const FAILURE_START = new RegExp(
  `^${anyOf([
    '(?:(?:i|we) )?(?:(?:am|are|was|were) )?unable to |failed to |failure to |(?:i|we) encountered an? ',
    `(?:(?:i|we) )?(?:could not|couldn't|cannot|can't|can not|did not) ${NOT_MANAGED}\\b`,
    `(?:invalid|unrecognized|unsupported|unknown|undefined|no such|missing(?: required| mandatory)?) ${INPUT_PART}(?:e?s)?\\b`,
    'unexpected (?:token|end|argument|keyword|character)|unknown error|the term .{1,80} is not recognized',
    "(?:you )?(?:do not|don't) have (?:the )?(?:permission|access|rights)|not (?:authorized|allowed|permitted) to",
    'access to .{1,80} (?:is |was )?(?:not allowed|denied|forbidden|blocked)|permission denied (?:for|to) |blocked by ',
    'insufficient (?:permissions?|privileges?|funds|balance|scope|quota|credits?)\\b',
    '(?:you )?(?:have )?(?:exceeded|reached) (?:your|the) .{0,30}(?:quota|limit)|max(?:imum)? retries exceeded',
    'no (?:element|node|module|handler|route|tool|function|matching distribution)s? (?:was |were )?found',
    'the \\w+ (?:returned|raised|threw|reported) an? (?:\\w+ )?(?:error|exception)',
    'command failed|execution failed|build failed|no replacement was|net::ERR_',
  ])}`,
  'i',
)

/** A whole clause that names a failure. */
export const FAILURE_STATEMENT = new RegExp(
  `^(?:the )?${anyOf([
    'E(?:NOENT|ACCES|PERM|EXIST|ISDIR|NOTDIR|PIPE|NOSPC|MFILE|CONNREFUSED|CONNRESET|TIMEDOUT|NOTFOUND|AI_AGAIN|HOSTUNREACH|ADDRINUSE)',
    REASON_PHRASE,
    '(?:permission|access) (?:is |was )?denied|connection (?:to .{1,80} )?(?:was )?(?:refused|reset|aborted|timed out)',
    '(?:command|file|path|host|module) not found|no such file or directory|no route to host|operation not permitted',
    '(?:(?:request|operation|connection|read|query) )?(?:timed? ?out|timeout)(?: (?:of )?\\d+ ?m?s)?',
    '(?:api )?(?:rate|usage) limit (?:exceeded|reached)|(?:quota|limit) exceeded|segmentation fault|out of memory',
    `${QUALIFIER} error|(?:error|failed|failure|killed)[.!]?$`,
  ])}(?:$|[.,;!(]|:(?! \\d)| \\(| - | (?:by|after|for|while|waiting|exceeded)\\b)`,
  'i',
)

/** `User not found`, `Tool execution timed out after 60 s`: a short statement about a subject. */
export const SUBJECT_FAILED = new RegExp(
  `^([^:]{1,100}?) (?:(?:was|were|is|are|could|did|do|does|has|have) )?${anyOf([
    "not found|not be [a-z]+ed|not be (?:found|sent|read|run|made|built)|not exist|doesn't exist|not appear|timed out|failed|aborted|overloaded|temporarily unavailable|(?:limit|quota|size) exceeded",
    'not (?:a )?(?:valid|supported|permitted|authorized|recognized|registered)|violates .{0,40}constraint',
  ])}(?:$|[.,;:!(]| (?:after|with|to|because|due|in|on|at|for|by|from|while|when|as|verbatim|tool|function|command|Q)\\b)`,
  'i',
)

/** Subjects of sentences that tell about failures elsewhere, count them or deny them. */
export const TELLS_ABOUT_OTHERS =
  /^\d|^(?:i|you|he|she|they)$|^no (?:errors?|issues?|problems?|failures?|results?|match)|\b(?:says?|said|reports?|reported|mentions?|about|explains?|means?|0|none|successfully|created|added|saved|sent|updated|found|because|if|when|why|how)\b/i

/** Values and texts by which a tool says that there is no error. */
export const NOTHING =
  /^(?:|none|null|nil|no|n\/a|na|undefined|false|0|-|ok|success|no errors?|\[\]|\{\}|''|"")[.!]?$/i

/** Words without which no output needs a second look. */
export const TROUBLE_WORDS = new RegExp(
  anyOf([
    'error|exception|fail|fatal|traceback|panic|denied|refused|time[d_ ]{0,2}out|not found|invalid|unauthori[sz]ed',
    "forbidden|unavailable|unable|cannot|can't|could not|couldn't|rate limit|too many|abort|crash|exceeded",
    'overloaded|insufficient|not exist|violates|permission|wrong|undefined|blocked|missing',
  ]),
  'i',
)
