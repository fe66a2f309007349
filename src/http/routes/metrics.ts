import { defineRoute } from '../route.ts'

export const metricsRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  operationId: 'getMetrics',
  tag: 'Operation',
  summary: 'Metrics in the text format of Prometheus',
  access: 'public',
  success: {
    status: 200,
    description: 'The metrics.',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  async handle(_request, { metrics }) {
    return metrics.render()
  },
})
