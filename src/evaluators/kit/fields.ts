import * as z from 'zod'

/** A plain text; an empty one is a text too. */
export function text(description: string) {
  return z.string().describe(description)
}

/** JSON text of an array, the way clients serialise lists into one string field. */
export function jsonArrayText(description: string) {
  return z.string().describe(`${description} JSON text of an array.`)
}

/** Messages of a conversation, as an array of objects or as its JSON text: both kinds of client exist. */
export function messageList(description: string) {
  return z
    .union([z.array(z.looseObject({ role: z.string() })), z.string()])
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
