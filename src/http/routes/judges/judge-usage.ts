import * as z from 'zod'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'
import { toUsd } from '../../wire/usd.ts'

const DAY_MS = 86_400_000
/** Days that one answer covers at most, and without a question. */
const DAYS_MAX = 31

const day = z.iso.date('must be a date like 2026-01-31')

export const judgeUsageRoute = defineRoute({
  method: 'GET',
  path: '/v2/judge-usage',
  operationId: 'getJudgeUsage',
  tag: 'Judges',
  summary: 'What judges were asked and what it cost',
  description: `By UTC day, setup and model, for at most ${DAYS_MAX} days. Calls that were answered a moment ago may be missing.`,
  access: 'read',
  query: z.object({
    from: day.optional().describe(`First day; absent: ${DAYS_MAX - 1} days before the last.`),
    until: day.optional().describe('Last day; absent: today.'),
  }),
  success: {
    status: 200,
    description: 'One line for each day, setup and model, in order of days.',
    schema: z
      .object({
        usage: z.array(
          z.object({
            day: z.string(),
            external_id: z.string().optional().describe('The setup; absent: execute calls.'),
            model: z.string(),
            calls: z.int(),
            prompt_tokens: z.int(),
            completion_tokens: z.int(),
            cost_usd: z.number().describe('Of the calls whose price is known.'),
            unpriced_calls: z.int().describe('Calls of models whose price is not known.'),
          }),
        ),
      })
      .meta({ id: 'JudgeUsage' }),
  },
  async handle({ principal, query }, { storage, clock }) {
    const untilMs = query.until === undefined ? startOfDay(clock.nowMs()) : Date.parse(query.until)
    const fromMs = query.from === undefined ? untilMs - (DAYS_MAX - 1) * DAY_MS : Date.parse(query.from)
    if (fromMs > untilMs) throw invalidInput('from must not be after until')
    if (untilMs - fromMs >= DAYS_MAX * DAY_MS)
      throw invalidInput(`from must be less than ${DAYS_MAX} days before until`)
    const lines = await storage.listSpend(principal, fromMs, untilMs)
    return {
      usage: lines.map((line) => ({
        day: new Date(line.dayAtMs).toISOString().slice(0, 10),
        ...defined({ external_id: line.externalId }),
        model: line.model,
        calls: line.calls,
        prompt_tokens: line.promptTokens,
        completion_tokens: line.completionTokens,
        cost_usd: toUsd(line.costMicros),
        unpriced_calls: line.unpricedCalls,
      })),
    }
  },
})

function startOfDay(ms: number): number {
  return Math.floor(ms / DAY_MS) * DAY_MS
}
