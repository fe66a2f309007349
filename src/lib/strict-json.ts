import { jsonFaultPlace } from './json-fault.ts'
import { invalidInput, PublicError } from './public-error.ts'

/** Deepest nesting of arrays and objects that a body may have. */
export const JSON_DEPTH_MAX = 64

/**
 * Most arrays and objects that a body may have. Each takes some 60 bytes where two were sent, and memory that runs out
 * inside JSON.parse ends the process, not only the thread that parses.
 */
export const JSON_OBJECTS_MAX = 2_000_000

/**
 * Parses a JSON body and refuses what JSON.parse lets pass although two readers could understand it differently: bytes
 * that are not UTF-8, an object with the same key twice, an unpaired surrogate, and nesting that could exhaust a stack.
 */
export function parseStrictJson(body: Uint8Array): unknown {
  const text = decode(body)
  if (text.length > 2 * JSON_OBJECTS_MAX) refuseTooManyObjects(text)
  const value = parseJson(text)
  checkStructure(text)
  return value
}

/** The object that a body holds; a missing body and any other value are refused. */
export function parseStrictObject(body: Uint8Array): Record<string, unknown> {
  if (body.length === 0) throw invalidInput('body is required')
  const value = parseStrictJson(body)
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    throw invalidInput('body must be an object')
  return value as Record<string, unknown>
}

// A byte order mark is kept, so that it is refused like any other character that JSON does not allow.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(body: Uint8Array): string {
  try {
    return utf8.decode(body)
  } catch {
    throw invalidInput('body is not valid UTF-8')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalidInput(`body is not valid JSON${jsonFaultPlace(text)}`)
  }
}

/** Counts opening brackets outside of strings, before anything is made of them. */
function refuseTooManyObjects(text: string): void {
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) {
      // The text may not be JSON at all yet, so nothing is read in a string but where it ends.
      for (at++; at < text.length && text.charCodeAt(at) !== 0x22; at++)
        if (text.charCodeAt(at) === 0x5c) at++
    } else if ((code === 0x7b || code === 0x5b) && ++count > JSON_OBJECTS_MAX)
      throw new PublicError('too_large', `body has more than ${JSON_OBJECTS_MAX} arrays and objects`)
  }
}

/** One pass over text that is known to be JSON, following just the nesting and the keys. */
function checkStructure(text: string): void {
  // One entry for each open bracket: the keys seen so far in an object, null for an array.
  const open: (Keys | null)[] = []
  let expectsKey = false
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x7b: // {
        open.push(NO_KEYS)
        expectsKey = true
        break
      case 0x5b: // [
        open.push(null)
        expectsKey = false
        break
      case 0x7d: // }
      case 0x5d: // ]
        open.pop()
        expectsKey = false
        break
      case 0x2c: // ,
        expectsKey = open.at(-1) !== null
        break
      case 0x22: {
        const end = endOfString(text, at)
        if (expectsKey) open[open.length - 1] = withKey(open.at(-1) ?? NO_KEYS, text, at, end)
        expectsKey = false
        at = end
        break
      }
    }
    if (open.length > JSON_DEPTH_MAX)
      throw invalidInput(`body is nested deeper than ${JSON_DEPTH_MAX} levels`)
  }
}

// Most objects are small: a set for each of a million `{}` would take seconds. So none, then one key, then a set.
type Keys = typeof NO_KEYS | { readonly only: string } | Set<string>
const NO_KEYS = 'no keys'

function withKey(keys: Keys, text: string, start: number, end: number): Keys {
  const written = text.slice(start + 1, end)
  // Parsed where it is escaped, because "a" and "\u0061" are the same key.
  const key: string = written.includes('\\') ? JSON.parse(`"${written}"`) : written
  if (keys === NO_KEYS) return { only: key }
  const all = keys instanceof Set ? keys : new Set([keys.only])
  if (all.has(key)) throw invalidInput(`body has the key ${JSON.stringify(key)} twice in one object`)
  return all.add(key)
}

/** The index of the closing quote of the string that starts at `start`. */
function endOfString(text: string, start: number): number {
  let escaped = false
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x5c) {
      // Only escapes can bring an unpaired surrogate into text that was valid UTF-8.
      if (text.charCodeAt(at + 1) === 0x75) escaped = true
      at++
    } else if (code === 0x22) {
      if (escaped) refuseUnpairedSurrogate(text.slice(start, at + 1), start)
      return at
    }
  }
  return text.length
}

function refuseUnpairedSurrogate(literal: string, position: number): void {
  const value: string = JSON.parse(literal)
  if (!value.isWellFormed())
    throw invalidInput(`body has an unpaired surrogate in the string at position ${position}`)
}
