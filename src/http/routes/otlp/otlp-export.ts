import * as z from 'zod'

/** The success of an export: everything was stored, or the number of rejected elements stands under the name of their signal. */
export function storedAnswer<Name extends string>(name: Name, plural: string) {
  const rejected = z.string().describe(`How many ${plural} were not stored.`)
  const partialSuccess = z.object({
    ...({ [name]: rejected } as Record<Name, typeof rejected>),
    errorMessage: z.string().describe('The first of them and why.'),
  })
  return {
    status: 200,
    description: 'Stored, apart from what `partialSuccess` names.',
    schema: z.object({ partialSuccess: partialSuccess.optional() }),
  } as const
}

/** The refusals of a request that is to be stored. */
export function exportErrors(elements: string, things: string) {
  return {
    403: 'The key lacks the scope, or the organization has stored as much as it may; the message says which.',
    413: `The body is too large, or has too many ${elements}.`,
    415: 'The body is neither protobuf nor JSON.',
    429: 'The key has sent more than it may, or too much is waiting to be stored; `Retry-After` says when to try again.',
    503: `${things} cannot be stored at the moment; \`Retry-After\` says when to try again.`,
    504: 'Reading the request took too long.',
  }
}
