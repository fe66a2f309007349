import * as z from 'zod'
import { jsonFaultPlace } from '../../lib/json-fault.ts'

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
  try {
    const parsed: unknown = JSON.parse(value)
    if (Array.isArray(parsed)) return parsed
    context.addIssue({ code: 'custom', message: 'must be JSON text of an array' })
  } catch {
    context.addIssue({ code: 'custom', message: `is not valid JSON${jsonFaultPlace(value)}` })
  }
  return z.NEVER
}
