import { version } from '../config/version.ts'
import { DryRuns } from '../control/dry-run/dry-run.ts'
import { Suggestions } from '../control/suggest/suggestions.ts'
import { ModelPrices } from '../domain/model-prices.ts'
import { evaluatorVersions } from '../evaluators/own-evaluators.ts'
import { buildOpenApi } from '../http/openapi.ts'
import { createReference } from '../http/reference.ts'
import type { RouteDeps } from '../http/route.ts'
import { ROUTES } from '../http/routes.ts'
import { startThread } from '../lib/threads/start-thread.ts'
import type { Executions } from '../pipeline/execute/executions.ts'
import { Trials } from '../pipeline/execute/run-trial.ts'
import type { Pipeline } from '../pipeline/pipeline.ts'
import { sampleSpans } from '../query/sample-spans.ts'
import type { Core } from './open-core.ts'
import type { Execution } from './open-execution.ts'

/** The parts of a service that its routes use. */
export interface RouteParts {
  readonly core: Core
  readonly execution: Execution
  readonly executions: Executions
  readonly pipeline: Pipeline
  /** Where OTLP over gRPC is taken. */
  readonly grpcPort: () => number | undefined
}

/** Everything that routes work with. */
export function routeDepsOf({ core, execution, executions, pipeline, grpcPort }: RouteParts): RouteDeps {
  const { config, control, logger, metrics, requestLimits, senders, secrets, readiness } = core
  const { execute, tryEvaluation, judges } = execution
  const { metricsToken } = config
  const hasMetricsAccess = config.metricsAccess === 'key' || metricsToken !== undefined
  const prices = new ModelPrices(core.prices)
  const entryEvaluators = {
    evaluatorVersions: evaluatorVersions(core.ownModels),
    judgeOf: judges.judgeOf,
    costs: prices,
  }
  return {
    ...control,
    onSetupsChanged: () => pipeline.wakeProcessing(config.setupRestMs),
    onEvaluatorsChanged: () => pipeline.rebind(),
    onJudgesChanged(tenant) {
      judges.desk.forget(tenant)
      pipeline.rebind()
    },
    onJobsChanged: () => pipeline.wakeJobs(),
    ...{ logger, metrics, execute, tryEvaluation, executions, requestLimits, senders, prices },
    vault: { secrets, baseUrls: config.providerBaseUrls ?? [] },
    ingest: pipeline.ingest,
    checkReadiness: () => readiness.check(),
    trials: new Trials(tryEvaluation),
    testModel: judges.desk.testModel,
    dryRuns: new DryRuns({
      ...control,
      startThread,
      lookingMsMax: config.evaluationMsMax,
      ...entryEvaluators,
    }),
    suggestions: new Suggestions({
      ...control,
      ...entryEvaluators,
      run: execute,
      sampleSpans: (tenant, limits, visit) => sampleSpans(control.storage, tenant, limits, visit),
    }),
    about: {
      version,
      retentionHoursMax: config.retentionHours,
      embeddedJudge: config.embeddedJudge,
      privacyGate: config.privacyGate,
      grpcPort,
      judgeOf: judges.judgeOf,
      defaultJudgeOf: (tenant) => judges.desk.defaultJudge(tenant),
      providersOf: judges.providersOf,
    },
    reference: createReference(() => buildOpenApi(ROUTES)),
    ...(hasMetricsAccess ? { metricsAccess: metricsToken === undefined ? {} : { token: metricsToken } } : {}),
  }
}
