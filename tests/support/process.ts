import path from 'node:path'
import { type ServiceProcess, startServiceProcess } from '../../src/cli/crashtest/service-process.ts'

export type { ServiceProcess } from '../../src/cli/crashtest/service-process.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Starts a service and waits until it says where it is. Fails with its output when it ends instead. */
export function spawnService(
  env: Record<string, string>,
  command: readonly string[] = [process.execPath, path.join(root, 'scripts/assay.ts'), 'start'],
  cwd = root,
): Promise<ServiceProcess> {
  const all = { ...inheritedEnvironment(), PORT: '0', ASSAY_OTLP_GRPC_PORT: '0', ...env }
  return startServiceProcess({ command, env: all, cwd })
}

/** Neither the settings of the person who runs the tests nor the test runner's own marks belong to the service. */
export function inheritedEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) =>
        !/^(ASSAY_|NODE_TEST|NODE_OPTIONS|HOST$|PORT$)|_API_KEY$|_BASE_URL$|^A(WS|ZURE)_/.test(name),
    ),
  )
}
