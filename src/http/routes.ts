import type { AnyRoute } from './route.ts'
import { listApplicationsRoute } from './routes/applications/list-applications.ts'
import {
  deleteProjectDataRoute,
  deleteSessionRoute,
  deleteTraceRoute,
  getDeletionRoute,
} from './routes/deletions/delete-data.ts'
import { listDeploymentsRoute } from './routes/deployments/list-deployments.ts'
import { exportEvaluationsRoute } from './routes/evaluations/export-evaluations.ts'
import { getEvaluationRoute } from './routes/evaluations/get-evaluation.ts'
import { listEvaluationsRoute } from './routes/evaluations/list-evaluations.ts'
import { createCustomEvaluatorRoutes } from './routes/evaluators/create-custom-evaluator.ts'
import { executeBuiltInRoutes, executeByNameRoute } from './routes/evaluators/execute-evaluator.ts'
import { executeGuardrailRoutes } from './routes/evaluators/execute-guardrail.ts'
import { fetchExecutionRoute, startExecutionRoute } from './routes/evaluators/executions.ts'
import { getEvaluatorRoute } from './routes/evaluators/get-evaluator.ts'
import { listEvaluatorVersionsRoute } from './routes/evaluators/list-evaluator-versions.ts'
import { listEvaluatorsRoute } from './routes/evaluators/list-evaluators.ts'
import { listTrialRowsRoute } from './routes/evaluators/list-trial-rows.ts'
import { runTrialRoute } from './routes/evaluators/run-trial.ts'
import { tryCustomEvaluatorRoute } from './routes/evaluators/try-custom-evaluator.ts'
import { tryEvaluatorRoute } from './routes/evaluators/try-evaluator.ts'
import { updateCustomEvaluatorRoute } from './routes/evaluators/update-custom-evaluator.ts'
import { nameImageRoute, readImageRoute, uploadImageRoute } from './routes/images/span-images.ts'
import { dismissIncidentRoute, getIncidentRoute, reopenIncidentRoute } from './routes/incidents/incident.ts'
import { listIncidentsRoute } from './routes/incidents/list-incidents.ts'
import {
  backfillSetupRoute,
  cancelJobRoute,
  getJobRoute,
  listJobsRoute,
  rerunEvaluationsRoute,
} from './routes/jobs/jobs.ts'
import { deleteBudgetRoute, listBudgetsRoute, putBudgetRoute } from './routes/judges/budgets.ts'
import { deleteDefaultJudgeRoute, putDefaultJudgeRoute } from './routes/judges/default-judge.ts'
import { judgeUsageRoute } from './routes/judges/judge-usage.ts'
import { listJudgesRoute } from './routes/judges/list-judges.ts'
import {
  deleteProviderKeyRoute,
  getProviderKeyRoute,
  listProviderKeysRoute,
  putProviderKeyRoute,
} from './routes/judges/provider-keys.ts'
import { testJudgeRoute } from './routes/judges/test-judge.ts'
import { getMonitorRoute } from './routes/monitors/get-monitor.ts'
import { getMonitorAgreementRoute } from './routes/monitors/get-monitor-agreement.ts'
import { getMonitorBreakdownRoute } from './routes/monitors/get-monitor-breakdown.ts'
import { getMonitorDistributionRoute } from './routes/monitors/get-monitor-distribution.ts'
import { getMonitorSeriesRoute } from './routes/monitors/get-monitor-series.ts'
import { getOverviewRoute } from './routes/monitors/get-overview.ts'
import { listMonitorsRoute } from './routes/monitors/list-monitors.ts'
import { exportLogsRoute } from './routes/otlp/export-logs.ts'
import { exportMetricsRoute } from './routes/otlp/export-metrics.ts'
import { exportTracesRoute } from './routes/otlp/export-traces.ts'
import { createReviewQueueRoute } from './routes/reviews/create-review-queue.ts'
import {
  deleteReviewQueueRoute,
  getReviewQueueRoute,
  listReviewQueuesRoute,
} from './routes/reviews/read-review-queues.ts'
import {
  answerReviewItemRoute,
  listReviewItemsRoute,
  withdrawReviewAnswerRoute,
} from './routes/reviews/review-items.ts'
import { createSavedViewRoute } from './routes/saved-views/create-saved-view.ts'
import { deleteSavedViewRoute } from './routes/saved-views/delete-saved-view.ts'
import { listSavedViewsRoute } from './routes/saved-views/list-saved-views.ts'
import { updateSavedViewRoute } from './routes/saved-views/update-saved-view.ts'
import { createAnnotationRoute } from './routes/scores/create-annotation.ts'
import { deleteScoreRoute } from './routes/scores/delete-score.ts'
import { createScoreRoute, listScoresRoute } from './routes/scores/scores.ts'
import { docsRoute } from './routes/service/docs.ts'
import { healthRoute, healthzRoute } from './routes/service/healthz.ts'
import { metricsRoute } from './routes/service/metrics.ts'
import { openApiRoute } from './routes/service/openapi.ts'
import { readyzRoute } from './routes/service/readyz.ts'
import { bulkUpsertSetupsRoute } from './routes/setups/bulk-upsert-setups.ts'
import { createSetupRoute } from './routes/setups/create-setup.ts'
import { deleteSetupRoute } from './routes/setups/delete-setup.ts'
import { dryRunSetupRoute } from './routes/setups/dry-run-setup.ts'
import { getSetupRoute } from './routes/setups/get-setup.ts'
import { listSetupsRoute } from './routes/setups/list-setups.ts'
import { restoreSetupRoute } from './routes/setups/restore-setup.ts'
import { updateSetupRoute } from './routes/setups/update-setup.ts'
import { listSuggestionsRoute } from './routes/suggestions/list-suggestions.ts'
import { createApiKeyRoute } from './routes/tenants/create-api-key.ts'
import { createEnvironmentRoute } from './routes/tenants/create-environment.ts'
import { createOrganizationRoute } from './routes/tenants/create-organization.ts'
import { createProjectRoute } from './routes/tenants/create-project.ts'
import {
  getLimitsRoute,
  getOrganizationLimitsRoute,
  putOrganizationLimitsRoute,
} from './routes/tenants/limits.ts'
import { listApiKeysRoute } from './routes/tenants/list-api-keys.ts'
import { listProjectsRoute } from './routes/tenants/list-projects.ts'
import { revokeApiKeyRoute } from './routes/tenants/revoke-api-key.ts'
import { whoamiRoute } from './routes/tenants/whoami.ts'
import { explainSpanRoute } from './routes/traces/explain-span.ts'
import { exportTraceListRoute } from './routes/traces/export-trace-list.ts'
import { getTraceRoute } from './routes/traces/get-trace.ts'
import { getUsageRoute } from './routes/traces/get-usage.ts'
import { listTracesRoute } from './routes/traces/list-traces.ts'
import { getSessionRoute, listSessionsRoute } from './routes/traces/sessions.ts'
import { listSpanAttributesRoute, listSpanAttributeValuesRoute } from './routes/traces/span-attributes.ts'
import {
  listTraceSpansRoute,
  listWorkflowNamesRoute,
  queryRootSpansRoute,
} from './routes/vendor/default-project.ts'
import { listWarehouseSpansRoute } from './routes/vendor/list-warehouse-spans.ts'
import { metricsHighWaterMarkRoute } from './routes/vendor/metrics-high-water-mark.ts'
import { monitoringStatusRoute } from './routes/vendor/monitoring-status.ts'
import { queryDefaultSpansRoute } from './routes/vendor/query-default-spans.ts'
import { listMetricsRoute, queryMetricsRoute } from './routes/vendor/query-metrics.ts'
import { listPromptsRoute, listTracingAllowListRoute } from './routes/vendor/sdk-sync.ts'

/** Every operation of the service, in the order the reference shows them. */
export const ROUTES: readonly AnyRoute[] = [
  listSetupsRoute,
  createSetupRoute,
  bulkUpsertSetupsRoute,
  getSetupRoute,
  updateSetupRoute,
  deleteSetupRoute,
  restoreSetupRoute,
  dryRunSetupRoute,
  listSuggestionsRoute,
  listEvaluatorsRoute,
  getEvaluatorRoute,
  ...createCustomEvaluatorRoutes,
  tryCustomEvaluatorRoute,
  tryEvaluatorRoute,
  listTrialRowsRoute,
  runTrialRoute,
  updateCustomEvaluatorRoute,
  listEvaluatorVersionsRoute,
  executeByNameRoute,
  ...executeBuiltInRoutes,
  startExecutionRoute,
  fetchExecutionRoute,
  ...executeGuardrailRoutes,
  exportTracesRoute,
  exportMetricsRoute,
  exportLogsRoute,
  listPromptsRoute,
  listTracingAllowListRoute,
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
  queryDefaultSpansRoute,
  listWorkflowNamesRoute,
  nameImageRoute,
  uploadImageRoute,
  readImageRoute,
  listTracesRoute,
  exportTraceListRoute,
  createSavedViewRoute,
  listSavedViewsRoute,
  updateSavedViewRoute,
  deleteSavedViewRoute,
  getTraceRoute,
  listSessionsRoute,
  getSessionRoute,
  getUsageRoute,
  listDeploymentsRoute,
  listApplicationsRoute,
  listIncidentsRoute,
  getIncidentRoute,
  dismissIncidentRoute,
  reopenIncidentRoute,
  createScoreRoute,
  listScoresRoute,
  deleteScoreRoute,
  createAnnotationRoute,
  getMonitorAgreementRoute,
  createReviewQueueRoute,
  listReviewQueuesRoute,
  getReviewQueueRoute,
  deleteReviewQueueRoute,
  listReviewItemsRoute,
  answerReviewItemRoute,
  withdrawReviewAnswerRoute,
  backfillSetupRoute,
  rerunEvaluationsRoute,
  listJobsRoute,
  getJobRoute,
  cancelJobRoute,
  listJudgesRoute,
  putDefaultJudgeRoute,
  deleteDefaultJudgeRoute,
  testJudgeRoute,
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
  getDeletionRoute,
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
