// npm run test:crash -- --rounds 100: kills the service at random moments and counts what was lost.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startCounter } from './counting-judge.ts'
import { runCrashRounds } from './crash-rounds.ts'
import { runSpanCrashRounds } from './span-crash-rounds.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } })
const setups = await inDirectory((directory) => runCrashRounds(directory, Number(values.rounds)))
console.table(setups)
const spans = await inDirectory((directory) => runSpanCrashRounds(directory, Number(values.rounds)))
console.table(spans)
const judge = await startCounter()
const judged = await inDirectory((directory) =>
  runSpanCrashRounds(directory, Number(values.rounds), { judgeUrl: judge.url }),
)
await judge.close()
console.table({ ...judged, paidAgain: judge.calls() - judged.acknowledged })
const faults = [setups.lost, setups.torn]
for (const report of [spans, judged]) {
  faults.push(report.lost, report.doubled, report.wrong, report.miscounted)
}
if (faults.some((count) => count > 0)) process.exitCode = 1

async function inDirectory<T>(run: (directory: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'assay-crash-'))
  try {
    return await run(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
