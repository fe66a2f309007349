import * as z from 'zod'
import type { ModelPrices } from '../../../domain/model-prices.ts'
import { type ModelUses, totalUse } from '../../../domain/model-use.ts'
import { SERIES_BUCKET_NAMES, SERIES_BUCKETS } from '../../../domain/series.ts'
import { defined } from '../../../lib/defined.ts'
import { invalidInput } from '../../../lib/public-error.ts'
import type { UsageBucket, UsageQuery } from '../../../ports/trace-storage.ts'
import { chooseChartRange } from '../../chart-range.ts'
import { type ProjectEnvironments, readEnvironments } from '../../project-environments.ts'
import { defineRoute } from '../../route.ts'
import { checkOrder, environmentsParam, timeParam } from '../../wire/query-params.ts'
import { spanName } from '../../wire/text-schemas.ts'
import { timestamp, toTimestamp } from '../../wire/timestamp.ts'
import { toWireUse, useFields } from './trace-wire.ts'

/** Lines of one answer. */
const LINES_MAX = 10_000
const GROUPS = ['model', 'service', 'environment', 'session'] as const
type Group = (typeof GROUPS)[number]

const usageQuery = z
  .object({
    from: timeParam()
      .optional()
      .describe('ISO 8601 with a zone, or Unix seconds; absent: a day before `to`.'),
    to: timeParam().optional().describe('ISO 8601 with a zone, or Unix seconds; absent: now.'),
    bucket: z
      .enum(SERIES_BUCKET_NAMES)
      .optional()
      .describe('Absent: the finest that makes a readable chart.'),
    group_by: groupsParam().optional(),
    environment: environmentsParam().optional(),
    service: spanName().optional(),
    model: spanName().optional(),
  })
  .superRefine(({ from, to }, context) => checkOrder(context, ['from', 'to'], from, to))

const usageLine = z
  .object({
    time: timestamp.describe('When the bucket begins.'),
    model: z.string().optional(),
    service: z.string().optional().describe('Empty for spans that name none.'),
    environment: z.string().optional(),
    session_id: z.string().optional(),
    ...useFields,
    error_count: z.int().describe('Calls that ended with an error.'),
    duration_p50_ms: z
      .number()
      .optional()
      .describe('How long half of the calls took at most, within 1 %; absent by session.'),
    duration_p95_ms: z.number().optional(),
  })
  .meta({ id: 'UsageLine' })

export const getUsageRoute = defineRoute({
  method: 'GET',
  path: '/v2/usage',
  operationId: 'getUsage',
  tag: 'Traces',
  summary: 'What the monitored applications use models for',
  description:
    'Calls of models with their tokens, cost, duration and errors, by time and by what `group_by` names. The range is ' +
    `widened to whole buckets in UTC. At most ${LINES_MAX} lines. What judges of this service use is under \`/v2/judge-usage\`.`,
  access: 'read',
  query: usageQuery,
  success: {
    status: 200,
    description: 'One line for each bucket and group that has calls, in order of time.',
    schema: z
      .object({
        from: timestamp,
        to: timestamp,
        bucket: z.enum(SERIES_BUCKET_NAMES),
        usage: z.array(usageLine),
      })
      .meta({ id: 'Usage' }),
  },
  async handle({ principal, query }, { storage, clock, prices }) {
    const { bucket, fromMs, toMs } = chooseChartRange(query, clock.nowMs())
    const environments = await readEnvironments(storage, principal)
    const envProjectIds = environments.idsOf(query.environment)
    const wanted = {
      ...{ fromMs, toMs, bucketMs: SERIES_BUCKETS[bucket] },
      ...defined({ envProjectIds, service: query.service, model: query.model }),
    }
    const groups = query.group_by ?? []
    const usage = groups.includes('session')
      ? (await storage.readSessionUsage(principal, wanted, LINES_MAX + 1)).map(
          ({ startMs, sessionId, models }) => ({
            time: toTimestamp(startMs),
            session_id: sessionId,
            ...toLine(prices, models),
          }),
        )
      : (await storage.readUsage(principal, { ...wanted, groupBy: groups as UsageQuery['groupBy'] })).map(
          (line) => toWireBucket(line, environments, prices),
        )
    if (usage.length > LINES_MAX) {
      throw invalidInput(
        `bucket ${bucket} makes more than ${LINES_MAX} lines of this range; choose a longer one`,
      )
    }
    return { from: toTimestamp(fromMs), to: toTimestamp(toMs), bucket, usage }
  },
})

function toWireBucket(line: UsageBucket, environments: ProjectEnvironments, prices: ModelPrices) {
  const environment = line.envProjectId === undefined ? undefined : environments.slugOf(line.envProjectId)
  return {
    time: toTimestamp(line.startMs),
    ...defined({ model: line.model, service: line.service, environment }),
    ...toLine(prices, line.models),
    duration_p50_ms: line.durationP50Ms,
    duration_p95_ms: line.durationP95Ms,
  }
}

function toLine(prices: ModelPrices, models: ModelUses) {
  const { calls, errors, promptTokens, completionTokens } = totalUse(models)
  return {
    ...toWireUse(prices, models, { modelCalls: calls, promptTokens, completionTokens }),
    error_count: errors,
  }
}

/**
 * The dimensions by which use is grouped: names with commas between them. Sessions are made of traces, which may span
 * the others.
 */
function groupsParam() {
  return z
    .string()
    .transform((text, context): Group[] => {
      const names = text.split(',').map((name) => name.trim())
      const groups = GROUPS.filter((group) => names.includes(group))
      const isKnown = names.every((name) => (GROUPS as readonly string[]).includes(name))
      if (isKnown && (!groups.includes('session') || groups.length === 1)) return groups
      const message = isKnown
        ? 'must not name anything beside session'
        : `must be one or more of ${GROUPS.join(', ')}, with commas between them`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .describe(
      `One or more of ${GROUPS.map((group) => `\`${group}\``).join(', ')}, with commas; \`session\` alone.`,
    )
}
