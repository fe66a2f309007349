import { createApp, createAppLogger } from './app.ts'
import type { Role } from './config/store-settings.ts'
import { readConfig } from './config.ts'
import type { FirstKey } from './control/first-key.ts'

/** The facts to report about a service that has started. */
export interface Started {
  readonly address: string
  readonly firstKey: FirstKey
  /** The judge for organizations without keys of their own; undefined where there is none. */
  readonly judge: string | undefined
  readonly role: Role
}

/** Reads the configuration, starts the service, and drains it when the process is told to end. */
export async function serve(env: Readonly<Record<string, string | undefined>>): Promise<Started> {
  const { config, warnings } = readConfig(env)
  const logger = createAppLogger(config)
  for (const warning of warnings) logger.warn({}, warning)

  const app = await createApp(config, logger)
  const address = await app.listen()

  let closing = false
  const shutDown = async (signal: string) => {
    if (closing) return
    closing = true
    logger.info({ signal }, 'shutting down')
    await app.drain()
    process.exitCode = 0
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void shutDown(signal))
  return { address, firstKey: app.firstKey, judge: app.judge, role: config.role }
}
