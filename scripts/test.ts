// Runs every test and ends with the line `N passed, N failed`. Arguments are files to run instead of all of them.

import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const reporter = path.join(import.meta.dirname, 'test-reporter.ts')

/** Files that run beside each other; Node's own choice would be one at a time on two cores. */
const FILES_AT_ONCE = 2
/** What measures time, and so wants the machine for itself. */
const ALONE = ['tests/event-loop.test.ts', 'tests/start.test.ts', 'tests/crash/crash.test.ts']

const given = process.argv.slice(2)
const files =
  given.length > 0
    ? given
    : globSync(['src/**/*.test.ts', 'bench/*.test.ts', 'training/**/*.test.ts', 'tests/**/*.test.ts'], {
        cwd: root,
        exclude: ['**/node_modules/**'],
      })

const runs = [
  await run(
    files.filter((file) => !ALONE.includes(file)),
    FILES_AT_ONCE,
  ),
  await run(
    files.filter((file) => ALONE.includes(file)),
    1,
  ),
]
const total = (name: string) => runs.reduce((sum, { counts }) => sum + (counts[name] ?? 0), 0)
console.log(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`)
process.exit(runs.every(({ isGood }) => isGood) ? 0 : 1)

/** Runs files and reads the counts in the last line of what they say. */
function run(
  some: readonly string[],
  concurrency: number,
): Promise<{ isGood: boolean; counts: Record<string, number> }> {
  if (some.length === 0) return Promise.resolve({ isGood: true, counts: {} })
  const child = spawn(
    process.execPath,
    [
      '--test',
      '--test-timeout=120000',
      `--test-concurrency=${concurrency}`,
      `--test-reporter=${reporter}`,
      '--test-reporter-destination=stdout',
      ...some.toSorted(),
    ],
    { cwd: root, stdio: ['inherit', 'pipe', 'inherit'] },
  )
  let said = ''
  child.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    said = (said + chunk.toString()).slice(-1_000)
  })
  return new Promise((resolve) => {
    child.on('close', (code) => {
      const counts: Record<string, number> = {}
      for (const [, count, what = ''] of said.matchAll(/(\d+) (passed|failed|skipped)/g))
        counts[what] = Number(count)
      resolve({ isGood: code === 0, counts })
    })
  })
}
