import { processSetups } from '../control/setup-processor.ts'
import { evaluatorVersions } from '../evaluators/own-evaluators.ts'
import { startThread } from '../lib/threads/start-thread.ts'
import type { IngestLimits } from '../pipeline/ingest/ingest.ts'
import { Pipeline } from '../pipeline/pipeline.ts'
import { compareUnits } from '../query/incidents/compare-units.ts'
import type { Core } from './open-core.ts'
import type { Execution } from './open-execution.ts'
import { INTAKE_LIMITS } from './open-stream.ts'

/** Limits on requests that are received and not yet stored, and on the threads that read them. */
const INGEST_LIMITS: IngestLimits = {
  requestsMax: 1_000,
  bytesMax: 134_217_728,
  projectsMax: 1_000,
  setupsMax: 100_000,
  heapMbMax: 2_048,
  callMsMax: 60_000,
}

/** Connects the steps of the pipeline with the parts that they work on. Nothing runs before it is started. */
export function openPipeline(core: Core, { judges, scoring }: Execution): Pipeline {
  const { config, logger, control, edge, metrics, ownModels, spans } = core
  const versions = evaluatorVersions(ownModels)
  return new Pipeline(
    {
      ...{ storage: control.storage, clock: control.clock, logger, startThread, scoring },
      counters: metrics.pipeline,
      currentEvaluators: async () => ({ versions, judges: await judges.judgesOfAll() }),
      judging: judges.pool,
      ids: control.ids,
      compareUnits: (tenant, sample) => compareUnits(control.storage, tenant, sample),
      ...(spans ? { stream: { spans, counters: metrics.showStream(() => spans.state()) } } : {}),
      processSetups: (onBound) =>
        processSetups({
          ...control,
          logger,
          evaluatorVersions: versions,
          judgeOf: judges.judgeOf,
          spansMin: config.bindingSpansMin,
          contentWaitMs: config.contentWaitMs,
          restMs: config.setupRestMs,
          onBound,
        }),
    },
    {
      ingest: { ...INGEST_LIMITS, bytesMax: Math.max(INGEST_LIMITS.bytesMax, edge.bodyBytesTotal) },
      intake: INTAKE_LIMITS,
      scoringThreads: config.scoringThreads,
      contentWaitMs: config.contentWaitMs,
      retentionHoursMax: config.retentionHours,
      ...(config.verifyHour === 'off' ? {} : { verifyHour: config.verifyHour }),
      traces: { quietMsMin: config.traceQuietMs, waitMsMax: config.traceWaitMs },
    },
  )
}
