import { execFileSync } from 'node:child_process'
import os from 'node:os'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)

/** Prints what a reader needs to judge the figures below it: when, with what, on what. */
export function describeRun(lines: readonly string[]): void {
  const cpus = os.cpus()
  console.log(
    [
      `${new Date().toISOString().slice(0, 10)}, commit ${commit()}, Node.js ${process.version}, ${process.platform} ${process.arch},`,
      `${cpus.length} cores (${cpus[0]?.model.trim()})`,
    ].join(' '),
  )
  console.log(lines.join('\n'))
}

/** The value below which `percent` of the values lie, in a list of any order. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** The middle value; of an even number of values the lower of the two. */
export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.ceil(values.length / 2) - 1] ?? Number.NaN
}

/** The value of an option, which must be a whole number. */
export function wholeNumber(option: string, given: string, min = 0): number {
  const value = Number(given)
  if (!/^\d+$/.test(given) || value < min)
    throw new Error(`--${option} must be a whole number from ${min}, not ${given}`)
  return value
}

function commit(): string {
  try {
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    const isChanged = git('status', '--porcelain', 'src') !== ''
    return git('rev-parse', '--short', 'HEAD') + (isChanged ? ' with changes' : '')
  } catch {
    return 'unknown'
  }
}
