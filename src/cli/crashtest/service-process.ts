import { type ChildProcess, spawn } from 'node:child_process'

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

/** How a service is started: its command, all of its environment, and the folder it runs in. */
export interface ServiceCommand {
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Told about the process as soon as there is one: it may have to be ended before it is ready. */
  readonly onSpawn?: (child: ChildProcess) => void
}

/** Starts a service and waits until it says where it is. Fails with its output when it ends instead. */
export async function startServiceProcess({
  command,
  env,
  cwd,
  onSpawn,
}: ServiceCommand): Promise<ServiceProcess> {
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  onSpawn?.(child)
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /running at (http:\S+)/.exec(output)?.[1]
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
