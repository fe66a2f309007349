import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLogger } from './adapters/system/pino-logger.ts'
import { Closables } from './app/closables.ts'
import { LimitKeeping } from './app/limit-keeping.ts'
import { type CoreOptions, openCore } from './app/open-core.ts'
import { openExecution } from './app/open-execution.ts'
import { openPipeline } from './app/open-pipeline.ts'
import { routeDepsOf } from './app/route-deps.ts'
import { type ServerOptions, Servers } from './app/servers.ts'
import type { Config } from './config.ts'
import type { FirstKey } from './control/first-key.ts'
import { openProviderKey } from './control/provider-keys.ts'
import { Executions } from './pipeline/execute/executions.ts'
import type { Logger } from './ports/logger.ts'

/** The service, put together and not yet listening. */
export interface App {
  readonly firstKey: FirstKey
  /** The judge for organizations without keys of their own; undefined where there is none. */
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

/** Options that only tests set. */
export interface AppOptions extends CoreOptions, ServerOptions {}

/** The log of the service, for the lines that come before the service itself. */
export function createAppLogger({ logLevel }: Config): Logger {
  return createLogger(logLevel)
}

/** Chooses the adapters and connects everything. When something cannot be opened, everything is closed again. */
export async function createApp(config: Config, logger: Logger, options?: AppOptions): Promise<App> {
  const closing = new Closables()
  try {
    return await buildApp(config, logger, closing, options)
  } catch (error) {
    await closing.close().catch((fault) => logger.error({ err: fault }, 'what was opened cannot be closed'))
    throw error
  }
}

async function buildApp(
  config: Config,
  logger: Logger,
  closing: Closables,
  options?: AppOptions,
): Promise<App> {
  const core = await openCore(config, logger, closing, options)
  const { control, role, edge, metrics, requestLimits, readiness, secrets, ownModels, prices } = core
  const execution = openExecution(config, {
    ...{ storage: control.storage, logger, ownModels, prices, counters: metrics.judges },
    openKey: (tenant, key) => openProviderKey(secrets, tenant, key),
  })
  closing.add(() => execution.close())
  const pipeline = openPipeline(core, execution)
  closing.add(() => pipeline.close())
  const executions = new Executions({ ...control, logger, execute: execution.execute })
  closing.add(() => executions.close())
  const limitKeeping = new LimitKeeping({
    ...{ ...control, logger, watchesUse: role.works },
    ...{ rates: requestLimits.rates, onLook: metrics.limits.showStates },
  })
  closing.add(() => limitKeeping.close())
  const grpcPort = () => servers.grpcAddress?.port
  const routeDeps = routeDepsOf({ core, execution, executions, pipeline, grpcPort })
  const servers: Servers = new Servers(core, routeDeps, options)
  closing.add(() => servers.close())
  const close = () => closing.close()
  return {
    firstKey: core.firstKey,
    judge: execution.judges.operatorJudge,
    close,
    async drain() {
      readiness.leave()
      await sleep(config.drainMs)
      await close()
    },
    grpcAddress: () => servers.grpcAddress && hostOf(servers.grpcAddress),
    metricsAddress: () => servers.metricsAddress && hostOf(servers.metricsAddress),
    async listen() {
      // A port that is taken must end the process, which the store's threads would keep alive.
      const address = await servers.listen().catch(async (error) => {
        await close()
        throw error
      })
      if (role.works) pipeline.start()
      limitKeeping.start()
      await servers.listenGrpc()
      edge.certificates?.watch()
      return `${edge.certificates ? 'https' : 'http'}://${hostOf(address)}`
    },
  }
}

function hostOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `localhost:${port}`
  return family === 'IPv6' ? `[${address}]:${port}` : `${address}:${port}`
}
