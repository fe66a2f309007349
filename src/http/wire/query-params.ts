import * as z from 'zod'
import { boundedText } from './text-schemas.ts'

/** The latest moment that a date can hold. */
const MS_MAX = 8_640_000_000_000_000

/** A moment in a query, read as milliseconds since 1970. */
export function timeParam() {
  return z
    .string()
    .transform((text, context): number => {
      const ms = /^\d+(\.\d+)?$/.test(text) ? Math.floor(Number(text) * 1_000) : isoTime(text)
      if (ms !== undefined && ms <= MS_MAX) return ms
      context.addIssue({
        code: 'custom',
        message: 'must be an ISO 8601 time with a zone, such as 2026-01-02T03:04:05Z, or Unix seconds',
      })
      return z.NEVER
    })
    .describe('ISO 8601 with a zone, for example `2026-01-02T03:04:05Z`, or Unix seconds.')
}

function isoTime(text: string): number | undefined {
  return z.iso.datetime({ offset: true }).safeParse(text).success ? Date.parse(text) : undefined
}

/** Any finite number in a query. */
export function numberParam() {
  return z
    .string()
    .refine((text) => /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text)), {
      error: 'must be a number',
    })
    .transform(Number)
    .meta({ type: 'number' })
}

/** An integer in a query, from `min` to `max`. */
export function integerParam(min: number, max: number) {
  return z
    .string()
    .refine((text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max, {
      error: `must be an integer from ${min} to ${max}`,
    })
    .transform(Number)
    .meta({ type: 'integer', minimum: min, maximum: max })
}

const ENVIRONMENTS_MAX = 100

/** Environments in a query, by slug; the key may be repeated. */
export function environmentsParam() {
  return z
    .union([boundedText().transform((one) => [one]), z.array(boundedText()).max(ENVIRONMENTS_MAX)])
    .describe('Slugs, may be repeated; absent: all environments.')
}

/** `true` or `false` in a query. */
export function flagParam() {
  return z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .meta({ type: 'boolean' })
}

/** An id of so many bytes in hex, either case. */
export function hexParam(bytes: number) {
  const digits = bytes * 2
  return z
    .string()
    .refine((text) => text.length === digits && /^[0-9a-f]*$/i.test(text), {
      error: `must be ${digits} hex digits`,
    })
    .transform((text) => text.toLowerCase())
    .meta({ pattern: `^[0-9A-Fa-f]{${digits}}$` })
}

/** Adds a fault to a query whose range is empty. */
export function checkOrder(
  context: z.core.$RefinementCtx,
  names: readonly [low: string, high: string],
  low: number | undefined,
  high: number | undefined,
  mayBeEqual = false,
): void {
  if (low === undefined || high === undefined || low < high || (mayBeEqual && low === high)) return
  const message = mayBeEqual ? `must be at most ${names[1]}` : `must be before ${names[1]}`
  context.addIssue({ code: 'custom', path: [names[0]], message })
}
