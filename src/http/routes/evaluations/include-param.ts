import * as z from 'zod'

/** The parts of a listed evaluation that take more work than the rest. */
export const INCLUDED_PARTS = ['preview', 'reason', 'reviews'] as const
export type IncludedPart = (typeof INCLUDED_PARTS)[number]

/** A list of parts in a query, separated by commas. */
export function includeParam() {
  return z
    .string()
    .transform((text, context): ReadonlySet<IncludedPart> => {
      const parts = text.split(',')
      const isKnown = (part: string): part is IncludedPart =>
        (INCLUDED_PARTS as readonly string[]).includes(part)
      if (parts.every(isKnown)) return new Set(parts)
      context.addIssue({ code: 'custom', message: `must be a list of ${INCLUDED_PARTS.join(', ')}` })
      return z.NEVER
    })
    .describe(
      'Parts that are told besides, separated by commas. `preview`: what was asked and answered. `reason`: why it passed or ' +
        'failed. `reviews`: verdicts of people.',
    )
}
