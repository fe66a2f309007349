import * as z from 'zod'
import { PREVIEW_CHARS_MAX } from '../../domain/preview.ts'

/** The choice of parts of an answer that take more work than the rest. */
export const includeParam = z
  .enum(['preview'])
  .optional()
  .describe('`preview`: every item also says what was asked and answered.')

/** The preview of an item, in every list that can have one. */
export const previewField = {
  preview: z
    .object({
      input: z.string().optional().describe('The last message of the user.'),
      output: z.string().optional().describe('The final answer.'),
    })
    .optional()
    .describe(
      `Present with \`include=preview\`: the question and the answer in one line of at most ${PREVIEW_CHARS_MAX} characters each. ` +
        'A side is absent when it is not known or no longer kept, or when the page has read as many spans as one page may.',
    ),
}
