import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkOwnModels } from './adapters/onnx/check-own-models.ts'
import { createKeyFile } from './adapters/system/key-file.ts'
import { createLogger } from './adapters/system/pino-logger.ts'
import { createSealer } from './adapters/system/sealed-text.ts'
import { systemClock } from './adapters/system/system-clock.ts'
import { createUuidV7Source } from './adapters/system/uuid-v7.ts'
import { LimitKeeping } from './app/limit-keeping.ts'
import { openEdge } from './app/open-edge.ts'
import { openExecution } from './app/open-execution.ts'
import { readPrices } from './app/open-judges.ts'
import { openStorage, type StoreOptions } from './app/open-storage.ts'
import { INTAKE_LIMITS, openStream } from './app/open-stream.ts'
import { Readiness } from './app/readiness.ts'
import { partsOf } from './app/roles.ts'
import { defaultLimitsOf } from './config/limit-settings.ts'
import { version } from './config/version.ts'
import { type Config, ownModelsOf } from './config.ts'
import { DryRuns } from './control/dry-run/dry-run.ts'
import { type FirstKey, settleFirstKey } from './control/first-key.ts'
import { openProviderKey } from './control/provider-keys.ts'
import { processSetups } from './control/setup-processor.ts'
import type { ControlDeps } from './control/setups.ts'
import { ModelPrices } from './domain/model-prices.ts'
import { builtInVersions } from './evaluators/catalogue.ts'
import { evaluatorVersions } from './evaluators/own-evaluators.ts'
import { createClientAddress } from './http/client-address.ts'
import { DASHBOARD_DIR } from './http/dashboard/dashboard-files.ts'
import { GrpcServer } from './http/grpc/grpc-server.ts'
import { otlpMethods } from './http/grpc/otlp-methods.ts'
import { RequestLimits } from './http/limits/request-limits.ts'
import { createMetrics } from './http/metrics.ts'
import { buildOpenApi } from './http/openapi.ts'
import { recentPrincipals } from './http/otlp/recent-principals.ts'
import { createReference } from './http/reference.ts'
import type { RouteDeps } from './http/route.ts'
import { healthzRoute } from './http/routes/service/healthz.ts'
import { metricsRoute } from './http/routes/service/metrics.ts'
import { readyzRoute } from './http/routes/service/readyz.ts'
import { ROUTES } from './http/routes.ts'
import { buildServer } from './http/server.ts'
import { startThread } from './lib/threads/start-thread.ts'
import { Executions } from './pipeline/execute/executions.ts'
import type { IngestLimits } from './pipeline/ingest/ingest.ts'
import { Pipeline } from './pipeline/pipeline.ts'
import type { Clock } from './ports/clock.ts'
import type { Logger } from './ports/logger.ts'

/** Batches that may wait for a scoring thread; the worker takes fewer than that at a time. */
const SCORING_WAITING_MAX = 1_000

/** What may be received and not yet be stored, and what reading it may use. */
const INGEST_LIMITS: IngestLimits = {
  requestsMax: 1_000,
  bytesMax: 134_217_728,
  projectsMax: 1_000,
  setupsMax: 100_000,
  heapMbMax: 2_048,
  callMsMax: 60_000,
}

/** The service, put together and not yet listening. */
export interface App {
  readonly firstKey: FirstKey
  /** Who judges for organizations without keys of their own; undefined: nobody. */
  readonly judge: string | undefined
  /** Starts to accept requests and tells the address; when it cannot, everything is closed again. */
  listen(): Promise<string>
  /** Where OTLP over gRPC is taken, as host and port; undefined when it is off or could not listen. */
  grpcAddress(): string | undefined
  /** Where metrics are read, as host and port, when they have a port of their own. */
  metricsAddress(): string | undefined
  /** Says that it is going, serves for a while longer, then closes. */
  drain(): Promise<void>
  /** Stops accepting, lets requests under way finish, then closes the store. */
  close(): Promise<void>
}

/** What only tests want of a service. */
export interface AppOptions {
  readonly checkAnswers?: boolean
  /** Instead of the folder that comes with the service. */
  readonly dashboardDir?: string
  /** Instead of the setting; 0 takes any free port. */
  readonly otlpGrpcPort?: number
  /** Instead of the system's clock: an old store is opened at its own time, before its rows expire. */
  readonly clock?: Clock
  /** Instead of the real threads of the store. */
  readonly store?: Pick<StoreOptions, 'startThread'>
}

/** The log of the service, for the lines that come before the service itself. */
export function createAppLogger({ logLevel }: Config): Logger {
  return createLogger(logLevel)
}

/** The control plane alone, for commands that work on the store without serving. */
export async function openControl(
  config: Config,
  logger = createAppLogger(config),
  options?: StoreOptions,
): Promise<ControlDeps> {
  const storage = await openStorage(config, logger, options)
  return { storage, clock: systemClock, ids: createUuidV7Source() }
}

/** Chooses the adapters and connects everything. The only file that knows them all. */
export async function createApp(config: Config, logger: Logger, options?: AppOptions): Promise<App> {
  const edge = openEdge(config, logger)
  const ownModels = await checkOwnModels(ownModelsOf(config), {
    ...(config.onnxRuntimeDir === undefined ? {} : { runtimeDir: config.onnxRuntimeDir }),
    evaluatorVersions: builtInVersions(),
    startThread,
    trialMsMax: config.evaluationMsMax,
  })
  const versions = evaluatorVersions(ownModels)
  const prices = readPrices(config)
  const limits = defaultLimitsOf(config)
  const control = {
    ...(await openControl(config, logger, { isOwner: true, ...options?.store })),
    limits,
    ...(options?.clock ? { clock: options.clock } : {}),
  }
  const { storage } = control
  const firstKey = await settleFirstKey(control, config.apiKey, createKeyFile(config.dataDir), logger).catch(
    async (error) => {
      await storage.close()
      throw error
    },
  )
  const role = partsOf(config.role)
  const spans =
    role.takesSpans || role.works
      ? await openStream(config, logger).catch(async (error) => {
          await storage.close()
          throw error
        })
      : undefined
  const metrics = createMetrics(() => storage.system.readBacklog())
  metrics.showEdge(() => ({
    connections: edge.listener.connections.size,
    closedConnections: edge.listener.connections.closedCount,
    bodyBytes: edge.bodies.bytes,
  }))
  const stream = spans && { spans, counters: metrics.showStream(() => spans.state()) }
  // Whoever only puts spans into a stream does so while the store is away, too.
  const readiness = new Readiness([
    ...(spans ? [spans] : []),
    ...(spans && config.role === 'ingest' ? [] : [storage.system]),
  ])
  const senders = spans ? recentPrincipals(storage) : storage
  const requestLimits = new RequestLimits(limits, config.limitFailedAuthentications, {
    storage,
    logger,
    clientAddress: createClientAddress(config.trustedProxies ?? []),
    onRefused: metrics.limits.countRefusal,
  })
  const limitKeeping = new LimitKeeping({
    ...{ ...control, logger, watchesUse: role.works },
    ...{ rates: requestLimits.rates, onLook: metrics.limits.showStates },
  })
  const sealer = config.secretsKey && createSealer(config.secretsKey)
  const execution = openExecution(config, {
    storage,
    logger,
    counters: metrics.judges,
    openKey: (scope, key) => openProviderKey(sealer, scope, key),
    prices,
    ownModels,
  })
  const { execute, tryEvaluation, judges } = execution
  const executions = new Executions({ ...control, logger, execute })
  const pipeline: Pipeline = new Pipeline(
    {
      storage,
      clock: control.clock,
      logger,
      startThread,
      counters: metrics.pipeline,
      currentEvaluators: async () => ({ versions, judges: await judges.judgesOfAll() }),
      judging: judges.pool,
      ...(stream ? { stream } : {}),
      threads: execution.threads,
      processSetups: (onBound) =>
        processSetups({
          ...control,
          logger,
          evaluatorVersions: versions,
          judgeOf: judges.judgeOf,
          spansMin: config.bindingSpansMin,
          restMs: config.setupRestMs,
          onBound,
        }),
    },
    {
      ingest: { ...INGEST_LIMITS, bytesMax: Math.max(INGEST_LIMITS.bytesMax, edge.bodyBytesTotal) },
      intake: INTAKE_LIMITS,
      scoring: {
        threadsMax: config.scoringThreads,
        unitMsMax: config.evaluationMsMax,
        waitingMax: SCORING_WAITING_MAX,
      },
      retentionHoursMax: config.retentionHours,
      ...(config.verifyHour === 'off' ? {} : { verifyHour: config.verifyHour }),
      traces: { quietMsMin: config.traceQuietMs, waitMsMax: config.traceWaitMs },
    },
  )
  const { ingest } = pipeline
  const modelPrices = new ModelPrices(prices)
  let grpcAddress: AddressInfo | undefined
  const { metricsToken, metricsPort } = config
  const hasMetricsAccess = config.metricsAccess === 'key' || metricsToken !== undefined
  const routeDeps: RouteDeps = {
    ...control,
    onSetupsChanged: () => pipeline.wakeProcessing(config.setupRestMs),
    onEvaluatorsChanged: () => pipeline.rebind(),
    onJobsChanged: () => pipeline.wakeJobs(),
    logger,
    metrics,
    execute,
    tryEvaluation,
    executions,
    vault: { ...(sealer ? { sealer } : {}), baseUrls: config.providerBaseUrls ?? [] },
    ingest,
    requestLimits,
    senders,
    checkReadiness: () => readiness.check(),
    prices: modelPrices,
    dryRuns: new DryRuns({
      ...control,
      startThread,
      lookingMsMax: config.evaluationMsMax,
      evaluatorVersions: versions,
      judgeOf: judges.judgeOf,
      costs: modelPrices,
    }),
    about: {
      version,
      retentionHoursMax: config.retentionHours,
      embeddedJudge: config.embeddedJudge,
      privacyGate: config.privacyGate,
      grpcPort: () => grpcAddress?.port,
      judgeOf: judges.judgeOf,
      providersOf: judges.providersOf,
    },
    reference: createReference(() => buildOpenApi(ROUTES)),
    ...(hasMetricsAccess ? { metricsAccess: metricsToken === undefined ? {} : { token: metricsToken } } : {}),
  }
  const serverOptions = {
    bodyBytesMax: config.bodyBytesMax,
    listener: edge.listener,
    bodies: edge.bodies,
    checkAnswers: options?.checkAnswers ?? false,
  }
  const routes =
    metricsPort === undefined ? role.routes : role.routes.filter((route) => route !== metricsRoute)
  const server = buildServer(routes, routeDeps, {
    ...serverOptions,
    ...(role.servesDashboard ? { dashboardDir: options?.dashboardDir ?? DASHBOARD_DIR } : {}),
  })
  // Not encrypted: the scraper is a neighbour.
  const metricsServer =
    metricsPort === undefined
      ? undefined
      : buildServer([metricsRoute, healthzRoute, readyzRoute], routeDeps, {
          ...serverOptions,
          listener: edge.plainListener,
        })
  const grpc = new GrpcServer(
    otlpMethods(ingest, requestLimits),
    { senders, logger, metrics, requestLimits, bodies: edge.bodies, listener: edge.listener },
    config.bodyBytesMax,
  )
  const grpcPort = role.takesSpans ? (options?.otlpGrpcPort ?? (config.otlpGrpcPort || undefined)) : undefined
  const close = async () => {
    const impatience = setTimeout(() => {
      server.server.closeAllConnections()
      metricsServer?.server.closeAllConnections()
    }, config.shutdownMs)
    await Promise.all([server.close(), grpc.close(config.shutdownMs), metricsServer?.close()]).finally(() =>
      clearTimeout(impatience),
    )
    edge.certificates?.close()
    await limitKeeping.close()
    await executions.close()
    await pipeline.close()
    await spans?.close()
    await execution.close()
    await storage.close()
  }
  return {
    firstKey,
    judge: judges.operatorJudge,
    close,
    async drain() {
      readiness.leave()
      await sleep(config.drainMs)
      await close()
    },
    grpcAddress: () => grpcAddress && hostOf(grpcAddress),
    metricsAddress: () => metricsServer && hostOf(metricsServer.server.address() as AddressInfo),
    async listen() {
      // A port that is taken must end the process, which the store's threads would keep alive.
      const listening = [
        server.listen({ port: config.port, host: config.host }),
        metricsServer?.listen({ port: metricsPort ?? 0, host: config.metricsHost ?? config.host }),
      ]
      await Promise.all(listening).catch(async (error) => {
        await close()
        throw error
      })
      if (role.works) pipeline.start()
      limitKeeping.start()
      if (grpcPort !== undefined) grpcAddress = await grpc.listen(grpcPort, config.host)
      edge.certificates?.watch()
      return `${edge.certificates ? 'https' : 'http'}://${hostOf(server.server.address() as AddressInfo)}`
    },
  }
}

function hostOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `localhost:${port}`
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
