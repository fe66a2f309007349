import * as z from 'zod'

/** How many items a page may have, as text in a query: digits, from 1 to `max`. */
export function pageLimit(max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max, {
      error: `must be an integer from 1 to ${max}`,
    })
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: max })
}
