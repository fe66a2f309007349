import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { killGroup, spawnGuarded } from './support/guarded-process.ts'
import { inheritedEnvironment } from './support/process.ts'
import { descendantsOf, stillRunning } from './support/process-list.ts'
import { eventually } from './support/spans.ts'
import { temporaryDirectory } from './support/temporary-directory.ts'

const SCRIPT = path.join(import.meta.dirname, '../scripts/test-load.ts')

describe('the tests beside busy loops', () => {
  test('pass where they once depended on the speed of the machine', async () => {
    // Two loops are enough: the other tests of the run are busy beside it.
    const { code, output } = await start('--short', '--loops', '2').ended
    assert.equal(code, 0, output)
    assert.match(output, /\| 1 \| passed \| \d{2,} passed, 0 failed, \d+ skipped \| \d+ \|\n$/)
  })

  test('are told one by one, and one that fails fails them all', async () => {
    const runs = path.join(temporaryDirectory(), 'runs')
    const file = testFile(`
      appendFileSync(${JSON.stringify(runs)}, '.')
      test('fails the second time', () => assert.notEqual(readFileSync(${JSON.stringify(runs)}, 'utf8'), '..'))`)
    const { code, output } = await start('--runs', '3', '--loops', '1', file).ended
    assert.equal(code, 1)
    const results = [...output.matchAll(/^\| \d \| (\w+) \| (\d) passed, (\d) failed/gm)]
    assert.deepEqual(
      results.map(([, result, passed, failed]) => [result, passed, failed]),
      [
        ['passed', '1', '0'],
        ['FAILED', '0', '1'],
        ['passed', '1', '0'],
      ],
    )
  })

  test('end with all loops when the script is ended or killed', async () => {
    const file = testFile(`test('never ends', () => new Promise(() => setInterval(() => {}, 60_000)))`)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const run = start('--loops', '2', file)
      const pids = await eventually(async () => {
        const children = descendantsOf(run.pid).map(({ pid }) => pid)
        return children.length >= 3 && children
      }, 'two loops and a run of the tests')
      process.kill(run.pid, signal)
      await eventually(async () => stillRunning(pids).length === 0, `${pids} end`)
    }
  })

  test('take numbers only', async () => {
    const { code, output } = await start('--loops', 'many').ended
    assert.equal(code, 1)
    assert.match(output, /--loops must be an integer from 0 to 1000, not "many"/)
  })
})

function testFile(text: string): string {
  const file = path.join(temporaryDirectory(), 'file.ts')
  writeFileSync(
    file,
    `import assert from 'node:assert/strict'
     import { appendFileSync, readFileSync } from 'node:fs'
     import { test } from 'node:test'
     ${text}`,
  )
  return file
}

function start(...args: string[]) {
  const child = spawnGuarded(process.execPath, [SCRIPT, ...args], {
    env: inheritedEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  after(() => killGroup(child))
  let output = ''
  for (const pipe of [child.stdout, child.stderr]) pipe?.on('data', (chunk) => (output += String(chunk)))
  const ended = once(child, 'close').then(([code]) => ({ code, output }))
  return { pid: child.pid ?? 0, ended }
}
