import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { killGroup, spawnGuarded } from './support/guarded-process.ts'
import { inheritedEnvironment } from './support/process.ts'
import { stillRunning } from './support/process-list.ts'
import { eventually } from './support/spans.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const root = path.dirname(import.meta.dirname)
const RUNNER = [path.join(root, 'scripts/test.ts')]
/** The program that `npm test` starts; it passes signals on to the runner. */
const LAUNCHER = [path.join(root, 'scripts/run.mjs'), 'test']

describe('a test run leaves no server behind', () => {
  for (const [name, command, signal, servers] of [
    ['the runner is told to end', RUNNER, 'SIGTERM', 'all'],
    ['the runner is killed', RUNNER, 'SIGKILL', 'all'],
    ['the launcher is interrupted', LAUNCHER, 'SIGINT', 'a service'],
    ['the terminal of the launcher closes', LAUNCHER, 'SIGHUP', 'a service'],
    ['the launcher is killed', LAUNCHER, 'SIGKILL', 'a service'],
  ] as const) {
    test(`when ${name} (${signal})`, async () => {
      const pidFile = path.join(temporaryDirectory(), 'pids')
      const file = path.join(import.meta.dirname, 'support/endless-run.ts')
      const run = startRun([...command, file], {
        ENDLESS_RUN_PIDS: pidFile,
        ENDLESS_RUN_SERVERS: servers,
        // A run without it has a PostgreSQL of its own.
        ...(servers === 'all' ? { TEST_DATABASE_URL: '' } : {}),
      })
      const pids = await eventually<number[]>(async () => {
        assert.equal(run.child.exitCode, null, run.output())
        return existsSync(pidFile) && readPids(pidFile)
      }, 'the servers run')
      assert.deepEqual(stillRunning(pids), pids)
      run.child.kill(signal)
      await eventually(async () => stillRunning(pids).length === 0, `${pids} end`)
    })
  }

  test('when a test fails that does not stop its server', async () => {
    const directory = temporaryDirectory()
    const [file, pidFile] = [path.join(directory, 'failing.ts'), path.join(directory, 'pids')]
    writeFileSync(
      file,
      `import { writeFileSync } from 'node:fs'
       import { test } from 'node:test'
       import { startPostgres } from ${JSON.stringify(path.join(import.meta.dirname, 'support/postgres-server.ts'))}
       test('fails', async () => {
         const { pid } = await startPostgres({ isDurable: false })
         writeFileSync(${JSON.stringify(pidFile)}, JSON.stringify([pid]))
         throw new Error('as intended')
       })`,
    )
    const run = startRun([...RUNNER, file])
    const [code] = await once(run.child, 'exit')
    assert.equal(code, 1, run.output())
    assert.match(run.output(), /0 passed, 1 failed/)
    const pids = readPids(pidFile) || []
    assert.equal(pids.length, 1)
    await eventually(async () => stillRunning(pids).length === 0, `${pids} end`)
  })
})

/** Starts a run in an environment without the marks of this one. */
function startRun(
  args: readonly string[],
  env: Record<string, string> = {},
): { child: ChildProcess; output(): string } {
  const child = spawnGuarded(process.execPath, args, {
    cwd: root,
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => killGroup(child))
  let output = ''
  for (const pipe of [child.stdout, child.stderr]) pipe?.on('data', (chunk) => (output += String(chunk)))
  return { child, output: () => output }
}

/** False while the file is still being written. */
function readPids(file: string): number[] | false {
  const text = readFileSync(file, 'utf8')
  return text.endsWith(']') && JSON.parse(text)
}
