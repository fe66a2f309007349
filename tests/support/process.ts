import path from 'node:path'
import { type ServiceProcess, startServiceProcess } from '../../src/cli/crashtest/service-process.ts'
import { killGroup, spawnGuarded } from './guarded-process.ts'

export type { ServiceProcess } from '../../src/cli/crashtest/service-process.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Settings of a service on a machine that is much slower than usual, where a limit is not what a test is about. */
export const PATIENT_SETTINGS = {
  ASSAY_EVALUATION_MS_MAX: '300000',
  ASSAY_JUDGE_MS_MAX: '300000',
  ASSAY_DATABASE_STATEMENT_MS_MAX: '300000',
  ASSAY_DATABASE_CONNECT_MS_MAX: '300000',
}

/** Starts a service and waits until it says where it is. Fails with its output when it ends instead. */
export async function spawnService(
  env: Record<string, string>,
  command: readonly string[] = [process.execPath, path.join(root, 'scripts/assay.ts'), 'start'],
  cwd = root,
): Promise<ServiceProcess> {
  const all = { ...inheritedEnvironment(), PORT: '0', ASSAY_OTLP_GRPC_PORT: '0', ...PATIENT_SETTINGS, ...env }
  const service = await startServiceProcess({ command, env: all, cwd, spawn: spawnGuarded })
  return {
    ...service,
    abandon() {
      killGroup(service.child)
      service.abandon()
    },
  }
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
