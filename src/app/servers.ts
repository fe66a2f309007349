import type { AddressInfo } from 'node:net'
import { DASHBOARD_DIR } from '../http/dashboard/dashboard-files.ts'
import { GrpcServer } from '../http/grpc/grpc-server.ts'
import { otlpMethods } from '../http/grpc/otlp-methods.ts'
import type { RouteDeps } from '../http/route.ts'
import { healthzRoute } from '../http/routes/service/healthz.ts'
import { metricsRoute } from '../http/routes/service/metrics.ts'
import { readyzRoute } from '../http/routes/service/readyz.ts'
import { buildServer } from '../http/server.ts'
import type { Core } from './open-core.ts'

/** Options of the servers that only tests set. */
export interface ServerOptions {
  readonly checkAnswers?: boolean
  /** Instead of the folder that comes with the service. */
  readonly dashboardDir?: string
  /** Instead of the setting; 0 takes any free port. */
  readonly otlpGrpcPort?: number
}

type HttpServer = ReturnType<typeof buildServer>

/** Everything that listens: HTTP, OTLP over gRPC, and metrics where they have a port of their own. */
export class Servers {
  readonly #core: Core
  readonly #http: HttpServer
  readonly #metrics: HttpServer | undefined
  readonly #grpc: GrpcServer
  readonly #grpcPort: number | undefined
  #grpcAddress: AddressInfo | undefined

  constructor(core: Core, routeDeps: RouteDeps, options: ServerOptions = {}) {
    const { config, role, edge, senders, logger, metrics, requestLimits } = core
    const { bodies, listener } = edge
    const common = {
      ...{ bodyBytesMax: config.bodyBytesMax, listener, bodies },
      checkAnswers: options.checkAnswers ?? false,
    }
    this.#core = core
    const hasOwnPort = config.metricsPort !== undefined
    this.#http = buildServer(
      hasOwnPort ? role.routes.filter((route) => route !== metricsRoute) : role.routes,
      routeDeps,
      { ...common, ...(role.servesDashboard ? { dashboardDir: options.dashboardDir ?? DASHBOARD_DIR } : {}) },
    )
    // Not encrypted: the scraper is a neighbour.
    this.#metrics = hasOwnPort
      ? buildServer([metricsRoute, healthzRoute, readyzRoute], routeDeps, {
          ...common,
          listener: edge.plainListener,
        })
      : undefined
    this.#grpc = new GrpcServer(
      otlpMethods(routeDeps.ingest, requestLimits),
      { senders, logger, metrics, requestLimits, bodies, listener },
      config.bodyBytesMax,
    )
    this.#grpcPort = role.takesSpans
      ? (options.otlpGrpcPort ?? (config.otlpGrpcPort || undefined))
      : undefined
  }

  get grpcAddress(): AddressInfo | undefined {
    return this.#grpcAddress
  }

  get metricsAddress(): AddressInfo | undefined {
    return this.#metrics?.server.address() as AddressInfo | undefined
  }

  /** Resolves with the address when HTTP is served; rejects when a port is taken. */
  async listen(): Promise<AddressInfo> {
    const { config } = this.#core
    await Promise.all([
      this.#http.listen({ port: config.port, host: config.host }),
      this.#metrics?.listen({ port: config.metricsPort ?? 0, host: config.metricsHost ?? config.host }),
    ])
    return this.#http.server.address() as AddressInfo
  }

  /** A port for gRPC that is taken is told, and no reason to end. */
  async listenGrpc(): Promise<void> {
    const { host } = this.#core.config
    if (this.#grpcPort !== undefined) this.#grpcAddress = await this.#grpc.listen(this.#grpcPort, host)
  }

  /** Stops accepting and lets requests under way finish; those that take too long are cut off. */
  async close(): Promise<void> {
    const { shutdownMs } = this.#core.config
    const impatience = setTimeout(() => {
      this.#http.server.closeAllConnections()
      this.#metrics?.server.closeAllConnections()
    }, shutdownMs)
    await Promise.all([this.#http.close(), this.#grpc.close(shutdownMs), this.#metrics?.close()]).finally(
      () => clearTimeout(impatience),
    )
  }
}
