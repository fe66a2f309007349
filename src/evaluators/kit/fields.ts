import * as z from 'zod'
import { jsonFaultPlace } from '../../lib/json-fault.ts'
import { parsePythonStructure } from '../../lib/python-literal.ts'

/** A plain text; an empty one is a text too. */
export function text(description: string) {
  return z.string().describe(description)
}

/** JSON text of an array, the way clients serialise lists into one string field. The evaluator gets the array. */
export function jsonArrayText(description: string) {
  return z
    .string()
    .transform((value, context): unknown[] => parseArray(value, context))
    .describe(`${description} JSON text of an array.`)
}

/** A message of a conversation. */
export type Message = { readonly role: string } & Readonly<Record<string, unknown>>

const message = z.looseObject({ role: z.string() })

/** Messages of a conversation, as an array of objects or as its JSON text: both kinds of client exist. */
export function messageList(description: string) {
  return z
    .union([
      z.array(message),
      z
        .string()
        .transform((value, context) => parseArray(value, context))
        .pipe(z.array(message)),
    ])
    .describe(`${description} An array of messages, or its JSON text.`)
}

/** A number from 0 to 1. */
export function unitInterval(description: string) {
  return z.number().min(0).max(1).describe(description)
}

/** An explanation for a person. */
export function reason(description = 'Why, in words.') {
  return z.string().describe(description)
}

/** No fields: an evaluator without settings. */
export const noConfig = z.object({})

function parseArray(value: string, context: z.RefinementCtx): unknown[] {
  const parsed = parseJsonOrPython(value)
  if (parsed && Array.isArray(parsed.value)) return parsed.value
  const message = parsed ? 'must be JSON text of an array' : `is not valid JSON${jsonFaultPlace(value)}`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}

/** The value of a text of JSON, or of what Python writes for lists and dicts: samples of the vendor's SDKs send that. */
function parseJsonOrPython(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    const value = parsePythonStructure(text)
    return value && { value }
  }
}
