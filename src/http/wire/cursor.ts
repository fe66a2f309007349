import * as z from 'zod'

/** A number as a cursor that tells nothing: clients hand it back as they got it. `list` names what it is a place in. */
export function toCursor(list: string, place: number): string {
  return Buffer.from(`${list}:${place}`).toString('base64url')
}

/** The cursor of one list in a query. One that was not given out for this list is refused. */
export function cursorParam(list: string) {
  return z
    .string()
    .transform((text, context): number => {
      const [, place] =
        new RegExp(`^${list}:(\\d{1,15})$`).exec(Buffer.from(text, 'base64url').toString()) ?? []
      if (place !== undefined && toCursor(list, Number(place)) === text) return Number(place)
      context.addIssue({ code: 'custom', message: 'must be the next_cursor of the page before' })
      return z.NEVER
    })
    .describe('The `next_cursor` of the page before.')
}
