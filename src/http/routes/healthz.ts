import * as z from 'zod'
import { defineRoute } from '../route.ts'

export const healthzRoute = defineRoute({
  method: 'GET',
  path: '/healthz',
  operationId: 'getHealth',
  tag: 'Operation',
  summary: 'Tell that the process is alive',
  access: 'public',
  success: { status: 200, description: 'Alive.', schema: z.object({ status: z.literal('ok') }) },
  async handle() {
    return { status: 'ok' }
  },
})
