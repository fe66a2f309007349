// npm run test:crash -- --rounds 100: kills the service at random moments and counts what was lost.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { runCrashRounds } from './crash-rounds.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-crash-'))
const report = await runCrashRounds(directory, Number(values.rounds))
rmSync(directory, { recursive: true, force: true })
console.table(report)
if (report.lost > 0 || report.torn > 0) process.exitCode = 1
