import * as z from 'zod'
import { defineRoute } from '../../route.ts'

export const metricsHighWaterMarkRoute = defineRoute({
  method: 'GET',
  path: '/v2/metrics_hwm',
  operationId: 'getMetricsHighWaterMark',
  tag: 'Metrics',
  summary: 'Read up to when metrics are complete',
  access: 'read',
  success: {
    status: 200,
    description: 'The mark.',
    schema: z
      .object({
        high_water_mark: z
          .int()
          .optional()
          .describe('When the newest result of the project was recorded, in ms; absent while there is none.'),
      })
      .meta({ id: 'HighWaterMark' }),
  },
  async handle({ principal }, { storage }) {
    const range = { order: 'newest', limit: 1, isSettled: true } as const
    const { evaluations } = await storage.listEvaluations(principal, { withHistory: true }, range)
    const [newest] = evaluations
    return newest ? { high_water_mark: newest.createdAtMs } : {}
  },
})
