/** An object of a tool's output. */
export type JsonObject = Readonly<Record<string, unknown>>

/** Keys in one spelling: `error_message`, `errorMessage` and `Error-Message` are the same. */
export type Fields = ReadonlyMap<string, unknown>

/** Keys below which the answer itself is found. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  'result results response output content contents text data body payload value toolresult tooloutput toolresponse functionresponse structuredcontent observation return returnvalue outputtext stdout stderr message msg detail kwargs artifact raw answer parts'.split(
    ' ',
  ),
)

/** Keys that say nothing about a thing of the world, only about the call: an object of these is no record. */
const CALL_KEYS: ReadonlySet<string> = new Set([
  ...WRAPPERS,
  ...'error errors err exception errormessage errormsg errortext errordescription errordetail errordetails errorcode errortype errcode errmsg errno fault faultstring traceback stacktrace stack trace cause iserror haserror haserrors failed failure timedout timeout success ok succeeded issuccess successful status statuscode statustext statusmessage httpstatus httpstatuscode httpcode responsecode code details description reason type jsonrpc requestid traceid correlationid timestamp time path method url toolcallid tooluseid toolname role meta metadata headers version documentationurl hint help suggestion suggestions retryafter instance exitcode returncode exitstatus command cwd args input arguments duration durationms elapsed attempts syscall query param locations extensions warnings'.split(
    ' ',
  ),
])

const IDENTITY_KEYS = ['id', 'uuid', 'name', 'title', 'email', 'username'] as const

/** Most fields of an object, and most characters of the tool's input, that are looked at in the search for facts. */
const FIELDS_MAX = 200
const INPUT_CHARS_MAX = 4000

/** Fewest facts besides its identity that make an object a record. */
const RECORD_FACTS_MIN = 2

/** The fields of an object under their one spelling. */
export function fieldsOf(object: JsonObject): Fields {
  return new Map(
    Object.entries(object).map(([key, value]) => [key.toLowerCase().replace(/[_\s-]/g, ''), value]),
  )
}

/** Facts of an object: what is neither empty nor about the call nor a repetition of the call's own arguments. */
export function countFacts(fields: Fields, toolInput: string): number {
  let facts = 0
  const given = toolInput.slice(0, INPUT_CHARS_MAX)
  for (const [key, value] of fields.entries().take(FIELDS_MAX)) {
    if (CALL_KEYS.has(key) || isEmpty(value)) continue
    const isScalar = typeof value === 'string' || typeof value === 'number'
    if (!isScalar || IDENTITY_KEYS.some((identity) => identity === key) || !given.includes(String(value)))
      facts++
  }
  return facts
}

/** Whether an object describes a thing, such as a customer or a job: then its `error` field is about that thing. */
export function isRecord(fields: Fields, toolInput: string): boolean {
  return IDENTITY_KEYS.some((key) => fields.has(key)) && countFacts(fields, toolInput) - 1 >= RECORD_FACTS_MIN
}

/** Null, false, empty texts, empty lists and empty objects hold nothing. */
export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === '') return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Whether a value is an object and not a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
