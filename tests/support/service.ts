import { after } from 'node:test'
import { type AppOptions, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { type Answer, type CallOptions, call, FIRST_KEY } from './call.ts'
import { PATIENT_SETTINGS } from './process.ts'
import { recordingLogger } from './recording-logger.ts'
import { temporaryDirectory } from './temporary-directory.ts'
import { type TestStore, testStore } from './test-store.ts'

/** A running service over real HTTP on a free port, with a store of its own. */
export interface TestService {
  readonly url: string
  readonly dataDir: string
  readonly store: TestStore
  readonly logLines: string[]
  /** Where it takes gRPC, if it was asked to. */
  readonly grpcAddress: string | undefined
  /** Where it serves metrics, if they have a port of their own. */
  readonly metricsAddress: string | undefined
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  close(): Promise<void>
}

/** Options of a test service besides settings. */
export interface ServiceOptions {
  readonly withGrpc?: boolean
  readonly dashboardDir?: string
  readonly store?: AppOptions['store']
  readonly clock?: Clock
}

/** Starts a service in this process; it ends with the test file. Answers are checked against their schemas. */
export async function startService(
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  const dataDir = env['ASSAY_DATA_DIR'] ?? temporaryDirectory()
  const store = await testStore(dataDir)
  const { config } = readConfig({
    PORT: '0',
    ASSAY_OTLP_GRPC_PORT: '0',
    ASSAY_API_KEY: FIRST_KEY,
    ...PATIENT_SETTINGS,
    ...store.env,
    ...env,
  })
  const logLines: string[] = []
  const app = await createApp(config, recordingLogger(logLines), {
    checkAnswers: true,
    ...(options.withGrpc ? { otlpGrpcPort: 0 } : {}),
    ...(options.clock ? { clock: options.clock } : {}),
    ...(options.dashboardDir === undefined ? {} : { dashboardDir: options.dashboardDir }),
    ...(options.store ? { store: options.store } : {}),
  })
  const url = await app.listen()
  let closed: Promise<void> | undefined
  const close = () => (closed ??= app.close())
  after(close)
  return {
    url,
    dataDir,
    store,
    logLines,
    grpcAddress: app.grpcAddress(),
    metricsAddress: app.metricsAddress(),
    close,
    call: (method, path, options) => call(url, method, path, options),
  }
}

/** A service whose setups stay as they were written: none is processed for as long as any test lasts. */
export function startRestingService(
  env: Record<string, string> = {},
  options: ServiceOptions = {},
): Promise<TestService> {
  return startService({ ASSAY_SETUP_REST_MS: '600000', ...env }, options)
}
