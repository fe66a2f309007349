import { checkOwnModels } from '../adapters/onnx/check-own-models.ts'
import { createKeyFile } from '../adapters/system/key-file.ts'
import { createLogger } from '../adapters/system/pino-logger.ts'
import { createSecrets } from '../adapters/system/secrets.ts'
import { secretsFile } from '../adapters/system/secrets-file.ts'
import { systemClock } from '../adapters/system/system-clock.ts'
import { createUuidV7Source } from '../adapters/system/uuid-v7.ts'
import { defaultLimitsOf } from '../config/limit-settings.ts'
import { type Config, ownModelsOf } from '../config.ts'
import { type FirstKey, settleFirstKey } from '../control/first-key.ts'
import { reportSecrets } from '../control/report-secrets.ts'
import type { ControlDeps } from '../control/setups.ts'
import type { Limits } from '../domain/limits.ts'
import { builtInVersions } from '../evaluators/catalogue.ts'
import type { PrincipalSource } from '../http/auth.ts'
import { createClientAddress } from '../http/client-address.ts'
import { RequestLimits } from '../http/limits/request-limits.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { recentPrincipals } from '../http/otlp/recent-principals.ts'
import { defined } from '../lib/defined.ts'
import { startThread } from '../lib/threads/start-thread.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Secrets } from '../ports/sealer.ts'
import type { OwnModels } from '../ports/text-classifier.ts'
import type { Closables } from './closables.ts'
import { type Edge, openEdge } from './open-edge.ts'
import { readPrices } from './open-judges.ts'
import { openStorage, type StoreOptions } from './open-storage.ts'
import { openStream } from './open-stream.ts'
import { Readiness } from './readiness.ts'
import { partsOf, type RoleParts } from './roles.ts'

/** The parts that everything else is built on. */
export interface Core {
  readonly config: Config
  readonly logger: Logger
  readonly role: RoleParts
  readonly edge: Edge
  readonly control: ControlDeps & { readonly limits: Limits }
  readonly firstKey: FirstKey
  readonly ownModels: OwnModels | undefined
  /** Prices that win over the built-in ones. */
  readonly prices: ReturnType<typeof readPrices>
  readonly metrics: Metrics
  /** Stands between the receiving and the storing of spans, where there is one. */
  readonly spans: Awaited<ReturnType<typeof openStream>>
  readonly readiness: Readiness
  /** The callers that may send spans. */
  readonly senders: PrincipalSource
  readonly requestLimits: RequestLimits
  /** Encrypts provider keys. */
  readonly secrets: Secrets
}

/** Options of the parts that only tests set. */
export interface CoreOptions {
  /** Instead of the system's clock: an old store is opened at its own time, before its rows expire. */
  readonly clock?: Clock
  /** Instead of the real threads of the store. */
  readonly store?: Pick<StoreOptions, 'startThread'>
}

/** The control plane alone, for commands that work on the store without serving. */
export async function openControl(
  config: Config,
  logger = createLogger(config.logLevel),
  options?: StoreOptions,
): Promise<ControlDeps> {
  const storage = await openStorage(config, logger, options)
  return { storage, clock: systemClock, ids: createUuidV7Source() }
}

/** Opens the store, the stream and the edges. */
export async function openCore(
  config: Config,
  logger: Logger,
  closing: Closables,
  options: CoreOptions = {},
): Promise<Core> {
  const edge = openEdge(config, logger)
  closing.add(() => edge.certificates?.close())
  const ownModels = await checkOwnModels(ownModelsOf(config), {
    ...defined({ runtimeDir: config.onnxRuntimeDir }),
    evaluatorVersions: builtInVersions(),
    startThread,
    trialMsMax: config.evaluationMsMax,
  })
  const prices = readPrices(config)
  const limits = defaultLimitsOf(config)
  const control = {
    ...(await openControl(config, logger, { isOwner: true, ...options.store })),
    limits,
    ...(options.clock ? { clock: options.clock } : {}),
  }
  const { storage } = control
  closing.add(() => storage.close())
  const firstKey = await settleFirstKey(control, config.apiKey, createKeyFile(config.dataDir), logger)
  const secrets = openSecrets(config)
  await reportSecrets(control, secrets, logger)
  const role = partsOf(config.role)
  const spans = role.takesSpans || role.works ? await openStream(config, logger) : undefined
  if (spans) closing.add(() => spans.close())
  const metrics = createMetrics(() => storage.system.readBacklog())
  metrics.showEdge(() => ({
    connections: edge.listener.connections.size,
    closedConnections: edge.listener.connections.closedCount,
    bodyBytes: edge.bodies.bytes,
  }))
  // A process that only puts spans into a stream is ready while the store is away, too.
  const readiness = new Readiness([
    ...(spans ? [spans] : []),
    ...(spans && config.role === 'ingest' ? [] : [storage.system]),
  ])
  const requestLimits = new RequestLimits(limits, config.limitFailedAuthentications, {
    storage,
    logger,
    clientAddress: createClientAddress(config.trustedProxies ?? []),
    onRefused: metrics.limits.countRefusal,
  })
  return {
    ...{
      config,
      logger,
      role,
      edge,
      control,
      firstKey,
      ownModels,
      prices,
      metrics,
      spans,
      readiness,
      requestLimits,
    },
    senders: spans ? recentPrincipals(storage) : storage,
    secrets,
  }
}

/** The secrets key of the settings, or the one beside an embedded store. */
function openSecrets({ secretsKey: setting, databaseUrl, dataDir }: Config): Secrets {
  return createSecrets({
    ...defined({ setting }),
    ...(databaseUrl === undefined ? { file: secretsFile(dataDir) } : {}),
  })
}
