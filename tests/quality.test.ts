import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { test } from 'node:test'

const root = path.dirname(import.meta.dirname)

for (const [name, command] of [
  // In one thread: several repeat a part of each other's work, while other tests wait for the processor.
  ['the code type-checks', ['node_modules/.bin/tsc', '-p', '.', '--singleThreaded']],
  ['the dashboard type-checks', ['node_modules/.bin/tsc', '-p', 'dashboard', '--singleThreaded']],
  ['lint and format are clean', ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.']],
  [
    'the types of the interface in the dashboard are fresh',
    [
      'dashboard/node_modules/.bin/openapi-typescript',
      'docs/openapi.json',
      '-o',
      'dashboard/src/api/schema.gen.ts',
      '--alphabetize',
      '--check',
    ],
  ],
  ['generated files are fresh', [process.execPath, 'scripts/generate.ts', '--check']],
] as const) {
  test(name, () => {
    const [program = '', ...args] = command
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
    assert.equal(status, 0, `${stdout}${stderr}`)
  })
}
