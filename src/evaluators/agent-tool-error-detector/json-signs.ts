import type { AskedFor } from './asked-for.ts'
import { fieldsOf, isObject, isRecord, type JsonObject, WRAPPERS } from './envelope.ts'
import { deniesErrors, findErrorField, findFieldSign, vouches } from './field-signs.ts'
import { findTextSign } from './text-signs.ts'

/** Deepest wrapper below a wrapper that is opened. */
const WRAPPER_DEPTH_MAX = 20
/** Most values that are opened; only wrappers are, so that an ordinary output has a handful. */
const OPENED_MAX = 1000
/** Most JSON texts inside the output that are parsed. */
const INNER_TEXTS_MAX = 50

interface Open {
  readonly value: unknown
  readonly depth: number
  /** Something above says that the call went well, so that texts here are results. */
  readonly isVouchedFor: boolean
}

interface Call {
  readonly toolInput: string
  readonly asked: AskedFor
}

/** The reading of a JSON output: the error that it reports, or whether it says that there is none. */
export interface JsonReading {
  readonly sign?: string
  readonly isClear: boolean
}

/**
 * Opens the parts of an output that speak about the call: the output itself, what lies below wrappers such as `result`
 * or `content`, messages and content parts. Lists of records and the records in them are data and stay closed. Works
 * with a list of its own instead of recursion, so that nesting cannot overflow.
 */
export function readJson(root: unknown, call: Call): JsonReading {
  const open: Open[] = [{ value: root, depth: 0, isVouchedFor: false }]
  let isClear = false
  let innerTextsLeft = INNER_TEXTS_MAX
  for (let at = 0; at < open.length && at < OPENED_MAX; at++) {
    const next = open[at] as Open
    const below = { depth: next.depth + 1, isVouchedFor: next.isVouchedFor }
    if (typeof next.value === 'string') {
      const inner = innerTextsLeft > 0 ? parseInner(next.value) : undefined
      if (inner !== undefined) {
        innerTextsLeft--
        open.push({ value: inner, ...below })
      } else if (!next.isVouchedFor) {
        const sign = findTextSign(next.value, call.asked)
        if (sign !== undefined) return { sign, isClear: false }
      }
    } else if (Array.isArray(next.value)) {
      const sign = findSharedError(next.value)
      if (sign !== undefined) return { sign, isClear: false }
      if (next.depth < WRAPPER_DEPTH_MAX)
        for (const value of entriesToOpen(next.value)) open.push({ value, ...below })
    } else if (isObject(next.value)) {
      const reading = readObject(next.value, call)
      if (reading.sign !== undefined) return reading
      isClear ||= reading.isClear
      if (next.depth >= WRAPPER_DEPTH_MAX) continue
      const isVouchedFor = next.isVouchedFor || reading.isClear
      for (const value of reading.inside) open.push({ value, depth: next.depth + 1, isVouchedFor })
    }
  }
  return { isClear }
}

function readObject(object: JsonObject, { toolInput }: Call): JsonReading & { readonly inside: unknown[] } {
  const fields = fieldsOf(object)
  const saysIsError = fields.get('iserror') === true
  if (!saysIsError && isRecord(fields, toolInput)) return { isClear: false, inside: [] }
  const sign = findFieldSign(fields, toolInput)
  if (sign !== undefined) return { sign, isClear: false, inside: [] }
  const inside = [...fields]
    .filter(([key, value]) => WRAPPERS.has(key) && canOpen(value))
    .map(([, value]) => value)
  // An object with one key is a wrapper, whatever its name.
  const [only] = fields.size === 1 ? fields.values() : []
  if (inside.length === 0 && isObject(only)) inside.push(only)
  return { isClear: vouches(fields) || deniesErrors(fields), inside }
}

function canOpen(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'object' && value !== null)
}

/** A list of one is opened; of a longer list, the messages, content parts and results of calls: the rest are records. */
function entriesToOpen(list: readonly unknown[]): readonly unknown[] {
  if (list.length === 1) return list
  return list
    .filter((entry) => isObject(entry) && (isMessageOrPart(entry) || isCallResult(entry)))
    .slice(0, OPENED_MAX)
}

/** A result as it is taken from a span: the tool, the call that it answers, and nothing else. */
function isCallResult(entry: JsonObject): boolean {
  const { name, id, result, ...others } = entry
  const isNamed = typeof name === 'string' && (id === undefined || typeof id === 'string')
  return isNamed && result !== undefined && Object.keys(others).length === 0
}

function isMessageOrPart(entry: JsonObject): boolean {
  const { type, role } = entry
  const isPart = type === 'text' || type === 'tool_result' || type === 'tool_call_response' || type === 'tool'
  return isPart || role === 'tool' || role === 'function' || 'tool_call_id' in entry || 'tool_use_id' in entry
}

/** The first error of a list in which every entry is nothing but an error. */
function findSharedError(list: readonly unknown[]): string | undefined {
  if (list.length === 0 || list.length > OPENED_MAX) return undefined
  const signs = list.map((entry) => {
    if (!isObject(entry) || Object.keys(entry).length > 3) return undefined
    return findErrorField(fieldsOf(entry))
  })
  return signs.every((sign) => sign !== undefined) ? signs[0] : undefined
}

function parseInner(text: string): unknown {
  const start = text.trimStart().charAt(0)
  if (start !== '{' && start !== '[') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
