import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/** A service in a process of its own, so that it can be killed like one. */
export interface ServiceProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Everything it has printed so far. */
  output(): string
  /** Sends the signal and waits until the process is gone. */
  end(signal: NodeJS.Signals): Promise<number | null>
  /** Kills what is left and lets go of its pipes; does no harm when it has ended already. */
  abandon(): void
}

/** Starts a service and waits until it says where it is. Fails with its output when it ends instead. */
export async function spawnService(
  env: Record<string, string>,
  command: readonly string[] = [process.execPath, path.join(root, 'scripts/assay.ts'), 'start'],
  cwd = root,
): Promise<ServiceProcess> {
  const [program = '', ...args] = command
  const child = spawn(program, args, {
    cwd,
    env: { ...inheritedEnvironment(), PORT: '0', ASSAY_OTLP_GRPC_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /running at (https?:\S+)/.exec(output)?.[1]
      if (address) resolve(address)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
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
      child.kill('SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
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
