// Types, lint, format, import directions and generated files. With --write the formatter fixes what it can and stale files are written.

import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)
const write = process.argv.includes('--write')

const steps: [string, string[]][] = [
  ['generated files', [process.execPath, 'scripts/generate.ts', ...(write ? [] : ['--check'])]],
  [
    'types of the interface',
    [
      'dashboard/node_modules/.bin/openapi-typescript',
      'docs/openapi.json',
      '-o',
      'dashboard/src/api/schema.gen.ts',
      '--alphabetize',
      ...(write ? [] : ['--check']),
    ],
  ],
  ['biome', ['node_modules/.bin/biome', 'check', ...(write ? ['--write'] : []), '.']],
  ['types', ['node_modules/.bin/tsc', '-p', '.']],
  ['architecture', [process.execPath, 'scripts/test-lane.ts', '600000', '1', 'tests/architecture.test.ts']],
  ['types of the dashboard', ['node_modules/.bin/tsc', '-p', 'dashboard']],
]

for (const [name, [command = '', ...args]] of steps) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit' })
  if (status !== 0) {
    console.error(`${name}: failed`)
    process.exitCode = 1
  }
}
