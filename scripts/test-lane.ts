// Runs the test files that it is given, in their order and so many at once: test-lane.ts <timeout in ms> <files at once> <files ...>.
// `node --test` would sort them, and a long one that comes last is waited for while nothing else is left to do.

import { once } from 'node:events'
import path from 'node:path'
import { run } from 'node:test'
import { report } from './test-reporter.ts'

const [timeout, concurrency, ...files] = process.argv.slice(2)
const tests = run({
  files: files.map((file) => path.resolve(file)),
  concurrency: Number(concurrency),
  timeout: Number(timeout),
})
tests.on('test:fail', () => {
  process.exitCode = 1
})
const lines = tests.compose(report)
lines.pipe(process.stdout)
await once(lines, 'end')
