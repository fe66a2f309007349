import { notFound } from '../../../domain/errors.ts'
import { defineRoute } from '../../route.ts'
import { monitorParams } from '../../wire/path-params.ts'
import { monitorOutput, toWireMonitor } from './monitor-wire.ts'

export const getMonitorRoute = defineRoute({
  method: 'GET',
  path: '/v2/monitors/{id}',
  operationId: 'getMonitor',
  tag: 'Results',
  summary: 'Read a monitor',
  access: 'read',
  params: monitorParams,
  success: { status: 200, description: 'The monitor.', schema: monitorOutput },
  errors: { 404: 'The project has no such monitor.' },
  async handle({ principal, params }, { storage }) {
    const monitor = await storage.getMonitor(principal, params.id)
    if (!monitor) throw notFound('monitor not found')
    return toWireMonitor(monitor)
  },
})
