import { requireMetricsKey } from '../../metrics-access.ts'
import { defineRoute } from '../../route.ts'

export const metricsRoute = defineRoute({
  method: 'GET',
  path: '/metrics',
  operationId: 'getMetrics',
  tag: 'Operation',
  summary: 'Metrics in the text format of Prometheus',
  description:
    'Anybody can read them, unless the setting `ASSAY_METRICS_ACCESS` asks for a key; with `ASSAY_METRICS_PORT` they are ' +
    'served on that port only.',
  access: 'public',
  async admit(authorization, { metricsAccess, storage }) {
    if (metricsAccess) await requireMetricsKey(authorization, metricsAccess, storage)
  },
  success: {
    status: 200,
    description: 'The metrics.',
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
  },
  async handle(_request, { metrics }) {
    return metrics.render()
  },
})
