import { execFileSync } from 'node:child_process'

/** A process of this machine. */
export interface RunningProcess {
  readonly pid: number
  readonly ppid: number
  readonly pgid: number
}

/** All processes that run; one that has ended and only waits for its parent to ask about it does not. */
export function runningProcesses(): RunningProcess[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid=,pgid=,stat='], { encoding: 'utf8' }).trim().split('\n')
  return lines.flatMap((line) => {
    const [pid, ppid, pgid, state] = line.trim().split(/\s+/)
    return state?.startsWith('Z') ? [] : [{ pid: Number(pid), ppid: Number(ppid), pgid: Number(pgid) }]
  })
}

/** The descendants of a process. */
export function descendantsOf(pid: number, all = runningProcesses()): RunningProcess[] {
  const children = all.filter(({ ppid }) => ppid === pid)
  return children.flatMap((child) => [child, ...descendantsOf(child.pid, all)])
}

/** Those of some processes that still run. */
export function stillRunning(pids: readonly number[]): number[] {
  const running = new Set(runningProcesses().map(({ pid }) => pid))
  return pids.filter((pid) => running.has(pid))
}
