import * as z from 'zod'
import { LIMIT_FIELDS } from '../../../control/limits.ts'
import {
  LIMIT_NAMES,
  type LimitName,
  type Limits,
  limitState,
  type OwnLimits,
  type ResourceUse,
} from '../../../domain/limits.ts'
import { defined } from '../../../lib/defined.ts'

const COUNT_MAX = 1_000_000_000
const RATES: readonly LimitName[] = ['requestsPerSecond', 'spansPerSecond']

const count = () => z.int().min(0).max(COUNT_MAX).nullable().optional()

/** The limits of one organization as the operator sets them. */
export const limitsInput = z
  .strictObject({
    requests_per_second: count().describe('Of each API key.'),
    spans_per_second: count().describe('Of each API key.'),
    stored_bytes: z
      .int()
      .min(0)
      .nullable()
      .optional()
      .describe('Compressed bytes of spans, and bytes of their images.'),
    setups: count(),
    projects: count(),
    api_keys: count().describe('Without revoked ones.'),
    custom_evaluators: count(),
  })
  .describe('0 is no limit; the default of the installation applies to what is null or absent.')
  .meta({ id: 'LimitsInput' })

const limitOutput = z
  .object({
    name: z.enum(LIMIT_NAMES.map((name) => LIMIT_FIELDS[name]) as [string, ...string[]]),
    per: z.enum(['api_key', 'organization']).describe('What the limit applies to.'),
    limit: z.int().nullable().describe('Null when there is none.'),
    is_default: z.boolean().describe('Whether it is the default of the installation.'),
    used: z
      .number()
      .optional()
      .describe(
        'Of a rate: the mean of the last ten seconds, of the calling key in the process that answers; absent for other callers.',
      ),
    state: z
      .enum(['ok', 'warning', 'reached'])
      .describe('`warning` from 80 % of the limit, `reached` at 100 %.'),
  })
  .meta({ id: 'Limit' })

/** The limits of an organization and what it uses. */
export const limitsOutput = z.object({ limits: z.array(limitOutput) }).meta({ id: 'Limits' })

/** The fields that the client sent. */
export function fromWireLimits(body: z.output<typeof limitsInput>): OwnLimits {
  const limits: Partial<Record<LimitName, number>> = {}
  for (const name of LIMIT_NAMES) {
    const limit = body[LIMIT_FIELDS[name] as keyof typeof body]
    if (typeof limit === 'number') limits[name] = limit
  }
  return limits
}

/** The limits in the form of the wire; `rates` is what the calling key uses, where that is known. */
export function toWireLimits(
  { own, limits, use }: { readonly own: OwnLimits; readonly limits: Limits; readonly use: ResourceUse },
  rates?: { readonly requests: number; readonly spans: number },
): z.output<typeof limitsOutput> {
  const used: Partial<Record<LimitName, number>> = {
    ...use,
    ...(rates && { requestsPerSecond: round(rates.requests), spansPerSecond: round(rates.spans) }),
  }
  return {
    limits: LIMIT_NAMES.map((name) => ({
      name: LIMIT_FIELDS[name],
      per: RATES.includes(name) ? ('api_key' as const) : ('organization' as const),
      limit: limits[name] === 0 ? null : limits[name],
      is_default: own[name] === undefined,
      ...defined({ used: used[name] }),
      state: limitState(used[name] ?? 0, limits[name]),
    })),
  }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
