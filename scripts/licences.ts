// npm run licences -- [--out file]: prints the licences of everything that is shipped; fails on one that is not allowed.

import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { reportLicences } from './licence-report.ts'
import { shippedLockFiles } from './shipped-packages.ts'

const { values } = parseArgs({ options: { out: { type: 'string' } } })
const { text, problems } = reportLicences(shippedLockFiles(path.dirname(import.meta.dirname)))
if (values.out === undefined) console.log(text)
else {
  mkdirSync(path.dirname(values.out), { recursive: true })
  writeFileSync(values.out, text)
}
for (const problem of problems) console.error(problem)
if (problems.length > 0) process.exitCode = 1
