import * as z from 'zod'
import { defineRoute } from '../../route.ts'

export const healthzRoute = aliveRoute('/healthz', 'getHealth')

/** The same where the vendor's MCP server looks for it. */
export const healthRoute = aliveRoute('/health', 'getHealthOfVendor')

function aliveRoute(path: `/${string}`, operationId: string) {
  return defineRoute({
    method: 'GET',
    path,
    operationId,
    tag: 'Operation',
    summary: 'Tell that the process is alive',
    access: 'public',
    success: { status: 200, description: 'Alive.', schema: z.object({ status: z.literal('ok') }) },
    async handle() {
      return { status: 'ok' }
    },
  })
}
