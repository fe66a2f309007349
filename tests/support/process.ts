import type { ChildProcess } from 'node:child_process'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { killGroup, spawnGuarded } from './guarded-process.ts'

const root = path.resolve(import.meta.dirname, '../..')

/** Settings of a service on a machine that is much slower than usual, where a limit is not what a test is about. */
export const PATIENT_SETTINGS = {
  ASSAY_EVALUATION_MS_MAX: '300000',
  ASSAY_JUDGE_MS_MAX: '300000',
  ASSAY_DATABASE_STATEMENT_MS_MAX: '300000',
  ASSAY_DATABASE_CONNECT_MS_MAX: '300000',
}

/** A service in a process of its own, so that it can be killed like one. */
export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it has printed so far. */
  output(): string
  /** Sends the signal and waits until the process is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Kills what is left of it and of what it started, and closes its pipes; does nothing when it has ended already. */
  abandon(): void
}

/** Starts a service and waits until it says where it is. Fails with its output when it ends instead. */
export async function spawnService(
  env: Record<string, string>,
  command: readonly string[] = [process.execPath, path.join(root, 'scripts/assay.ts'), 'start'],
  cwd = root,
): Promise<ServiceProcess> {
  const [program = '', ...args] = command
  const child = spawnGuarded(program, args, {
    cwd,
    env: { ...inheritedEnvironment(), PORT: '0', ASSAY_OTLP_GRPC_PORT: '0', ...PATIENT_SETTINGS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pipes = [child.stdout, child.stderr] as Readable[]
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /running at (http:\S+)/.exec(output)?.[1]
      if (address) resolve(address)
    }
    for (const pipe of pipes) pipe.on('data', read)
    child.once('error', reject)
    void exited.then((code) => reject(new Error(`the service ended with ${code}:\n${output}`)))
  })
  return {
    url,
    child,
    output: () => output,
    async end(signal) {
      child.kill(signal)
      return exited
    },
    abandon() {
      killGroup(child)
      for (const pipe of pipes) pipe.destroy()
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
