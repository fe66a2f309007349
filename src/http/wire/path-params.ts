import * as z from 'zod'
import { boundedName } from '../../domain/bounded-name.ts'

/** Path of one setup. Any text is taken: one that cannot be an external id simply names no setup. */
export const externalIdParams = z.object({
  external_id: z.string().describe('External id of the setup, percent-encoded.'),
})

/** Path of one evaluator. */
export const evaluatorParams = z.object({
  evaluator: z.string().describe('Slug or id of the evaluator.'),
})

/** Path of one result. */
export const evaluationParams = z.object({
  id: z.string().describe('Id of the result, 16 hex digits.'),
})

/** Path of one monitor. */
export const monitorParams = z.object({
  id: z.string().describe('Id of the monitor, which is the `binding_id` of its entry.'),
})

/** Path of one trace. */
export const traceParams = z.object({
  trace_id: z.string().describe('32 hex digits.'),
})

/** Path of one session. */
export const sessionParams = z.object({
  session_id: z.string().transform(boundedName).describe('As spans carry it, percent-encoded.'),
})
