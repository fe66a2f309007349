// Runs every test and ends with the line `N passed, N failed`. Arguments are files to run instead of all of them.

import { spawn } from 'node:child_process'
import { globSync } from 'node:fs'
import path from 'node:path'

const root = path.dirname(import.meta.dirname)

const given = process.argv.slice(2)
const files =
  given.length > 0
    ? given
    : globSync(['src/**/*.test.ts', 'bench/*.test.ts', 'training/**/*.test.ts', 'tests/**/*.test.ts'], {
        cwd: root,
        exclude: ['**/node_modules/**'],
      })
const reporter = path.join(import.meta.dirname, 'test-reporter.ts')

const child = spawn(
  process.execPath,
  [
    '--test',
    '--test-timeout=120000',
    `--test-reporter=${reporter}`,
    '--test-reporter-destination=stdout',
    ...files.sort(),
  ],
  { cwd: root, stdio: 'inherit' },
)
child.on('exit', (code) => process.exit(code ?? 1))
