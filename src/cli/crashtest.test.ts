import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { inheritedEnvironment } from '../../tests/support/process.ts'
import { temporaryDirectory } from '../../tests/support/temporary-directory.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')

test('crashtest prints one row for each attack, loses nothing and leaves the store of its user alone', async () => {
  const own = path.join(temporaryDirectory(), 'data')
  // Beneath the system's own, whose path every platform allows for.
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'assay-test-'))
  const { code, output } = await run(['--kills', '1', '--stop-seconds', '1', '--sockets', '3'], {
    ASSAY_DATA_DIR: own,
    ASSAY_DATABASE_URL: 'postgres://127.0.0.1:1/nowhere',
    TMPDIR: temporary,
  })
  assert.equal(code, 0, output)
  const rows = output
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .slice(2)
  assert.deepEqual(
    rows.map(([, attack]) => attack),
    ['kill -9 under load', 'full store', 'SIGSTOP beyond a lease', 'hostile client'],
  )
  for (const [, attack, , acknowledged, ...counts] of rows) {
    assert.ok(Number(acknowledged) > 0, `${attack}: nothing was acknowledged`)
    assert.deepEqual(counts.slice(0, 4), ['0', '0', '0', '0'], output)
  }
  assert.ok(!existsSync(own), 'the store of the user was opened')
  assert.deepEqual(readdirSync(temporary), [], 'the temporary folders are gone')
  rmSync(temporary, { recursive: true })
})

test('crashtest refuses an option that it does not know, and a number that is none', async () => {
  const unknown = await run(['--rounds', '3'], {})
  assert.equal(unknown.code, 2, unknown.output)
  const wrong = await run(['--kills', 'many'], {})
  assert.equal(wrong.code, 2)
  assert.match(wrong.output, /--kills must be a whole number from 1 to 9999/)
})

function run(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [path.join(ROOT, 'scripts/assay.ts'), 'crashtest', ...args], {
    cwd: ROOT,
    env: { ...inheritedEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })))
}
