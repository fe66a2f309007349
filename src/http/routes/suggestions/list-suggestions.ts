import * as z from 'zod'
import { APPLICATIONS_MAX } from '../../../control/suggest/suggestions.ts'
import { defineRoute } from '../../route.ts'
import { pageLimit } from '../../wire/page-limit.ts'
import { suggestionsOutput, toWireSuggestions } from './suggestion-wire.ts'

export const listSuggestionsRoute = defineRoute({
  method: 'GET',
  path: '/v2/suggestions',
  operationId: 'listSuggestions',
  tag: 'Auto monitor setups',
  summary: 'Suggest evaluators for the spans that arrived',
  description:
    'Looks at the newest stored spans of the environment of the key (at most 1,000 spans and about 8 MB), recognizes each ' +
    'application by its `service.name`, and suggests evaluators whose inputs these spans give, each with a few answers scored. ' +
    'Evaluators that ask a provider are not run. Writes nothing; an answer may be 20 seconds old.',
  access: 'read',
  query: z.object({
    limit: pageLimit(APPLICATIONS_MAX)
      .optional()
      .describe(`Largest number of applications; ${APPLICATIONS_MAX} when absent.`),
  }),
  success: { status: 200, description: 'The suggestions.', schema: suggestionsOutput },
  async handle({ principal, query }, { suggestions }): Promise<z.output<typeof suggestionsOutput>> {
    return toWireSuggestions(await suggestions.read(principal), query.limit ?? APPLICATIONS_MAX)
  },
})
