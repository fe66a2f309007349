import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import type { Socket } from 'node:net'

/** File descriptor of the pipe that stays open for as long as the process that started the program lives. */
const PIPE = 3
const PARENT_LOOK_MS = 1_000

/** Ends the program and everything that it has started in its process group, the guard included. */
const KILL_GROUP = 'kill -s KILL -- -$$'
/** An immediate shutdown also ends the processes of connections, which lead groups of their own. */
const SHUT_DOWN_POSTGRES = `
  kill -s QUIT $$
  looks=0
  while kill -s 0 $$ && [ $looks -lt 600 ]; do looks=$((looks + 1)); sleep 0.1; done
  rm -rf -- "$0"`

type Output = 'ignore' | 'pipe' | 'inherit'

/** How a guarded program is started, besides what `spawn` takes. */
export interface GuardOptions extends Omit<SpawnOptions, 'detached' | 'stdio'> {
  readonly stdio: readonly ['ignore', Output, Output]
  /** Set for PostgreSQL: it gets an immediate shutdown instead of SIGKILL, and this directory is removed after that. */
  readonly postgresDirectory?: string
}

/**
 * Starts a program that does not outlive this process, even if this process is ended by SIGKILL. The program leads a process
 * group of its own. Its pid, exit code and signal are the program's, because the shell that starts the guard becomes it.
 */
export function spawnGuarded(
  program: string,
  args: readonly string[],
  { stdio, postgresDirectory, ...options }: GuardOptions,
): ChildProcess {
  const script = guardScript(postgresDirectory === undefined ? KILL_GROUP : SHUT_DOWN_POSTGRES)
  const child = spawn('/bin/sh', ['-c', script, postgresDirectory ?? 'guard', program, ...args], {
    ...options,
    detached: true,
    stdio: [...stdio, 'pipe'],
  })
  const pipe = child.stdio[PIPE] as Socket
  pipe.on('error', () => {})
  pipe.unref()
  // Releases the guard: it has nothing left to end, and the pid may soon belong to another process.
  child.once('exit', () => pipe.end('ended\n'))
  return child
}

/**
 * The guard reads the pipe; its end without a line means that the starting process is gone. The second subshell makes the
 * guard a child of init, because PostgreSQL takes the end of an unknown child for a crash. `$$` is the pid of the outer shell
 * in every subshell, hence the program's.
 */
function guardScript(cleanUp: string): string {
  return `
    ( ( IFS= read -r line <&${PIPE} || { ${cleanUp}
    } ) </dev/null >/dev/null 2>&1 & )
    exec ${PIPE}<&-
    exec "$@"`
}

/** Kills a guarded program and everything in its process group; does nothing when they have ended already. */
export function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Ends this process, and with it everything that it has started guarded, when its parent was killed and passed nothing on. */
export function endWithParent(): void {
  const parent = process.ppid
  setInterval(() => process.ppid === parent || process.exit(1), PARENT_LOOK_MS).unref()
}
