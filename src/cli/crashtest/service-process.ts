import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

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

/** How the process of a service is started: its output is read, its input is empty. */
export interface ServiceSpawnOptions extends Pick<SpawnOptions, 'cwd' | 'env'> {
  readonly stdio: ['ignore', 'pipe', 'pipe']
}

/** How a service is started: its command, all of its environment, and the folder it runs in. */
export interface ServiceCommand {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Told about the process as soon as there is one: it may have to be ended before it is ready. */
  readonly onSpawn?: (child: ChildProcess) => void
  /** Instead of Node's own, for processes that must not outlive this one. */
  readonly spawn?: (program: string, args: readonly string[], options: ServiceSpawnOptions) => ChildProcess
}

/** Starts a service and waits until it says where it is. Fails with its output when it ends instead. */
export async function startServiceProcess({
  command,
  env,
  cwd,
  onSpawn,
  spawn: start = spawn,
}: ServiceCommand): Promise<ServiceProcess> {
  const [program = '', ...args] = command
  const child = start(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const pipes = [child.stdout, child.stderr] as Readable[]
  onSpawn?.(child)
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /running at (https?:\S+)/.exec(output)?.[1]
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
      child.kill('SIGKILL')
      for (const pipe of pipes) pipe.destroy()
    },
  }
}
