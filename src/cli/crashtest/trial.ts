import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type ServiceProcess, startServiceProcess } from './service-process.ts'
import { TrialClient } from './trial-client.ts'

/** How a trial starts services. */
export interface TrialOptions {
  /** The command that starts a service, with the environment it inherits. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where its temporary folder is made, instead of in the system's. */
  readonly parent?: string
}

/** Settings that belong to the user of the trial and must not reach the service under trial. */
const OWN_SETTINGS = /^(ASSAY_|OTEL_|NODE_OPTIONS$|HOST$|PORT$)|_API_KEY$|_BASE_URL$|^A(WS|ZURE)_/

/** A service over a store of its own in a temporary folder, which goes with the trial. */
export class Trial {
  readonly directory: string
  readonly #key = randomBytes(24).toString('hex')
  readonly client = new TrialClient(this.#key)
  readonly #options: TrialOptions
  #service: ServiceProcess | undefined
  #child: ChildProcess | undefined
  /** How often the service ended by itself. */
  crashes = 0

  constructor(options: TrialOptions) {
    this.#options = options
    this.directory = mkdtempSync(path.join(options.parent ?? os.tmpdir(), 'assay-crashtest-'))
  }

  /** Starts the service, again after it was ended. `wrap` changes the command, to limit what the process may do. */
  async start(wrap = (command: readonly string[]) => command): Promise<ServiceProcess> {
    const inherited = Object.fromEntries(
      Object.entries(this.#options.env).filter(([name]) => !OWN_SETTINGS.test(name)),
    )
    const service = await startServiceProcess({
      command: wrap(this.#options.command),
      cwd: this.directory,
      onSpawn: (child) => {
        this.#child = child
      },
      env: {
        ...inherited,
        HOST: '127.0.0.1',
        PORT: '0',
        ASSAY_OTLP_GRPC_PORT: '0',
        ASSAY_DATA_DIR: path.join(this.directory, 'data'),
        ASSAY_API_KEY: this.#key,
        ASSAY_SETUP_REST_MS: '0',
        ASSAY_LOG_LEVEL: 'fatal',
      },
    })
    this.#service = service
    this.client.url = service.url
    service.child.once('exit', () => {
      if (this.#service === service) this.crashes++
    })
    return service
  }

  /** Sends a signal that the service outlives. */
  signal(signal: NodeJS.Signals): void {
    this.#service?.child.kill(signal)
  }

  /** Ends the service with a signal. */
  async end(signal: NodeJS.Signals): Promise<void> {
    const service = this.#service
    this.#service = undefined
    await service?.end(signal)
  }

  /** Ends everything and takes the folder away. */
  close(): void {
    const service = this.#service
    this.#service = undefined
    service?.abandon()
    // One that was still starting.
    this.#child?.kill('SIGKILL')
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 })
  }
}
