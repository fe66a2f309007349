import type { AnyRoute } from './route.ts'
import { deleteBudgetRoute, listBudgetsRoute, putBudgetRoute } from './routes/budgets.ts'
import { bulkUpsertSetupsRoute } from './routes/bulk-upsert-setups.ts'
import { createAnnotationRoute } from './routes/create-annotation.ts'
import { createApiKeyRoute } from './routes/create-api-key.ts'
import { createCustomEvaluatorRoutes } from './routes/create-custom-evaluator.ts'
import { createEnvironmentRoute } from './routes/create-environment.ts'
import { createOrganizationRoute } from './routes/create-organization.ts'
import { createProjectRoute } from './routes/create-project.ts'
import { createSetupRoute } from './routes/create-setup.ts'
import { listTraceSpansRoute, listWorkflowNamesRoute, queryRootSpansRoute } from './routes/default-project.ts'
import { deleteProjectDataRoute, deleteSessionRoute, deleteTraceRoute } from './routes/delete-data.ts'
import { deleteSetupRoute } from './routes/delete-setup.ts'
import { docsRoute } from './routes/docs.ts'
import { dropTelemetryRoutes } from './routes/drop-telemetry.ts'
import { dryRunSetupRoute } from './routes/dry-run-setup.ts'
import { executeBuiltInRoutes, executeByNameRoute } from './routes/execute-evaluator.ts'
import { executeGuardrailRoutes } from './routes/execute-guardrail.ts'
import { fetchExecutionRoute, startExecutionRoute } from './routes/executions.ts'
import { explainSpanRoute } from './routes/explain-span.ts'
import { exportEvaluationsRoute } from './routes/export-evaluations.ts'
import { exportTracesRoute } from './routes/export-traces.ts'
import { getEvaluationRoute } from './routes/get-evaluation.ts'
import { getEvaluatorRoute } from './routes/get-evaluator.ts'
import { getMonitorRoute } from './routes/get-monitor.ts'
import { getMonitorAgreementRoute } from './routes/get-monitor-agreement.ts'
import { getMonitorBreakdownRoute } from './routes/get-monitor-breakdown.ts'
import { getMonitorDistributionRoute } from './routes/get-monitor-distribution.ts'
import { getMonitorSeriesRoute } from './routes/get-monitor-series.ts'
import { getOverviewRoute } from './routes/get-overview.ts'
import { getSetupRoute } from './routes/get-setup.ts'
import { getTraceRoute } from './routes/get-trace.ts'
import { getUsageRoute } from './routes/get-usage.ts'
import { healthRoute, healthzRoute } from './routes/healthz.ts'
import {
  backfillSetupRoute,
  cancelJobRoute,
  getJobRoute,
  listJobsRoute,
  rerunEvaluationsRoute,
} from './routes/jobs.ts'
import { judgeUsageRoute } from './routes/judge-usage.ts'
import { getLimitsRoute, getOrganizationLimitsRoute, putOrganizationLimitsRoute } from './routes/limits.ts'
import { listApiKeysRoute } from './routes/list-api-keys.ts'
import { listEvaluationsRoute } from './routes/list-evaluations.ts'
import { listEvaluatorVersionsRoute } from './routes/list-evaluator-versions.ts'
import { listEvaluatorsRoute } from './routes/list-evaluators.ts'
import { listJudgesRoute } from './routes/list-judges.ts'
import { listMonitorsRoute } from './routes/list-monitors.ts'
import { listProjectsRoute } from './routes/list-projects.ts'
import { listSetupsRoute } from './routes/list-setups.ts'
import { listTracesRoute } from './routes/list-traces.ts'
import { listWarehouseSpansRoute } from './routes/list-warehouse-spans.ts'
import { metricsRoute } from './routes/metrics.ts'
import { metricsHighWaterMarkRoute } from './routes/metrics-high-water-mark.ts'
import { monitoringStatusRoute } from './routes/monitoring-status.ts'
import { openApiRoute } from './routes/openapi.ts'
import {
  deleteProviderKeyRoute,
  getProviderKeyRoute,
  listProviderKeysRoute,
  putProviderKeyRoute,
} from './routes/provider-keys.ts'
import { listMetricsRoute, queryMetricsRoute } from './routes/query-metrics.ts'
import { readyzRoute } from './routes/readyz.ts'
import { revokeApiKeyRoute } from './routes/revoke-api-key.ts'
import { createScoreRoute, listScoresRoute } from './routes/scores.ts'
import { getSessionRoute, listSessionsRoute } from './routes/sessions.ts'
import { listSpanAttributesRoute, listSpanAttributeValuesRoute } from './routes/span-attributes.ts'
import { tryCustomEvaluatorRoute } from './routes/try-custom-evaluator.ts'
import { updateCustomEvaluatorRoute } from './routes/update-custom-evaluator.ts'
import { updateSetupRoute } from './routes/update-setup.ts'
import { whoamiRoute } from './routes/whoami.ts'

/** Every operation of the service, in the order the reference shows them. */
export const ROUTES: readonly AnyRoute[] = [
  listSetupsRoute,
  createSetupRoute,
  bulkUpsertSetupsRoute,
  getSetupRoute,
  updateSetupRoute,
  deleteSetupRoute,
  dryRunSetupRoute,
  listEvaluatorsRoute,
  getEvaluatorRoute,
  ...createCustomEvaluatorRoutes,
  tryCustomEvaluatorRoute,
  updateCustomEvaluatorRoute,
  listEvaluatorVersionsRoute,
  executeByNameRoute,
  ...executeBuiltInRoutes,
  startExecutionRoute,
  fetchExecutionRoute,
  ...executeGuardrailRoutes,
  exportTracesRoute,
  ...dropTelemetryRoutes,
  getOverviewRoute,
  listEvaluationsRoute,
  exportEvaluationsRoute,
  getEvaluationRoute,
  explainSpanRoute,
  listMonitorsRoute,
  getMonitorRoute,
  getMonitorSeriesRoute,
  getMonitorDistributionRoute,
  getMonitorBreakdownRoute,
  queryMetricsRoute,
  listMetricsRoute,
  metricsHighWaterMarkRoute,
  monitoringStatusRoute,
  listWarehouseSpansRoute,
  listSpanAttributesRoute,
  listSpanAttributeValuesRoute,
  queryRootSpansRoute,
  listTraceSpansRoute,
  listWorkflowNamesRoute,
  listTracesRoute,
  getTraceRoute,
  listSessionsRoute,
  getSessionRoute,
  getUsageRoute,
  createScoreRoute,
  listScoresRoute,
  createAnnotationRoute,
  getMonitorAgreementRoute,
  backfillSetupRoute,
  rerunEvaluationsRoute,
  listJobsRoute,
  getJobRoute,
  cancelJobRoute,
  listJudgesRoute,
  listProviderKeysRoute,
  getProviderKeyRoute,
  putProviderKeyRoute,
  deleteProviderKeyRoute,
  listBudgetsRoute,
  putBudgetRoute,
  deleteBudgetRoute,
  judgeUsageRoute,
  deleteTraceRoute,
  deleteSessionRoute,
  deleteProjectDataRoute,
  whoamiRoute,
  getLimitsRoute,
  createOrganizationRoute,
  getOrganizationLimitsRoute,
  putOrganizationLimitsRoute,
  listProjectsRoute,
  createProjectRoute,
  createEnvironmentRoute,
  listApiKeysRoute,
  createApiKeyRoute,
  revokeApiKeyRoute,
  healthzRoute,
  healthRoute,
  readyzRoute,
  metricsRoute,
  openApiRoute,
  docsRoute,
]
