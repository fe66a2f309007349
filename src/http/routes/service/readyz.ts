import * as z from 'zod'
import { PublicError } from '../../../lib/public-error.ts'
import { defineRoute } from '../../route.ts'

const READY_MS_MAX = 2_000

export const readyzRoute = defineRoute({
  method: 'GET',
  path: '/readyz',
  operationId: 'getReadiness',
  tag: 'Operation',
  summary: 'Tell that requests can be served',
  access: 'public',
  success: {
    status: 200,
    description: 'The store, and what else its role needs, answers.',
    schema: z.object({ status: z.literal('ready') }),
  },
  errors: {
    503: 'The store, or what else its role needs, does not answer, or the process is shutting down.',
  },
  async handle(_request, { checkReadiness, logger }) {
    try {
      await withDeadline(checkReadiness(), READY_MS_MAX)
    } catch (error) {
      logger.warn({ err: error }, 'not ready')
      throw error instanceof PublicError ? error : new PublicError('unavailable', 'the store does not answer')
    }
    return { status: 'ready' }
  },
})

async function withDeadline(work: Promise<void>, ms: number): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms)
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}
