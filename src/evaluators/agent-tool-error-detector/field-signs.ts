import { answersWithExitCodeOne } from './asked-for.ts'
import { countFacts, type Fields, fieldsOf, isEmpty, isObject } from './envelope.ts'
import { NOTHING } from './failure-phrases.ts'

const TRUE_FLAGS = ['iserror', 'haserror', 'haserrors', 'failed', 'failure', 'timedout', 'timeout']
const FALSE_FLAGS = ['success', 'ok', 'succeeded', 'issuccess', 'successful']
const ERROR_FIELDS =
  'error errors err exception errormessage errormsg errortext errordescription errordetail errordetails errmsg fault faultstring traceback stacktrace'.split(
    ' ',
  )
const ERROR_CODES = ['errorcode', 'errcode', 'errno']
const HTTP_FIELDS = ['status', 'statuscode', 'httpstatus', 'httpstatuscode', 'httpcode', 'responsecode']
const EXIT_FIELDS = ['exitcode', 'returncode', 'retcode', 'exitstatus']
const MESSAGE_FIELDS =
  'message msg errormessage detail description reason title text content stderr error'.split(' ')
const STATUS_FIELDS = ['status', 'result', 'outcome', 'type']
const FAILED_STATUS = /^(?:error|errored|failed|failure|fail|exception|timeout|timed[_ -]?out)$/i

/** The error that an object's fields report; undefined when they report none. */
export function findFieldSign(fields: Fields, toolInput: string): string | undefined {
  return (
    findFlag(fields) ??
    findErrorField(fields) ??
    findFailedStatus(fields) ??
    findCode(fields, toolInput) ??
    findExitCode(fields, toolInput) ??
    findLoneDetail(fields)
  )
}

/** Whether an object vouches for the call: then its texts are results, whatever they say. */
export function vouches(fields: Fields): boolean {
  const isTrue = (key: string) => fields.get(key) === true || fields.get(key) === 'true'
  return FALSE_FLAGS.some(isTrue) || EXIT_FIELDS.some((key) => fields.get(key) === 0)
}

/** Whether an object has a place for errors and nothing in it. */
export function deniesErrors(fields: Fields): boolean {
  const isBlank = (value: unknown) =>
    isEmpty(value) || value === 0 || (typeof value === 'string' && NOTHING.test(value))
  return [...ERROR_FIELDS, ...ERROR_CODES].some((key) => fields.has(key) && isBlank(fields.get(key)))
}

function findFlag(fields: Fields): string | undefined {
  const raised = TRUE_FLAGS.find((key) => fields.get(key) === true || fields.get(key) === 'true')
  if (raised)
    return (
      messageOf(fields) ??
      (raised === 'timedout' || raised === 'timeout' ? 'timed out' : 'flagged as an error')
    )
  const denied = FALSE_FLAGS.find((key) => fields.get(key) === false || fields.get(key) === 'false')
  return denied && (messageOf(fields) ?? `${denied} is false`)
}

/** A non-empty error field. A number may be a count or a measure: it needs a message beside it. */
export function findErrorField(fields: Fields): string | undefined {
  if (vouches(fields)) return undefined
  for (const key of ERROR_FIELDS) {
    const value = fields.get(key)
    if (isEmpty(value) || (typeof value === 'string' && NOTHING.test(value.trim()))) continue
    if (Array.isArray(value) && (areFindings(value) || fields.has('warnings'))) continue
    if (isObject(value) && Object.values(value).every((item) => typeof item === 'number')) continue
    if (typeof value === 'number' && (value === 0 || !Number.isInteger(value) || key === 'errors')) continue
    const text = describe(value) ?? messageOf(fields)
    if (typeof value !== 'number' || text !== undefined) return text ?? 'an error without a message'
  }
  return undefined
}

/** Errors with a line, a rule or a severity of their own are what a checker found, not what happened to it. */
function areFindings(errors: readonly unknown[]): boolean {
  return errors.every(
    (item) =>
      isObject(item) &&
      ['line', 'row', 'rule', 'ruleId', 'severity', 'lineNumber'].some((key) => key in item),
  )
}

function findFailedStatus(fields: Fields): string | undefined {
  const key = STATUS_FIELDS.find((name) => {
    const value = fields.get(name)
    return typeof value === 'string' && FAILED_STATUS.test(value)
  })
  if (key) return messageOf(fields) ?? `${key} ${fields.get(key)}`
  const http = HTTP_FIELDS.map((name) => httpFailure(fields.get(name))).find((status) => status !== undefined)
  return http === undefined ? undefined : withMessage(`status ${http}`, fields)
}

function httpFailure(value: unknown): number | undefined {
  const status =
    typeof value === 'string' && /^[45]\d\d(?: |$)/.test(value) ? Number(value.slice(0, 3)) : value
  return typeof status === 'number' && status >= 400 && status <= 599 ? status : undefined
}

/** `code` is a name for many things: it needs a message beside it and no facts. gRPC has 1 to 16, JSON-RPC -32xxx. */
function findCode(fields: Fields, toolInput: string): string | undefined {
  const message = messageOf(fields)
  const own = ERROR_CODES.find((key) => !isEmpty(fields.get(key)) && fields.get(key) !== 0)
  if (own && (message || fields.has('code'))) return withMessage(`error code ${fields.get(own)}`, fields)
  const code = fields.get('code')
  if (!message || countFacts(fields, toolInput) > 0) return undefined
  const isGrpc = typeof code === 'number' && code >= 1 && code <= 16 && fields.has('details')
  const isJsonRpc = typeof code === 'number' && code <= -32000
  const isSystem = typeof code === 'string' && /^E[A-Z]{3,}/.test(code)
  const isHttp = httpFailure(code) !== undefined
  return isGrpc || isJsonRpc || isSystem || isHttp ? `code ${code}: ${message}` : undefined
}

function findExitCode(fields: Fields, toolInput: string): string | undefined {
  const code = EXIT_FIELDS.map((key) => fields.get(key))
    .map((value) => (typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : value))
    .find((value) => typeof value === 'number' && value !== 0)
  if (code === undefined) return undefined
  if (code === 1 && isEmpty(fields.get('stderr')) && answersWithExitCodeOne(toolInput)) return undefined
  return withMessage(`exit code ${code}`, fields)
}

/** FastAPI and Django REST answer errors, and only errors, with `detail` alone. */
function findLoneDetail(fields: Fields): string | undefined {
  const detail = fields.size === 1 ? fields.get('detail') : undefined
  if (typeof detail === 'string' && detail !== '') return detail
  return Array.isArray(detail) && isObject(detail[0]) && 'msg' in detail[0] ? describe(detail) : undefined
}

function withMessage(sign: string, fields: Fields): string {
  const message = messageOf(fields)
  return message ? `${sign}: ${message}` : sign
}

function messageOf(fields: Fields): string | undefined {
  for (const key of MESSAGE_FIELDS) {
    const text = describe(fields.get(key))
    if (text) return text
  }
  return undefined
}

/** The text of an error value, looking at most two levels into it. */
function describe(value: unknown, levels = 2): string | undefined {
  if (typeof value === 'string') return value.trim() || undefined
  if (levels === 0 || typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) return describe(value[0], levels - 1)
  const fields = fieldsOf(value as Readonly<Record<string, unknown>>)
  const candidates = [...MESSAGE_FIELDS, 'type', 'code', 'name'].map((key) =>
    describe(fields.get(key), levels - 1),
  )
  return candidates.find((text) => text !== undefined) ?? describe([...fields.values()][0], levels - 1)
}
