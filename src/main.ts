import { createLogger } from './adapters/system/pino-logger.ts'
import { createApp } from './app.ts'
import { renderBanner } from './cli/banner.ts'
import { readConfig } from './config.ts'

/** Reads the configuration, starts the service, and drains it when the process is told to end. */
export async function serve(env: Readonly<Record<string, string | undefined>>): Promise<void> {
  const { config, warnings } = readConfig(env)
  const logger = createLogger(config.logLevel)
  for (const warning of warnings) logger.warn({}, warning)

  const app = await createApp(config, logger)
  const address = await app.listen()
  process.stdout.write(renderBanner(address, app.firstKey))

  let closing = false
  const shutDown = async (signal: string) => {
    if (closing) return
    closing = true
    logger.info({ signal }, 'shutting down')
    await app.close()
    process.exitCode = 0
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => void shutDown(signal))
}
